/**
 * Opens the database that a refresh works in: on disk, in the folder `work/` under the data folder, with bounded memory. The
 * folder is removed when the refresh ends; the next refresh removes what a killed one left.
 */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, type DuckDBDataChunk, DuckDBInstance, type Json } from '@duckdb/node-api'
import { makeDataFolder } from '../snapshot/format/layout.ts'
import { CATALOG, literal } from './sql-text.ts'

export interface WorkDatabase {
  /** The folder for files that the refresh needs while it runs. */
  readonly folder: string
  /** Runs statements, separated by semicolons. Resolves to the number of rows that the last one changed. */
  run(sql: string): Promise<number>
  /** A few rows of the last statement, as plain values. */
  rows(sql: string): Promise<readonly Json[][]>
  /** Many rows as plain values, some at a time. */
  eachRows(sql: string): AsyncGenerator<readonly Json[][]>
  /** Very many rows, as the database's own chunks. */
  stream(sql: string): Promise<ChunkStream>
  close(): Promise<void>
}

export interface ChunkStream {
  /** The next chunk, or null at the end. */
  next(): Promise<DuckDBDataChunk | null>
}

type WorkDatabaseOptions = {
  readonly signal?: AbortSignal | undefined
  /** One for each processor core unless given. */
  readonly threads?: number | undefined
}

/** Beyond this the database spills to disk. */
const MEMORY_LIMIT = '1GB'

/**
 * Call only while holding the refresh lock: everything under `work/` is removed as a leftover. Closing the database
 * interrupts what still runs in it. A database that cannot be opened leaves nothing behind.
 */
export async function openWorkDatabase(
  dataFolder: string,
  { signal, threads = availableParallelism() }: WorkDatabaseOptions = {},
): Promise<WorkDatabase> {
  const workFolder = join(dataFolder, 'work')
  await rm(workFolder, { recursive: true, force: true })
  makeDataFolder(workFolder)
  const removeFolder = () => rm(workFolder, { recursive: true, force: true })
  let close = removeFolder
  try {
    const instance = await createInstance(join(workFolder, 'spill'), threads)
    const operations = new Operations(instance, signal)
    close = async () => {
      await operations.end()
      instance.closeSync()
      await removeFolder()
    }
    const main = await operations.connect(attachFile(join(workFolder, 'refresh.duckdb')))
    return { ...openedDatabase(main, operations), folder: workFolder, close }
  } catch (cause) {
    // On a disk that cannot be written this fails, too; the first failure is the one to report.
    await close().catch(() => undefined)
    throw cause
  }
}

/**
 * A database in memory, to look at a sample of an extract without a data folder. It has the names of the other one, so the
 * same SQL runs in it. Its folder is made when it is first needed, among the temporary files of the machine. A sample is
 * small: further threads would cost more than they save.
 */
export async function openSampleDatabase({
  signal,
}: Pick<WorkDatabaseOptions, 'signal'> = {}): Promise<WorkDatabase> {
  const instance = await createInstance('', 1)
  const operations = new Operations(instance, signal)
  let folder: string | undefined
  const close = async () => {
    await operations.end()
    instance.closeSync()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
  try {
    const main = await operations.connect(
      `ATTACH ':memory:' AS ${CATALOG}; USE ${CATALOG}; SET TimeZone = 'UTC'`,
    )
    return {
      ...openedDatabase(main, operations),
      get folder() {
        folder ??= mkdtempSync(join(tmpdir(), 'tripfolio-check-'))
        return folder
      },
      close,
    }
  } catch (cause) {
    await close()
    throw cause
  }
}

/**
 * No other run ever opens the file, so the database keeps no log of changes, which would be synced after each statement, and
 * does not write the rest into the file when it closes.
 */
const attachFile = (path: string): string => `PRAGMA disable_checkpoint_on_shutdown;
  ATTACH ${literal(path)} AS ${CATALOG} (RECOVERY_MODE no_wal_writes);
  USE ${CATALOG};
  SET TimeZone = 'UTC'`

/**
 * The log can only be left out of a database that is attached; the instance's own database stays empty.
 *
 * @param spillFolder empty when nothing may be spilled to disk
 */
const createInstance = (spillFolder: string, threads: number): Promise<DuckDBInstance> =>
  DuckDBInstance.create(':memory:', {
    memory_limit: MEMORY_LIMIT,
    temp_directory: spillFolder,
    threads: String(threads),
    preserve_insertion_order: 'true',
    // All formats that a refresh reads are built in, so nothing is downloaded.
    autoinstall_known_extensions: 'false',
  })

const openedDatabase = (
  main: DuckDBConnection,
  operations: Operations,
): Omit<WorkDatabase, 'folder' | 'close'> => ({
  run: async (sql) => (await operations.watch(() => main.run(sql))).rowsChanged,
  rows: (sql) => operations.watch(async () => (await main.run(sql)).getRowsJson()),
  async *eachRows(sql) {
    const connection = await operations.connect(`USE ${CATALOG}`)
    const result = await operations.watch(() => connection.stream(sql))
    yield* result.yieldRowsJson()
  },
  async stream(sql) {
    const connection = await operations.connect(`USE ${CATALOG}`)
    const result = await operations.watch(() => connection.stream(sql))
    return { next: () => operations.watch(() => result.fetchChunk()) }
  },
})

/** The statements that run in the database. They must have ended before the database may be closed. */
class Operations {
  readonly #instance: DuckDBInstance
  readonly #signal: AbortSignal | undefined
  readonly #connections: DuckDBConnection[] = []
  readonly #running = new Set<Promise<unknown>>()
  #ended = false

  constructor(instance: DuckDBInstance, signal: AbortSignal | undefined) {
    this.#instance = instance
    this.#signal = signal
    signal?.addEventListener('abort', this.#interrupt)
  }

  /** @param setup statements to run first */
  async connect(setup: string): Promise<DuckDBConnection> {
    const connection = await this.watch(() => this.#instance.connect())
    this.#connections.push(connection)
    await this.watch(() => connection.run(setup))
    return connection
  }

  async watch<T>(operation: () => Promise<T>): Promise<T> {
    this.#signal?.throwIfAborted()
    if (this.#ended) throw new Error('The work database was closed')
    const running = operation()
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
    }
  }

  async end(): Promise<void> {
    this.#ended = true
    this.#signal?.removeEventListener('abort', this.#interrupt)
    this.#interrupt()
    await Promise.allSettled(this.#running)
    for (const connection of this.#connections) connection.closeSync()
  }

  readonly #interrupt = (): void => {
    for (const connection of this.#connections) connection.interrupt()
  }
}
