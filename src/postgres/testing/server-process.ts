/** Starts a PostgreSQL server of the npm packages as a process, with a data folder of its own. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { type ServerUser, unpackBinaries, unprivilegedUser } from './postgres-binaries.ts'

const run = promisify(execFile)

export type RunningServer = {
  readonly url: string
  readonly pid: number
  readonly folder: string
  /** With all databases of the server. */
  readonly data: string
  readonly port: number
  /** Ends the server at once, as a crash would; its data stays. */
  readonly kill: () => Promise<void>
  /** Starts it again on the same port. */
  readonly start: () => Promise<void>
  /** Ends the server and removes its data. */
  readonly stop: () => Promise<void>
}

type StartOptions = {
  /** Outlives the process that starts it. */
  readonly detached?: boolean
  readonly settings?: Readonly<Record<string, string>>
  /** The folder of other programs than those of the npm packages, such as `/usr/lib/postgresql/15/bin`. */
  readonly programs?: string | undefined
  /** The data folder of a server that does not run, to begin with a copy of it. */
  readonly copyOf?: string
}

/** Starts a server of its own, for tests that stop it or change its settings. */
export async function startServer({
  detached = false,
  settings = {},
  programs,
  copyOf,
}: StartOptions = {}): Promise<RunningServer> {
  const user = await unprivilegedUser()
  const binaries =
    programs === undefined
      ? await unpackBinaries(process.env.TEST_POSTGRES_BINARIES ?? join(tmpdir(), 'tripfolio-postgres'))
      : { postgres: join(programs, 'postgres'), initdb: join(programs, 'initdb') }
  const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const folder = await mkdtemp(join(memory, 'tripfolio-postgres-'))
  await giveTo(user, folder)
  const data = join(folder, 'data')
  const initialize = async () => {
    const options = ['--username=tripfolio', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
    await run(binaries.initdb, [`--pgdata=${data}`, ...options], { ...user, cwd: folder })
  }
  if (copyOf !== undefined) await copyData(copyOf, data)
  else if (programs !== undefined) await initialize()
  else await initializeOnce(data, initialize)
  const port = await freePort()
  const url = `postgres://tripfolio@127.0.0.1:${port}/postgres`
  let server: ChildProcess | undefined
  const start = async () => {
    const all = { ...frugal, ...settings, port: `${port}`, unix_socket_directories: folder }
    const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    server = spawn(binaries.postgres, ['-D', data, ...flags], {
      ...user,
      cwd: folder,
      detached,
      stdio: 'ignore',
    })
    if (detached) server.unref()
    await untilItAnswers(url, server)
  }
  await start()
  const kill = async () => {
    if (server?.pid !== undefined) await endProcess(server.pid)
  }
  return {
    url,
    pid: server?.pid as number,
    folder,
    data,
    port,
    kill,
    start,
    stop: async () => {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The servers of a run of tests begin with copies of one data folder: to initialize it costs eight times as much. */
async function initializeOnce(data: string, initialize: () => Promise<void>): Promise<void> {
  const ofRun = process.env.TEST_FIXTURES
  const initialized = ofRun === undefined ? undefined : join(ofRun, 'postgres-data')
  if (initialized !== undefined && existsSync(initialized)) return copyData(initialized, data)
  await initialize()
  if (ofRun === undefined || initialized === undefined) return
  await mkdir(ofRun, { recursive: true })
  const unfinished = `${initialized}-${basename(join(data, '..'))}`
  await copyData(data, unfinished)
  // Another server may have been faster.
  await rename(unfinished, initialized).catch(() => rm(unfinished, { recursive: true, force: true }))
}

/** With the owners and rights of its files. */
async function copyData(from: string, to: string): Promise<void> {
  await run('cp', ['-a', from, to])
}

/** Little memory, many connections, and no wait for a disk: a run of tests makes hundreds of small databases. */
const frugal: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  shared_buffers: '64MB',
  max_connections: '300',
  fsync: 'off',
  full_page_writes: 'off',
  jit: 'off',
  autovacuum: 'off',
  max_prepared_transactions: '0',
  log_min_messages: 'fatal',
}

async function giveTo({ uid, gid }: ServerUser, folder: string): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port')
  return address.port
}

const MOST_TRIES = 400

async function untilItAnswers(url: string, server: ChildProcess): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await ask(url, 'select 1')
      return
    } catch (error) {
      if (tries === MOST_TRIES || server.exitCode !== null) throw error
      await wait(50)
    }
  }
}

/** SIGQUIT is an immediate shutdown: the server ends its processes without waiting for connections. */
export async function endProcess(pid: number): Promise<void> {
  const isAlive = () => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  if (!isAlive()) return
  process.kill(pid, 'SIGQUIT')
  for (let tries = 0; isAlive() && tries < MOST_TRIES; tries++) await wait(25)
}

/** Runs one statement on a connection of its own, and returns its rows. */
export async function ask<Row extends object = Record<string, unknown>>(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const connection = new Client({ connectionString: url })
  await connection.connect()
  try {
    return (await connection.query<Row>(sql, values)).rows
  } finally {
    await connection.end()
  }
}

/** Asks again and again, on one connection, until there are so many rows. */
export async function untilRows<Row extends object = Record<string, unknown>>(
  url: string,
  sql: string,
  { values = [], least = 1 }: { readonly values?: unknown[]; readonly least?: number } = {},
): Promise<Row[]> {
  const connection = new Client({ connectionString: url })
  await connection.connect()
  try {
    for (;;) {
      const { rows } = await connection.query<Row>(sql, values)
      if (rows.length >= least) return rows
      await wait(5)
    }
  } finally {
    await connection.end()
  }
}
