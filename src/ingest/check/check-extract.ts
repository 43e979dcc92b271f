/**
 * Checks whether a refresh would accept an extract, by a sample of its rows: which file each table has, which columns match,
 * which values do not fit, and what would help. Writes nothing. Rules that compare rows with others need all rows, so they are
 * not checked.
 */
import { resolve } from 'node:path'
import { Problem } from '../../kernel/problem.ts'
import type { TableName } from '../../schema/extract-tables.ts'
import { checkStopped } from '../problems.ts'
import { nothingStated } from '../sources/encodings.ts'
import { mappedEncodings, runMapping } from '../sources/mapping.ts'
import { prepareStaging } from '../staging.ts'
import type { OffsetTimes } from '../stored-values.ts'
import { type IngestedTable, ingestedTables, neededOf } from '../tables.ts'
import { openSampleDatabase } from '../work-database.ts'
import type { Style } from './casts.ts'
import { defineCastMacros } from './column-faults.ts'
import { draftMapping } from './draft-mapping.ts'
import { type FileGroup, type FoundFiles, findFiles } from './found-files.ts'
import { likelyFiles } from './likely-files.ts'
import { type LookedAt, lookAtTable, type Place, type TableCheck } from './look-at-table.ts'

export type CheckRequest = {
  /** The folder of the extract. */
  readonly source: string
  /** The largest share of rejects that any one table may have. */
  readonly maxRejectShare: number
  /** As for a refresh. */
  readonly offsetTimes?: OffsetTimes
  readonly signal?: AbortSignal | undefined
  readonly onTable?: (table: TableName, done: number, total: number) => void
}

export type ExtractCheck = {
  /** Whether a refresh would accept the extract, as far as the sample shows. */
  readonly fits: boolean
  readonly source: string
  readonly tables: readonly TableCheck[]
  /** A tripfolio.sql to start from; null when no table needs one. */
  readonly mapping: string | null
}

/** @throws Problem ING101 when the folder cannot be read, ING107 when its mapping fails, ING173 when it is stopped */
export async function checkExtract(request: CheckRequest): Promise<ExtractCheck> {
  const { signal } = request
  try {
    return await checked(request)
  } catch (cause) {
    if (!signal?.aborted) throw cause
    throw signal.reason instanceof Problem ? signal.reason : checkStopped(cause)
  }
}

async function checked(request: CheckRequest): Promise<ExtractCheck> {
  const { maxRejectShare, offsetTimes, signal } = request
  const root = resolve(request.source)
  const files = await findFiles(root)
  const database = await openSampleDatabase({ signal })
  try {
    await prepareStaging(database, ingestedTables, offsetTimes)
    const views = files.mapping !== null ? await runMapping(root, database) : new Set<string>()
    await defineCastMacros(database)
    const likely = await likelyFiles(root, files, views, database)
    const encodings = files.mapping !== null ? await mappedEncodings(database) : nothingStated
    const look = { root, database, encodings, maxRejectShare, offsetTimes, signal, styles: new Set<Style>() }
    const places = ingestedTables.map((table) => placeOf(table, files, views, likely))
    const left = ingestedTables.filter((_, at) => isMissing(places[at] as Place)).map(({ name }) => name)
    const looked: LookedAt[] = []
    for (const [at, table] of ingestedTables.entries()) {
      request.onTable?.(table.name, at, ingestedTables.length)
      const required = neededOf([...new Set([...left, table.name])]).includes(table.name)
      looked.push(await lookAtTable(table, { ...(places[at] as Place), required }, look))
    }
    const tables = looked.map(({ check }) => check)
    const mapping = draftMapping(looked, files.mapping)
    return { fits: tables.every(({ fits }) => fits), source: root, tables, mapping }
  } finally {
    await database.close()
  }
}

/** Whether a refresh would find no rows of the table. */
const isMissing = ({ found, faults }: Place): boolean =>
  (found === 'nothing' || found === 'other files') && faults.length === 0

function placeOf(
  { name }: IngestedTable,
  { tables }: FoundFiles,
  views: ReadonlySet<string>,
  likely: ReadonlyMap<TableName, FileGroup>,
): Place {
  if (views.has(name)) return { found: 'view', group: null, sources: [], faults: [], unreadable: [] }
  const { group = null, sources = [], faults = [], unreadable = [] } = tables.get(name) ?? {}
  if (group !== null) return { found: 'files', group, sources, faults, unreadable }
  const other = likely.get(name) ?? null
  return { found: other === null ? 'nothing' : 'other files', group: other, sources, faults, unreadable }
}
