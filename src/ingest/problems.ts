/**
 * The problems that refuse or end a refresh: ING1xx, grouped as source (10x), content (11x) and running (12x). In every
 * case the current snapshot stays current.
 */
import type { StorageFault } from '../kernel/files/storage-fault.ts'
import { Problem } from '../kernel/problem.ts'
import type { ExtractColumn, ExtractTable } from '../schema/extract-tables.ts'
import { maskCardNumbersIn, maskWidely } from './card-numbers.ts'
import { refusedFor } from './refusal-reasons.ts'
import { shortened } from './rules/field-rules.ts'

export const sourceNotGiven = (): Problem =>
  new Problem('ING100', 'Expected a source to refresh from, found none', {
    hint: 'Name the folder of the extract with --source or TRIPFOLIO_SOURCE.',
  })

/** For `tripfolio refresh`, which takes the source of the service and has no option for it. */
export const noSourceConfigured = (): Problem =>
  new Problem('ING100', 'No service is running, and no source to refresh from is configured', {
    hint: 'Set TRIPFOLIO_SOURCE, or source in tripfolio.json, or run `tripfolio ingest --source FOLDER`. If a service is running, check --data.',
  })

export const serviceHasNoSource = (): Problem =>
  new Problem('ING100', 'The running service has no source to refresh from', {
    hint: 'Start it with --source or TRIPFOLIO_SOURCE, or refresh once with `tripfolio ingest --source FOLDER`.',
  })

export const sourceUnreadable = (folder: string, cause: unknown): Problem =>
  new Problem('ING101', `Source folder '${folder}' cannot be read: ${reasonOf(cause)}`, {
    hint: 'Name the folder that holds the extract, and check that this user may read it.',
    cause,
  })

/** @param unreadable files that have the name of the table, in formats that are not read */
export const tableMissing = (table: string, folder: string, unreadable: readonly string[]): Problem =>
  new Problem(
    'ING102',
    `Table '${table}' is missing: expected ${table}.csv, .tsv, .ndjson, .jsonl, .json or .parquet in '${folder}', found ${unreadable.length === 0 ? 'none' : `only ${firstOf(unreadable)}, which cannot be read`}`,
    {
      hint: `Export the table; a table without rows is a file with a header only. For any other layout, write a tripfolio.sql with CREATE VIEW ${table} AS SELECT ...; \`tripfolio ingest --check\` drafts one.`,
    },
  )

export function columnsMissing(
  table: ExtractTable,
  missing: readonly ExtractColumn[],
  file: string,
): Problem {
  const required = table.columns.filter((column) => column.required)
  const names = missing.map(({ column }) => `'${column}'`)
  const what = names.length === 1 ? `Column ${names[0]}` : `Columns ${names.join(', ')}`
  const header = missing.length === required.length ? 'Is there a first line with the names of columns? ' : ''
  return new Problem(
    'ING103',
    `${what} of table '${table.name}' ${names.length === 1 ? 'is' : 'are'} missing in ${file}`,
    {
      hint: `${header}The table must have the columns ${required.map(({ column }) => column).join(', ')}. \`tripfolio ingest --check\` finds the nearest names.`,
    },
  )
}

/** The file of a table, or a part of it, has no content. */
export class FileEmpty extends Problem {}

export const fileEmpty = (table: string, file: string): FileEmpty =>
  new FileEmpty('ING104', `File ${file} of table '${table}' is empty: it has 0 bytes`, {
    hint: 'Check whether the export failed. A table without rows is a CSV file with a header only, or an NDJSON file with one empty line.',
  })

export const fileUnreadable = (table: string, file: string, cause: unknown): Problem =>
  new Problem(
    'ING105',
    `File ${maskCardNumbersIn(file)} of table '${table}' cannot be read: ${quotedReason(cause)}`,
    {
      hint: isWrongEncoding(cause)
        ? 'Its text does not have the encoding that tripfolio.sql states (SET VARIABLE encoding). Correct the statement, or remove it for files in UTF-8.'
        : 'The file may be damaged, or its export unfinished. Export it again.',
      cause,
    },
  )

/** A compressed file that a mapping may read. */
export const fileDamaged = (file: string, cause: unknown): Problem =>
  new Problem(
    'ING105',
    `File ${maskCardNumbersIn(file)}, which the mapping may read, cannot be decompressed: ${reasonOf(cause)}`,
    {
      hint: 'The file was cut off or damaged, or its export is unfinished. Export it again, or take it out of the folder.',
      cause,
    },
  )

/** Thrown by the decoder of a stated encoding. */
const isWrongEncoding = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ERR_ENCODING_INVALID_ENCODED_DATA'

/** The view of a mapping: its SQL is at fault, or a value that it cannot convert. */
export const viewUnreadable = (table: string, view: string, cause: unknown): Problem =>
  new Problem(
    'ING105',
    `File ${view} of table '${table}' cannot be read: ${sqlReason(cause).replace(OWN_STATEMENT, '')}`,
    { hint: 'Is the file that the view reads complete? If it is, correct the SQL of the view.', cause },
  )

/** Where the database shows the statement that reads a view, which the operator did not write. */
const OWN_STATEMENT = /\n+LINE \d+:.*$/s

export const filesAmbiguous = (table: string, files: readonly string[]): Problem =>
  new Problem(
    'ING106',
    `Table '${table}' has files of more than one kind: ${files.map(maskCardNumbersIn).join(', ')}`,
    {
      hint: `Keep one layout in one format: ${table}.csv alone, parts such as ${table}-1.csv, or parts in a folder ${table}/.`,
    },
  )

/** @param view the view that could not be made; undefined where that is unknown */
export const mappingFailed = (file: string, cause: unknown, view?: string): Problem =>
  new Problem(
    'ING107',
    `The mapping ${file} failed${view === undefined ? '' : ` at ${view}`}: ${sqlReason(cause)}`,
    {
      hint: 'If the message names a file: is it complete? If it is, correct the SQL. DuckDB runs it with file names relative to its folder; it makes one view for each table: CREATE VIEW bookings AS SELECT ...',
      cause,
    },
  )

/** @param line of the mapping, from 1 */
export const mappingRefused = (file: string, line: number, reason: string): Problem =>
  new Problem('ING107', `The mapping ${file} is refused: line ${line}: ${reason}`, {
    hint: 'A mapping shapes what its folder holds: expected only CREATE VIEW, CREATE TABLE, CREATE MACRO, SET VARIABLE and queries. Nothing of it was run.',
  })

/** @param entry its path in the folder */
export const leadsOut = (entry: string, folder: string, why: string): Problem =>
  new Problem(
    'ING143',
    `'${maskCardNumbersIn(entry)}' leads out of the folder '${folder}': ${maskCardNumbersIn(why)}`,
    {
      hint: 'All that the folder of an extract holds must lie in it. Copy the file instead of linking it, or take it away. The folder itself may be a link.',
    },
  )

export const dataInside = (folder: string, dataFolder: string): Problem =>
  new Problem('ING143', `The data folder '${dataFolder}' lies in the folder '${folder}' of the extract`, {
    hint: 'A tripfolio.sql may read all that lies in its folder. Move the extract into a folder of its own.',
  })

export const headerUnusable = (table: string, file: string, reason: string): Problem =>
  new Problem('ING108', `The header of ${file} of table '${table}' cannot be used: ${reason}`, {
    hint: 'Expected one line of column names in UTF-8, each name once. Correct the export.',
  })

export const fileChanged = (table: string, file: string): Problem =>
  new Problem('ING109', `File ${file} of table '${table}' changed while it was read`, {
    hint: 'Refresh again when the export has finished. To avoid this, export under another name and rename at the end.',
  })

export const folderChanged = (folder: string): Problem =>
  new Problem(
    'ING109',
    `Files were added, renamed or removed in '${folder}' while its tripfolio.sql was at work`,
    {
      hint: 'Refresh again when the export has finished. A mapping may read any file of the folder, so export into another one and move the finished files.',
    },
  )

export const noBookings = (before: number): Problem =>
  refusedFor(
    'ING111',
    `The extract has no bookings, and the current snapshot has ${before}`,
    `The export has probably failed. ${acceptOnce}`,
    { table: 'bookings', before, now: 0 },
  )

export const tableShrunk = (table: string, before: number, now: number, allowed: number): Problem =>
  refusedFor(
    'ING113',
    `${lossOf(table, before, now)}, more than the allowed ${percent(allowed)}`,
    `The export has probably been cut off. ${acceptOnce} The limit is the setting maxTableShrink (--max-table-shrink, TRIPFOLIO_MAX_TABLE_SHRINK).`,
    { table, before, now, allowedShare: allowed },
  )

export const clientsEmptied = (
  clients: readonly string[],
  before: number,
  share: number,
  allowed: number,
): Problem =>
  refusedFor(
    'ING114',
    `${clients.length} of the ${before} clients with records have lost all of their bookings or all of their invoices (${percent(share)}, more than the allowed ${percent(allowed)}): ${firstOf(clients)}`,
    `The export has probably left clients out. ${acceptOnce} The limit is the setting maxClientsEmptied (--max-clients-emptied, TRIPFOLIO_MAX_CLIENTS_EMPTIED).`,
    { emptied: clients.length, before, allowedShare: allowed, clients: clients.slice(0, MOST_NAMED) },
  )

export const listUnusable = (path: string, reason: string, cause?: unknown): Problem =>
  new Problem('ING115', `The list of files ${path} cannot be used: ${reason}`, {
    hint: 'Expected {"files": [{"name": "bookings.csv", "bytes": 1234, "sha256": "<64 hexadecimal digits>", "rows": 17}, ...]}. Write it again, or delete it.',
    cause,
  })

export const listedFileDiffers = (file: string, how: string): Problem =>
  new Problem('ING116', `File ${maskCardNumbersIn(file)} does not match extract.json: ${how}`, {
    hint: 'The export is unfinished, or the files come from different exports. Export all files again, and write extract.json last.',
  })

/** For example: Table 'segments' has 4 rows and had 12 in the current snapshot: it lost 66.7 %. */
export const lossOf = (table: string, before: number, now: number): string =>
  `Table '${table}' has ${counted(now, 'row')} and had ${before} in the current snapshot: it lost ${percent((before - now) / before)}`

/** `1 row`, `2 rows`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const acceptOnce =
  'If the loss is intended, accept it for one refresh: `tripfolio refresh --accept-shrink` where a service runs, `tripfolio ingest --accept-shrink` otherwise, or {"acceptShrink": true} in the POST that starts the refresh.'

const MOST_NAMED = 20

/** The first 20 names, and the number of the others. */
export function firstOf(names: readonly string[]): string {
  const left = names.length - MOST_NAMED
  return `${names.slice(0, MOST_NAMED).join(', ')}${left > 0 ? ` and ${left} more` : ''}`
}

/** Rounded down to a tenth, so that 99.99 % never reads as 100 %. */
const percent = (share: number): string => `${Math.floor(share * 1000) / 10} %`

/** @param keys two keys of the parent table that are the same number */
export const keyIsNumber = (
  table: string,
  file: string,
  column: string,
  parent: string,
  keys: readonly string[],
): Problem =>
  new Problem(
    'ING119',
    `Column '${column}' of table '${table}' holds numbers in ${file}, and table '${parent}' holds both '${keys.join("' and '")}'`,
    {
      hint: 'A number has no leading zeros, so the rows could belong to either of them. Export the column as text.',
    },
  )

export const clientIsNumber = (file: string, key: string, rows: number): Problem =>
  new Problem(
    'ING117',
    `Column 'client_number' of table 'clients' holds numbers in ${file}, and ${key} occurs in ${rows} rows: two clients may differ in leading zeros only`,
    {
      hint: 'A number has no leading zeros. Export the column as text. If it is one client, export it once.',
    },
  )

/** @param variable the variable of the mapping that states an encoding */
export const encodingUnknown = (variable: string, reason: string): Problem =>
  new Problem('ING140', `The mapping states '${variable}', but ${reason}`, {
    hint: "Expected SET VARIABLE encoding = 'windows-1252' for all text files, or SET VARIABLE encoding_bookings = 'utf-16' for those of one table.",
  })

export const fileNotAsNamed = (table: string, file: string, found: string, advice: string): Problem =>
  new Problem('ING141', `File ${file} of table '${table}' is not text in UTF-8: it is ${found}`, {
    hint: advice,
  })

export const folderUnusable = (table: string, folder: string, reason: string): Problem =>
  new Problem(
    'ING142',
    `Folder ${maskCardNumbersIn(folder)} of table '${table}' cannot be read as a table: ${maskCardNumbersIn(reason)}`,
    {
      hint: `Export plain files into a folder ${table}/, or into folders such as ${table}/year=2025/. For any other layout, write a tripfolio.sql with CREATE VIEW ${table} AS SELECT ...`,
    },
  )

/** @param holder the id of its process, on another machine with the name of the machine */
export const alreadyRunning = (destination: string, holder: number | string | undefined): Problem =>
  new Problem(
    'ING121',
    `Another refresh of '${destination}' is running${holder === undefined ? '' : ` (process ${holder})`}`,
    { hint: 'Wait until it has finished, then refresh again.' },
  )

export const refreshAborted = (cause: unknown): Problem =>
  new Problem('ING122', 'The refresh was stopped before it published a snapshot', { cause })

export const refreshTooLong = (seconds: number): Problem =>
  new Problem('ING123', `The refresh was ended because it took longer than ${seconds} s`, {
    hint: 'Find out what slowed it down, or raise the setting refreshTimeLimitSeconds.',
  })

export const lockUnusable = (path: string, cause: unknown): Problem =>
  new Problem('ING124', `The lock file '${path}' cannot be used: ${reasonOf(cause)}`, {
    hint: 'Check that no refresh is running and that this user may write in the data folder, then delete the file. It holds no data.',
    cause,
  })

export const mappingExists = (path: string): Problem =>
  new Problem('ING170', `The file ${path} exists already, and was not changed`, {
    hint: 'Name a new file with --mapping, or remove this one.',
  })

export const mappingNotWritten = (path: string, cause: unknown): Problem =>
  new Problem('ING171', `The mapping cannot be written to ${path}: ${reasonOf(cause)}`, {
    hint: 'Name a file in a folder in which this user may write. Without --mapping the mapping is printed.',
    cause,
  })

export const mappingWithoutCheck = (): Problem =>
  new Problem('ING172', 'Expected --check with --mapping, found --mapping alone', {
    hint: 'Only a check drafts a mapping for a folder: tripfolio ingest --check --source FOLDER --mapping FILE',
  })

export const checkStopped = (cause: unknown): Problem =>
  new Problem('ING173', 'The check was stopped before it ended', { cause })

/** The disk is at fault, not the extract. */
export const diskRefuses = (
  dataFolder: string,
  { code, reason, hint }: StorageFault,
  cause: unknown,
): Problem =>
  new Problem('ING130', `Cannot write in the data folder '${dataFolder}': ${reason} (${code})`, {
    hint,
    cause,
  })

/** A defect of this program, found before anything was published. */
export const foreignPart = (clientNumber: string, table: string, found: string): Problem =>
  new Problem(
    'ING128',
    `A record of client '${clientNumber}' contains a row of table '${table}' that belongs to client '${found}'`,
    {
      hint: 'This is a defect of Tripfolio. Nothing was published. Please report it with the layout of the extract.',
    },
  )

/** An unexpected failure: a defect of this program. */
export const refreshFailed = (cause: unknown): Problem =>
  new Problem('ING129', `The refresh failed: ${quotedReason(cause)}`, { cause })

/** The reason may quote the extract, so card numbers in it are masked. */
const quotedReason = (cause: unknown): string => maskCardNumbersIn(reasonOf(cause))

/** The whole message of the database, with the names that it proposes and the place in the operator's own SQL. */
const sqlReason = (cause: unknown): string =>
  shortened(maskWidely(cause instanceof Error ? cause.message : String(cause)).trimEnd(), LONGEST_SQL_REASON)

/** A message may quote a value of any length. */
const LONGEST_SQL_REASON = 4000

/** The service has refreshed for a command. The reason is the text of its own problem, with the hint. */
export const refreshRefusedInService = (reason: string): Problem => new Problem('SRV301', reason)

export const refreshFailedInService = (reason: string): Problem =>
  new Problem('SRV304', `The refresh by the service ended without a result: ${reason}`)

export const serviceTookNoRequest = (): Problem =>
  new Problem('ADM130', 'The running service did not take the request for a refresh', {
    hint: 'Look into its log. If it is starting or stopping, try again.',
  })

export const serviceEnded = (): Problem =>
  new Problem('ADM131', 'The service ended before the refresh was over', {
    hint: 'Start the service, then look with `tripfolio snapshot list` whether the refresh has published.',
  })

/** The first line of the error's message: the database adds the statement below it. */
export const reasonOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).split('\n', 1)[0] as string
