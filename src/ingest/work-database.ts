/**
 * Opens the database that a refresh works in: on disk, in the folder `work/` under the data folder, with bounded memory. The
 * folder is removed when the refresh ends; the next refresh removes what a killed one left. The database is locked from the
 * beginning: whatever runs in it reads the folder of the extract and its own folder, and reaches nothing else.
 */
import { existsSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBInstance,
  type Json,
  StatementType,
} from '@duckdb/node-api'
import { makeTemporaryFolder, temporaryPath } from '../kernel/files/temporary-folder.ts'
import { makeDataFolder } from '../snapshot/format/layout.ts'
import { workingIn } from './guard/working-folder.ts'
import { CATALOG, exactGlob, list, literal } from './sql-text.ts'

export interface WorkDatabase {
  /** The folder for files that the refresh needs while it runs. */
  readonly folder: string
  /** Runs statements, separated by semicolons. Resolves to the number of rows that the last one changed. */
  run(sql: string): Promise<number>
  /**
   * Runs the statements of a mapping, one after the other, unless the database takes one for another kind than a query, a
   * creation or a variable.
   */
  runMapping(sql: string): Promise<void>
  /** From here on, statements may name files relative to this folder; with null, they name none. */
  nameFilesIn(folder: string | null): void
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
  /** The folder of the extract, which may be read; none for a warehouse. */
  readonly source?: string | undefined
}

/** Beyond this the database spills to disk. */
const MEMORY_LIMIT = '1GB'

/**
 * Call only while holding the refresh lock: everything under `work/` is removed as a leftover. Closing the database
 * interrupts what still runs in it. A database that cannot be opened leaves nothing behind.
 */
export async function openWorkDatabase(
  dataFolder: string,
  { signal, threads = availableParallelism(), source }: WorkDatabaseOptions = {},
): Promise<WorkDatabase> {
  const workFolder = resolve(dataFolder, 'work')
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
    const main = await operations.connect(
      attachFile(join(workFolder, 'refresh.duckdb')) + locked(workFolder, source),
    )
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
  source,
}: Omit<WorkDatabaseOptions, 'threads'> = {}): Promise<WorkDatabase> {
  const instance = await createInstance('', 1)
  const operations = new Operations(instance, signal)
  const folder = temporaryPath('check')
  let isMade = false
  const close = async () => {
    await operations.end()
    instance.closeSync()
    if (isMade) await rm(folder, { recursive: true, force: true })
  }
  try {
    const main = await operations.connect(
      `ATTACH ':memory:' AS ${CATALOG}; USE ${CATALOG}; SET TimeZone = 'UTC'${locked(folder, source)}`,
    )
    return {
      ...openedDatabase(main, operations),
      get folder() {
        if (!isMade) makeTemporaryFolder(folder)
        isMade = true
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
 * The end of all configuration, before anything of an extract is looked at. The database follows symbolic links before it
 * compares a path with these folders. It knows no right to read alone: `guard/permitted-statements.ts` refuses what would write.
 */
function locked(workFolder: string, source: string | undefined): string {
  const folders = [workFolder, ...(source === undefined ? [] : [resolve(source)])]
  return `;
  SET allowed_directories = [${list(folders.flatMap((folder) => [...spellingsOf(folder)]).map(literal))}];
  SET enable_external_access = false;
  SET lock_configuration = true`
}

/** As a path, without links, and as the beginning of a pattern, which the database judges as it is written. */
function spellingsOf(folder: string): ReadonlySet<string> {
  const spellings = new Set([folder, exactGlob(folder)])
  // A source that is not there is refused later, with the reason.
  if (existsSync(folder)) spellings.add(realpathSync(folder))
  return spellings
}

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
    // All formats that a refresh reads are built in, so nothing is downloaded or loaded.
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
  })

/** The last one is how the database runs a PIVOT that makes a table. */
const MAPPING_KINDS: ReadonlySet<StatementType> = new Set([
  StatementType.SELECT,
  StatementType.CREATE,
  StatementType.SET,
  StatementType.TRANSACTION,
])

/** What the driver puts before the database's own message. */
function withoutPrefix(cause: Error): never {
  throw new Error(cause.message.replace(/^Failed to extract statements: /, ''), { cause })
}

/** Nobody reads the rows of a query, so only the first of them are asked for: all together may need any memory. */
async function runStatements(connection: DuckDBConnection, sql: string): Promise<void> {
  const statements = await connection.extractStatements(sql).catch(withoutPrefix)
  for (let at = 0; at < statements.count; at++) {
    const statement = await statements.prepare(at)
    try {
      if (!MAPPING_KINDS.has(statement.statementType))
        throw new Error(`${StatementType[statement.statementType]} is not allowed`)
      const result = await statement.stream()
      await result.fetchChunk()
    } finally {
      statement.destroySync()
    }
  }
}

function openedDatabase(
  main: DuckDBConnection,
  operations: Operations,
): Omit<WorkDatabase, 'folder' | 'close'> {
  let named: string | null = null
  const inFolder = <T>(operation: () => Promise<T>): Promise<T> =>
    named === null ? operations.watch(operation) : workingIn(named, () => operations.watch(operation))
  return {
    run: async (sql) => (await inFolder(() => main.run(sql))).rowsChanged,
    runMapping: (sql) => inFolder(() => runStatements(main, sql)),
    rows: (sql) => inFolder(async () => (await main.run(sql)).getRowsJson()),
    nameFilesIn(folder) {
      named = folder
    },
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
  }
}

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
