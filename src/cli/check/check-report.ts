/** The report of `tripfolio ingest --check` as text: a paragraph for each table, then the verdict and the drafted mapping. */
import type { ExtractCheck } from '../../ingest/check/check-extract.ts'
import { shownFiles } from '../../ingest/check/draft-mapping.ts'
import type { MissingColumn, TableCheck } from '../../ingest/check/look-at-table.ts'
import { SAMPLED_ROWS } from '../../ingest/check/sample.ts'
import { counted, firstOf } from '../../ingest/problems.ts'

type Options = {
  /** Whether the drafted mapping is printed. */
  readonly withMapping: boolean
  /** The file that holds it. */
  readonly written: string | null
}

export function reportOf(check: ExtractCheck, { withMapping, written }: Options): string {
  const { fits, kind, source, tables, otherFiles, warnings, mapping } = check
  const verdict = fits
    ? 'The extract fits.'
    : 'The extract does not fit: a refresh would refuse it, and the current snapshot would stay.'
  const draft =
    mapping === null
      ? []
      : withMapping
        ? [
            '',
            `A ${kind === 'warehouse' ? 'mapping' : 'tripfolio.sql'} to start from (--mapping FILE writes it to a file):`,
            '',
            mapping.trimEnd(),
          ]
        : []
  return [
    `Checked ${source}: up to ${SAMPLED_ROWS} rows of each table, each row for itself.`,
    '',
    ...tables.flatMap((table) => tableLines(table, kind === 'warehouse' ? 'table or view' : 'file')),
    ...(fits || otherFiles.length === 0
      ? []
      : ['', 'Other files of the folder:', ...otherFiles.map((found) => `  ${shownFiles(found)}`)]),
    '',
    ...warnings.map((warning) => `Warning: ${warning}.`),
    verdict,
    ...draft,
    ...(written === null ? [] : ['', `Written to ${written}.`]),
    '',
  ].join('\n')
}

/** @param what a table is found in */
function tableLines(table: TableCheck, what: string): readonly string[] {
  const { faults, missing, warnings, ignored, values, rows, faultyRows } = table
  const spelled = missing.filter(({ sameName }) => sameName)
  const optional = missing.filter(({ required, nearest }) => !required && nearest === null)
  const lost = missing.filter((column) => !spelled.includes(column) && !optional.includes(column))
  const lines = [
    placeOf(table, what),
    ...faults,
    ...(spelled.length === 0 ? [] : [`in another spelling: ${spelled.map(renamed).join(', ')}`]),
    ...lost.map(missingText),
    ...(optional.length === 0
      ? []
      : [`optional and not found: ${optional.map(({ column }) => column).join(', ')}`]),
    ...values.flatMap(({ column, rule, rows, examples, cast }) => [
      `${column} does not fit in ${counted(rows, 'row')} (${rule})${quoted(examples)}`,
      ...(cast === null ? [] : [`  cast: ${cast.sql}`, ...cast.notes.map((note) => `  note: ${note}`)]),
      ...(cast?.decide ? ['  the drafted mapping leaves this to you'] : []),
    ]),
    ...(faultyRows === 0 ? [] : [`${faultyRows} of ${counted(rows, 'row')} would be set aside`]),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...(ignored.length === 0 ? [] : [`ignored: ${firstOf(ignored)}`]),
  ]
  return [
    `${table.table}: ${table.fits ? 'fits' : 'does not fit'}`,
    ...lines.map((line) => `  ${line.replaceAll('\n', '\n  ')}`),
  ]
}

function placeOf(
  { found, files, rows, matched, missing, required, unreadable }: TableCheck,
  what: string,
): string {
  if (found === 'nothing' && unreadable.length > 0) {
    return `only ${unreadable.join(', ')} was found, which cannot be read: expected CSV, TSV, NDJSON, JSON or Parquet`
  }
  if (found === 'nothing')
    return required ? `no ${what} was found` : `no ${what} was found; the table is optional`
  if (files.length === 0) return `no ${what} can be read`
  const [first = ''] = files
  const shown = files.length === 1 ? first : `${first} and ${files.length - 1} more`
  const named = found === 'other files' ? `no ${what} has its name; ${shown} may be meant` : shown
  const columns = matched.length + new Set(missing.map(({ column }) => column)).size
  return `${named}: ${counted(rows, 'row')}, ${matched.length} of ${columns} columns`
}

const renamed = ({ column, nearest }: MissingColumn): string => `${column} ("${nearest}")`

const missingText = ({ column, file, nearest }: MissingColumn): string =>
  nearest === null
    ? `column ${column} is missing in ${file}`
    : `column ${column} is missing in ${file}: the nearest name is "${nearest}"`

const quoted = (examples: readonly string[]): string =>
  examples.length === 0 ? ': there is no value' : `: ${examples.map((text) => `'${text}'`).join(', ')}`
