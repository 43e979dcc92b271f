/**
 * Checks whether a refresh would accept an extract, by a sample of its rows: which file each table has, which columns match,
 * which values do not fit, and what would help. Writes nothing. Rules that compare rows with others need all rows, so they are
 * not checked.
 */
import { isWarehouse } from '../../config/extract-source.ts'
import { Problem } from '../../kernel/problem.ts'
import type { TableName } from '../../schema/extract-tables.ts'
import { checkStopped } from '../problems.ts'
import { prepareStaging } from '../staging.ts'
import type { OffsetTimes } from '../stored-values.ts'
import { ingestedTables, neededOf } from '../tables.ts'
import { TYPE_TEXT } from '../types/lost-types.ts'
import { openSampleDatabase, type WorkDatabase } from '../work-database.ts'
import type { Style } from './casts.ts'
import { defineCastMacros } from './column-faults.ts'
import { sampleFolder } from './folder-sample.ts'
import { type LookedAt, lookAtTable, type Place, type TableCheck } from './look-at-table.ts'
import type { OtherFiles, SampledSource } from './sampled-source.ts'

export type CheckRequest = {
  /** The folder of the extract, or the URL of a warehouse in PostgreSQL. */
  readonly source: string
  /** The file with the SQL of each table, for a warehouse. */
  readonly mapping?: string | undefined
  /** The data folder of a refresh, which may not exist. */
  readonly dataFolder?: string
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
  readonly kind: 'folder' | 'warehouse'
  /** Without the password of a URL. */
  readonly source: string
  readonly tables: readonly TableCheck[]
  /** The files of the folder that no table has, where a table lacks its own. */
  readonly otherFiles: readonly OtherFiles[]
  /** What would not refuse the extract, and is to be mended. */
  readonly warnings: readonly string[]
  /** A mapping to start from; null when no table needs one. */
  readonly mapping: string | null
}

/** @throws Problem ING101 or PGS1xx when the source cannot be read, ING107 or ING151 when its mapping fails, ING173 when it is stopped */
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
  const folder = isWarehouse(request.source) ? undefined : request.source
  const database = await openSampleDatabase({ signal, source: folder })
  try {
    await prepareStaging(database, ingestedTables, offsetTimes)
    const sampled = await openSample(request, database)
    await defineCastMacros(database)
    const { kind, source, places, root, stated, otherFiles, warnings } = sampled
    const look = { root, database, stated, maxRejectShare, offsetTimes, signal, styles: new Set<Style>() }
    const left = ingestedTables.filter((_, at) => isMissing(places[at] as Place)).map(({ name }) => name)
    const looked: LookedAt[] = []
    for (const [at, table] of ingestedTables.entries()) {
      request.onTable?.(table.name, at, ingestedTables.length)
      const required = neededOf([...new Set([...left, table.name])]).includes(table.name)
      looked.push(await lookAtTable(table, { ...(places[at] as Place), required }, look))
    }
    await sampled.refuseChange()
    const tables = looked.map(({ check }) => check)
    const mapping = sampled.draft(looked)
    const shown = kind === 'warehouse' ? tables.map(withoutCasts) : tables
    return {
      fits: tables.every(({ fits }) => fits),
      kind,
      source,
      tables: shown,
      otherFiles,
      warnings,
      mapping,
    }
  } finally {
    await database.close()
  }
}

/** Whether a refresh would find no rows of the table. */
const isMissing = ({ found, faults }: Place): boolean =>
  (found === 'nothing' || found === 'other files') && faults.length === 0

async function openSample(request: CheckRequest, database: WorkDatabase): Promise<SampledSource> {
  if (!isWarehouse(request.source)) return sampleFolder(request, database)
  // A check of files does not load the driver.
  const { sampleWarehouse } = await import('./warehouse-sample.ts')
  return sampleWarehouse(request, database.folder)
}

/** The casts of values are SQL of the database that reads files, which a warehouse does not understand; those of types are its own. */
const withoutCasts = (check: TableCheck): TableCheck => ({
  ...check,
  values: check.values.map((fault) => (fault.rule === TYPE_TEXT ? fault : { ...fault, cast: null })),
})
