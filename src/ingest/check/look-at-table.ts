/**
 * Looks at a sample of one table: which of its columns are there, which values do not fit, and whether a refresh would accept
 * it.
 */

import { join } from 'node:path'
import type { TableName } from '../../schema/extract-tables.ts'
import { maskCardNumbersIn } from '../card-numbers.ts'
import { areEscapesLikely } from '../dialect/backslash-signs.ts'
import { backslashDialect } from '../dialect/csv-dialect.ts'
import { dialectOf } from '../dialect/stated-dialects.ts'
import type { StatedTexts } from '../mapping/decoded-files.ts'
import { fileUnreadable, viewUnreadable } from '../problems.ts'
import { shortened } from '../rules/field-rules.ts'
import { encodingOf } from '../sources/encodings.ts'
import { MAPPING_FILE } from '../sources/file-form.ts'
import type { Source } from '../sources/find-extract.ts'
import { columnName } from '../sources/match-columns.ts'
import type { OffsetTimes } from '../stored-values.ts'
import { type IngestedTable, quoteMask } from '../tables.ts'
import type { WorkDatabase } from '../work-database.ts'
import type { Style } from './casts.ts'
import { type ColumnFault, findFaults, stagedFaults } from './column-faults.ts'
import { startOf } from './file-start.ts'
import type { FileGroup } from './found-files.ts'
import { refuseMachineFault } from './machine-fault.ts'
import { type ColumnMatch, matchNames } from './names.ts'
import { type ReadRows, readAsRefresh } from './read-as-refresh.ts'
import { SAMPLED_ROWS, type Sample, sampleFiles, sampleView, spread } from './sample.ts'
import { textTypeFaults, textWarnings } from './text-type-faults.ts'

export type TableCheck = {
  readonly table: TableName
  readonly fits: boolean
  /** False when an extract may leave the table out. */
  readonly required: boolean
  /** Where its rows were found: files with its name, a view of tripfolio.sql, other files that may be meant, or nowhere. */
  readonly found: 'files' | 'view' | 'other files' | 'nothing'
  readonly files: readonly string[]
  /** Files that have its name, in formats that are not read, where no other files were found. */
  readonly unreadable: readonly string[]
  /** How many rows were looked at, and how many of them would be set aside for a value that does not fit. */
  readonly rows: number
  readonly faultyRows: number
  /** What is wrong with the files. A refresh would refuse them, unless all is that some lines are malformed. */
  readonly faults: readonly string[]
  readonly matched: readonly string[]
  readonly missing: readonly MissingColumn[]
  /** What does not stop a refresh, and should be checked. */
  readonly warnings: readonly string[]
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
export type Place = Pick<TableCheck, 'found' | 'faults' | 'unreadable'> & {
  readonly group: FileGroup | null
  /** The files of the group, where a refresh would read them as those of the table. */
  readonly sources: readonly Source[]
}

/** @property required whether the extract may leave the table out, as the other tables are */
type PlaceOfTable = Place & Pick<TableCheck, 'required'>

/** A table, and what a mapping needs to read it. */
export type LookedAt = {
  readonly table: IngestedTable
  readonly check: TableCheck
  /** Null when there are no rows. */
  readonly sample: Sample | null
  /** The encoding with which its files fit, where tripfolio.sql does not state it. */
  readonly encoding: string | null
  /** Whether its files have escapes that tripfolio.sql does not state. */
  readonly hasEscapes: boolean
  readonly matches: readonly ColumnMatch[]
  readonly values: readonly ColumnFault[]
}

type Look = {
  readonly root: string
  readonly database: WorkDatabase
  /** What tripfolio.sql states of text files. */
  readonly stated: StatedTexts
  readonly maxRejectShare: number
  readonly offsetTimes: OffsetTimes | undefined
  readonly signal: AbortSignal | undefined
  /** How the tables before this one are written. */
  readonly styles: Set<Style>
}

export async function lookAtTable(table: IngestedTable, place: PlaceOfTable, look: Look): Promise<LookedAt> {
  const { name } = table
  const { required } = place
  const files = place.group?.files.map(maskCardNumbersIn) ?? (place.found === 'view' ? [viewName(table)] : [])
  const { found, unreadable } = place
  const unread = { table: name, required, found, files, unreadable, rows: 0, faultyRows: 0 }
  const empty = { ...unread, matched: [], missing: [], warnings: [], ignored: [], values: [] }
  const nothing = { table, sample: null, encoding: null, hasEscapes: false, matches: [], values: [] }
  const own = await readOwnFiles(table, place, look)
  if (own !== null && own.read.faults.length === 0) return lookAtRows(table, place, own, look)
  const refused = own?.read.faults ?? []
  const read = await readSample(table, place, look)
  if (read === null || typeof read === 'string') {
    const cause = refused.length > 0 || read === null ? refused.map(({ message }) => message) : [read]
    const faults = [...place.faults, ...cause]
    const fits = faults.length === 0 && !required
    return { ...nothing, check: { ...empty, faults, fits } }
  }
  const names = read.columns.map((column) => column.name)
  const { columns: matches, ignored } = matchNames(name, table.columns, names)
  const {
    faults: valueFaults,
    faultyRows,
    typed: types,
  } = await findFaults(table, matches, {
    sample: read,
    database: look.database,
    styles: look.styles,
    offsetTimes: look.offsetTimes,
  })
  const typed = { ...types, file: files[0] ?? name }
  const typeFaults = textTypeFaults(table, matches, [typed])
  const values = [...typeFaults, ...valueFaults]
  const headless = place.group?.format === 'csv' && matches.every((match) => match.name === null)
  // Missing columns are shown one by one, with the names that are near.
  const others = refused.filter(({ code }) => code !== COLUMN_MISSING).map(({ message }) => message)
  const escapes = read.hasEscapes ? [ESCAPES] : []
  const headers = headless ? [NO_HEADER] : []
  const faults = [...place.faults, ...others, ...read.faults, ...escapes, ...headers]
  // Each line of JSON has its own names, so a file without lines lacks none.
  const nameless = place.group?.format === 'json' && read.rows === 0
  const missing = nameless ? [] : missingColumns(table, matches, read)
  const mask = quoteMask(name)
  const accepted =
    refused.length === 0 &&
    faults.length === 0 &&
    typeFaults.length === 0 &&
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
    warnings: await textWarnings(table, matches, [typed], look.database),
    // In a file without a header, these are values of its first row.
    ignored: nameless ? [] : ignored.map((each) => shortened(mask(each))),
    values: values.map(({ name: _, ...fault }) => fault),
  }
  return { table, check, sample: read, encoding: null, hasEscapes: read.hasEscapes, matches, values }
}

const COLUMN_MISSING = 'ING103'

type OwnFiles = {
  readonly read: ReadRows
  /** As for a table that was looked at. */
  readonly encoding: string | null
  readonly hasEscapes: boolean
  /** Whether a refresh accepts the files without it. */
  readonly accepted: boolean
}

/**
 * Reads as a refresh does; once more, if the text seems to be in another encoding, or to have escapes. Null without files of
 * the table.
 */
async function readOwnFiles(
  table: IngestedTable,
  { found, sources, group }: Place,
  { root, database, stated, maxRejectShare, signal }: Look,
): Promise<OwnFiles | null> {
  if (found !== 'files' || group === null) return null
  const files = spread(sources.filter((source) => source.found?.bytes !== 0))
  const isText = group.format !== 'parquet'
  const encoding = isText ? encodingOf(stated.encodings, table.name) : undefined
  const dialect = dialectOf(stated.dialects, table.name)
  const rowsOfEach = Math.ceil(SAMPLED_ROWS / files.length)
  const reading = { database, rowsOfEach, encoding, dialect, signal }
  const read = await readAsRefresh(table, files, reading)
  const accepted =
    read.faults.length === 0 &&
    !read.typed.some(({ types }) => types.some(({ lost }) => lost > 0)) &&
    read.setAside <= maxRejectShare * read.rows
  const mayBeEncoded = isText && encoding === undefined && (read.faults.length > 0 || read.hasUnreadableText)
  const start = mayBeEncoded && startOf(join(root, group.files[0] ?? '')).catch(() => ({ encoding: null }))
  const other = start === false ? null : read.hasUnreadableText ? 'windows-1252' : (await start).encoding
  // The rows that were read last are the staged ones.
  const attempts = [
    ...(other === null ? [] : [{ ...reading, encoding: other }]),
    ...(dialect === undefined && group.format === 'csv' ? [withEscapes] : []),
  ]
  let best = { read, encoding: null as string | null, hasEscapes: false }
  let last = read
  for (const attempt of attempts) {
    if (attempt === withEscapes && !areEscapesLikely(best.read.backslashes)) continue
    const changed = { ...reading, encoding: best.encoding ?? encoding, ...attempt }
    last = await readAsRefresh(table, files, changed)
    if (last.faults.length > 0 || (attempt === withEscapes && last.setAside > best.read.setAside)) continue
    best = { read: last, encoding: other, hasEscapes: attempt === withEscapes }
  }
  if (last !== best.read) {
    const again = { ...reading, encoding: best.encoding ?? encoding }
    best = { ...best, read: await readAsRefresh(table, files, again) }
  }
  return { ...best, accepted }
}

const withEscapes = { dialect: backslashDialect }

/** A table whose staged rows are those of a refresh. */
async function lookAtRows(
  table: IngestedTable,
  place: PlaceOfTable,
  { read, encoding, hasEscapes, accepted }: OwnFiles,
  look: Look,
): Promise<LookedAt> {
  const { name, columns } = table
  const { found, required, group } = place
  const { rows, malformed, setAside, namesByFile, folderColumns, typed } = read
  const { columns: named, ignored } = matchNames(name, columns, [
    ...new Set([...namesByFile.values()].flat()),
  ])
  const matches = named.map((match) => {
    const { column } = match.column
    return match.found || !folderColumns.has(column) ? match : { ...match, name: column, found: true }
  })
  // A file of JSON without lines, or with malformed ones only, lacks no names.
  const isNameless =
    group?.format === 'json' && [...namesByFile.values()].every((names) => names.length === 0)
  let sample: Sample | null = null
  const readAgain = async () => {
    const again = await readSample(table, place, look)
    // A view of JSON would not have the columns that folders give.
    const isPartial = group?.format === 'json' && folderColumns.size > 0
    sample = typeof again === 'string' || isPartial ? null : again
    return sample
  }
  const { database, styles, offsetTimes } = look
  const shape = { sample: readAgain, database, styles, offsetTimes }
  const { faults: valueFaults } = await stagedFaults(table, matches, shape)
  const values = [...textTypeFaults(table, matches, typed), ...valueFaults]
  const mask = quoteMask(name)
  const check: TableCheck = {
    table: name,
    found,
    required,
    files: group?.files.map(maskCardNumbersIn) ?? [],
    unreadable: [],
    fits: place.faults.length === 0 && accepted,
    rows,
    faultyRows: setAside,
    faults: [
      ...place.faults,
      ...(encoding === null ? [] : [`the text is not UTF-8: it was read as ${encoding}`]),
      ...(hasEscapes ? [ESCAPES] : []),
      ...(malformed === 0 ? [] : [malformedLines(read, mask)]),
    ],
    matched: matches.filter((match) => match.found).map(({ column }) => column.column),
    missing: isNameless ? [] : missingColumns(table, matches, { namesByFile }, folderColumns),
    warnings: await textWarnings(table, matches, typed, database),
    ignored: ignored
      .filter((each) => !columns.some(({ column }) => column === columnName(each)))
      .map((each) => shortened(mask(each))),
    values: values.map(({ name: _, ...fault }) => fault),
  }
  if (!check.fits && sample === null && encoding === null && !hasEscapes && !isNameless) await readAgain()
  return { table, check, sample, encoding, hasEscapes, matches, values }
}

function malformedLines({ malformed, firstMalformed }: ReadRows, mask: (text: string) => string): string {
  const first = firstMalformed ?? 'a line is not a JSON object of plain values'
  return `${malformed === 1 ? '1 line is' : `${malformed} lines are`} malformed (${mask(first)})`
}

const ESCAPES = 'the backslashes seem to be escapes, as databases write them: they were read so'
const NO_HEADER = 'none of the names in its first line is that of a column: the header may be missing'

const viewName = ({ name }: IngestedTable): string => `${MAPPING_FILE} (view ${name})`

/** @returns null without a source, and the reason when it cannot be read */
async function readSample(
  table: IngestedTable,
  { found, group }: Place,
  { root, database, stated: { encodings, dialects }, signal }: Look,
): Promise<Sample | string | null> {
  try {
    if (found === 'view') return await sampleView(table, database)
    return group === null
      ? null
      : await sampleFiles(table, group, {
          root,
          database,
          stated: {
            encoding: encodingOf(encodings, table.name),
            dialect: dialectOf(dialects, table.name),
          },
        })
  } catch (cause) {
    signal?.throwIfAborted()
    refuseMachineFault(cause, database)
    const [file = ''] = group?.files ?? [viewName(table)]
    return (found === 'view' ? viewUnreadable : fileUnreadable)(table.name, file, cause).message
  }
}

/** A refresh needs each required column in every file. */
function missingColumns(
  table: IngestedTable,
  matches: readonly ColumnMatch[],
  { namesByFile }: Pick<Sample, 'namesByFile'>,
  ofFolders: ReadonlySet<string> = new Set(),
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
        .columns.filter(
          ({ column, found }) =>
            !found && !ofFolders.has(column.column) && lacking.some((each) => each.column === column),
        )
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
