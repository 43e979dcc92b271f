/**
 * Looks at a sample of one table: which of its columns are there, which values do not fit, and whether a refresh would accept
 * it.
 */
import type { TableName } from '../../schema/extract-tables.ts'
import { maskCardNumbersIn } from '../card-numbers.ts'
import { fileUnreadable, viewUnreadable } from '../problems.ts'
import { shortened } from '../rules/field-rules.ts'
import { encodingOf, type StatedEncodings } from '../sources/encodings.ts'
import { MAPPING_FILE } from '../sources/mapping.ts'
import type { OffsetTimes } from '../stored-values.ts'
import { type IngestedTable, quoteMask } from '../tables.ts'
import type { WorkDatabase } from '../work-database.ts'
import type { Style } from './casts.ts'
import { type ColumnFault, findFaults } from './column-faults.ts'
import type { FileGroup } from './found-files.ts'
import { type ColumnMatch, matchNames } from './names.ts'
import { type Sample, sampleFiles, sampleView } from './sample.ts'

export type TableCheck = {
  readonly table: TableName
  readonly fits: boolean
  /** False when an extract may leave the table out. */
  readonly required: boolean
  /** Where its rows were found: files with its name, a view of tripfolio.sql, other files that may be meant, or nowhere. */
  readonly found: 'files' | 'view' | 'other files' | 'nothing'
  readonly files: readonly string[]
  /** How many rows were looked at, and how many of them would be set aside for a value that does not fit. */
  readonly rows: number
  readonly faultyRows: number
  /** Why a refresh would refuse the files. */
  readonly faults: readonly string[]
  readonly matched: readonly string[]
  readonly missing: readonly MissingColumn[]
  /** The names in the files that belong to no column. */
  readonly ignored: readonly string[]
  readonly values: readonly Omit<ColumnFault, 'name'>[]
}

export type MissingColumn = {
  readonly column: string
  readonly required: boolean
  /** The file that lacks it. */
  readonly file: string
  /** The name that is meant, or the nearest one. */
  readonly nearest: string | null
  /** Whether the nearest name differs only in its spelling, as `RecordLocator` does. */
  readonly sameName: boolean
}

/** Where to look. */
export type Place = Pick<TableCheck, 'found' | 'faults'> & { readonly group: FileGroup | null }

/** @property required whether the extract may leave the table out, as the other tables are */
type PlaceOfTable = Place & Pick<TableCheck, 'required'>

/** A table, and what a mapping needs to read it. */
export type LookedAt = {
  readonly table: IngestedTable
  readonly check: TableCheck
  /** Null when there are no rows. */
  readonly sample: Sample | null
  readonly matches: readonly ColumnMatch[]
  readonly values: readonly ColumnFault[]
}

type Look = {
  readonly root: string
  readonly database: WorkDatabase
  /** The encodings that tripfolio.sql states. */
  readonly encodings: StatedEncodings
  readonly maxRejectShare: number
  readonly offsetTimes: OffsetTimes | undefined
  readonly signal: AbortSignal | undefined
  /** How the tables before this one are written. */
  readonly styles: Set<Style>
}

export async function lookAtTable(table: IngestedTable, place: PlaceOfTable, look: Look): Promise<LookedAt> {
  const { name } = table
  const { required } = place
  const files = place.group?.files ?? (place.found === 'view' ? [viewName(table)] : [])
  const unread = { table: name, required, found: place.found, files, rows: 0, faultyRows: 0 }
  const empty = { ...unread, matched: [], missing: [], ignored: [], values: [] }
  const nothing = { table, sample: null, matches: [], values: [] }
  const read = await readSample(table, place, look)
  if (read === null || typeof read === 'string') {
    const faults = [...place.faults, ...(read === null ? [] : [read])]
    const fits = faults.length === 0 && !required
    return { ...nothing, check: { ...empty, faults, fits } }
  }
  const names = read.columns.map((column) => column.name)
  const { columns: matches, ignored } = matchNames(name, table.columns, names)
  const { faults: values, faultyRows } = await findFaults(table, matches, {
    sample: read,
    database: look.database,
    styles: look.styles,
    offsetTimes: look.offsetTimes,
  })
  const headless = place.group?.format === 'csv' && matches.every((match) => match.name === null)
  const faults = [...place.faults, ...read.faults, ...(headless ? [NO_HEADER] : [])]
  // Each line of JSON has its own names, so a file without lines lacks none.
  const nameless = place.group?.format === 'json' && read.rows === 0
  const missing = nameless ? [] : missingColumns(table, matches, read)
  const mask = quoteMask(name)
  const accepted =
    faults.length === 0 &&
    !missing.some((column) => column.required) &&
    faultyRows <= look.maxRejectShare * read.rows
  const check: TableCheck = {
    ...unread,
    fits: place.found === 'other files' ? !required && place.faults.length === 0 : accepted,
    rows: read.rows,
    faultyRows,
    faults,
    matched: matches.filter(({ found }) => found).map(({ column }) => column.column),
    missing,
    // In a file without a header, these are values of its first row.
    ignored: nameless ? [] : ignored.map((each) => shortened(mask(each))),
    values: values.map(({ name: _, ...fault }) => fault),
  }
  return { table, check, sample: read, matches, values }
}

const NO_HEADER = 'none of the names in its first line is that of a column: the header may be missing'

const viewName = ({ name }: IngestedTable): string => `${MAPPING_FILE} (view ${name})`

/** @returns null without a source, and the reason when it cannot be read */
async function readSample(
  table: IngestedTable,
  { found, group }: Place,
  { root, database, encodings, signal }: Look,
): Promise<Sample | string | null> {
  try {
    if (found === 'view') return await sampleView(table, database)
    return group === null
      ? null
      : await sampleFiles(table, group, root, database, encodingOf(encodings, table.name))
  } catch (cause) {
    signal?.throwIfAborted()
    const [file = ''] = group?.files ?? [viewName(table)]
    return (found === 'view' ? viewUnreadable : fileUnreadable)(table.name, file, cause).message
  }
}

/** A refresh needs each required column in every file. */
function missingColumns(
  table: IngestedTable,
  matches: readonly ColumnMatch[],
  { namesByFile }: Sample,
): readonly MissingColumn[] {
  const missing = matches.filter(({ found }) => !found)
  const lacking = matches.filter(({ found, column }) => found && column.required)
  return [
    ...missing.map(({ column: { column, required }, name, nearest }) => ({
      column,
      required,
      file: [...namesByFile.keys()][0] ?? '',
      nearest: name ?? (nearest === null ? null : maskCardNumbersIn(nearest)),
      sameName: name !== null,
    })),
    ...[...namesByFile].flatMap(([file, names]) =>
      matchNames(table.name, table.columns, names)
        .columns.filter(({ column, found }) => !found && lacking.some((each) => each.column === column))
        .map(({ column: { column, required } }) => ({
          column,
          required,
          file,
          nearest: null,
          sameName: false,
        })),
    ),
  ]
}
