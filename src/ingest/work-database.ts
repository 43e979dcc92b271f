/**
 * The database that a refresh works in: on disk, in a folder of its own under the data folder, bounded in memory. Gone
 * when the refresh ends; what a killed refresh left is removed by the next one.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance, type DuckDBResult, type Json } from '@duckdb/node-api'

export interface WorkDatabase extends AsyncDisposable {
  /** For files that the refresh needs while it runs. */
  readonly folder: string
  run(sql: string): Promise<void>
  /** A few rows, as plain values. */
  rows(sql: string): Promise<readonly Json[][]>
  /** Many rows, chunk by chunk, over a connection of their own. */
  stream(sql: string): Promise<DuckDBResult>
}

/** What the database may hold in memory; beyond it, it spills to disk. */
const MEMORY_LIMIT = '1GB'

/** Call only while holding the refresh lock: every other folder found under `work/` is taken for a leftover. */
export async function openWorkDatabase(dataFolder: string, signal?: AbortSignal): Promise<WorkDatabase> {
  const workFolder = join(dataFolder, 'work')
  await rm(workFolder, { recursive: true, force: true })
  await mkdir(workFolder, { recursive: true })
  const folder = await mkdtemp(join(workFolder, 'refresh-'))
  const instance = await DuckDBInstance.create(join(folder, 'work.duckdb'), {
    memory_limit: MEMORY_LIMIT,
    temp_directory: join(folder, 'spill'),
    threads: String(availableParallelism()),
    preserve_insertion_order: 'true',
    // Nothing is fetched from anywhere: all formats that a refresh reads are built in.
    autoinstall_known_extensions: 'false',
  })
  const connections: DuckDBConnection[] = []
  const connect = async () => {
    signal?.throwIfAborted()
    const connection = await instance.connect()
    connections.push(connection)
    return connection
  }
  const interrupt = () => {
    for (const connection of connections) connection.interrupt()
  }
  signal?.addEventListener('abort', interrupt)
  const main = await connect()
  await main.run(`SET TimeZone = 'UTC'`)
  return {
    folder,
    async run(sql) {
      signal?.throwIfAborted()
      await main.run(sql)
    },
    async rows(sql) {
      signal?.throwIfAborted()
      return (await main.run(sql)).getRowsJson()
    },
    async stream(sql) {
      return (await connect()).stream(sql)
    },
    async [Symbol.asyncDispose]() {
      signal?.removeEventListener('abort', interrupt)
      for (const connection of connections) connection.closeSync()
      instance.closeSync()
      await rm(workFolder, { recursive: true, force: true })
    },
  }
}
