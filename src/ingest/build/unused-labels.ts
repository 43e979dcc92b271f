/**
 * Finds the labels that no record of their client shows although the data has their field in another spelling: in other letter
 * case, with other blanks or in another Unicode form. A label without any is not warned of: values may be captured under it
 * tomorrow, and a warning that never ends hides the others.
 */
import { clientNumberPatterns } from '../../kernel/client-number.ts'
import { fold } from '../../kernel/text.ts'
import { standardBookingColumns } from '../../schema/extract-tables.ts'
import type { RefreshWarning } from '../../snapshot/manifest.ts'
import { maskCardNumbersIn } from '../card-numbers.ts'
import { counted } from '../problems.ts'
import { shortened } from '../rules/field-rules.ts'
import { list, outgoing } from '../sql-text.ts'
import { stagedTable } from '../staging.ts'
import type { WorkDatabase } from '../work-database.ts'
import type { Client } from './custom-labels.ts'

/** Each has a line; the others are counted. */
const MOST_SHOWN = 20

/** A client without bookings has no records that could show a label. */
export async function unusedLabels(
  clients: readonly Client[],
  database: WorkDatabase,
): Promise<readonly RefreshWarning[]> {
  if (clients.every(({ labels }) => labels.labels.length === 0)) return []
  const filled = await filledColumns(database)
  const captured = await capturedFields(database)
  const unused = clients.flatMap(({ clientNumber, labels: { labels, columns, byField } }) => {
    const own = filled.get(clientNumber)
    if (own === undefined) return []
    return [...byField].flatMap(([field, places]) =>
      captured.has(pair(clientNumber, field))
        ? []
        : places
            .filter((at) => !own.has(columns[at] ?? ''))
            .map((at) => ({ clientNumber, label: labels[at] as string, field, column: columns[at], own })),
    )
  })
  if (unused.length === 0) return []
  const spellings = await nearSpellings(database)
  const found = unused.flatMap((label) => {
    const near = nearest(label, spellings)
    return near === null ? [] : [{ ...label, near }]
  })
  const left = found.length - MOST_SHOWN
  return [
    ...found.slice(0, MOST_SHOWN).map(warningOf),
    ...(left > 0
      ? [{ kind: LABEL_UNUSED, message: `${counted(left, 'more label')} of clients are in no record` }]
      : []),
  ]
}

const LABEL_UNUSED = 'label-unused'

type Unused = {
  readonly clientNumber: string
  readonly label: string
  readonly field: string
  /** The column of bookings that the field names, if any. */
  readonly column: string | undefined
  /** The columns that have values in bookings of the client. */
  readonly own: ReadonlySet<string>
}

function warningOf({
  clientNumber,
  label,
  field,
  column,
  near,
}: Unused & { readonly near: string }): RefreshWarning {
  const where =
    column === undefined
      ? `its field '${shown(field)}' is no column of bookings, and no value was captured under it`
      : `column '${column}' has no value in its bookings`
  return {
    kind: LABEL_UNUSED,
    message: `Label '${shown(label)}' of client ${shown(clientNumber)} is in no record: ${where}; the nearest is ${near}`,
  }
}

const shown = (text: string): string => shortened(maskCardNumbersIn(text))

const pair = (...texts: readonly string[]): string => texts.join('\0')

/** White space alone is what an export writes for a field that was left blank. Most values begin with a visible character. */
const isFilled = (sql: string): string =>
  `(${sql} IS NOT NULL AND CASE WHEN ${sql} >= '!' AND ${sql} < chr(127) THEN true
     ELSE NOT regexp_full_match(${sql}, '(\\s|${clientNumberPatterns.blank.replace('*', '')}|\\x{85}|\\x{0B})*') END)`

const standardColumns = standardBookingColumns.map(({ column }) => column)

/** For each client with bookings, the columns that have values in some. */
async function filledColumns(database: WorkDatabase): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const rows = await database.rows(
    `SELECT ${outgoing('client_number')}, ${list(standardColumns.map((column) => `bool_or(${isFilled(column)})`))}
     FROM ${stagedTable('bookings')} WHERE fault IS NULL GROUP BY client_number`,
  )
  return new Map(
    rows.map(([client, ...filled]) => [
      String(client),
      new Set(standardColumns.filter((_, at) => filled[at] === true)),
    ]),
  )
}

const labelsWithValues = (on: string): string =>
  `FROM ${stagedTable('custom_field_labels')} AS l JOIN ${stagedTable('booking_custom_data')} AS c
     ON c.client_number = l.client_number AND ${on}
   WHERE l.fault IS NULL AND c.fault IS NULL AND ${isFilled('c.value')}`

/** Clients with the fields of their labels under which values were captured. */
async function capturedFields(database: WorkDatabase): Promise<ReadonlySet<string>> {
  const rows = await database.rows(
    `SELECT DISTINCT ${outgoing('l.client_number')}, ${outgoing('l.field')} ${labelsWithValues('c.field = l.field')}`,
  )
  return new Set(rows.map(([client, field]) => pair(String(client), String(field))))
}

type Spelling = { readonly field: string; readonly values: number }

/** For fields of labels, the most frequent other spelling under which values were captured. */
async function nearSpellings(database: WorkDatabase): Promise<ReadonlyMap<string, Spelling>> {
  const key = (sql: string) => `regexp_replace(lower(nfc_normalize(${sql})), '[\\p{Z}\\s_-]+', '', 'g')`
  const rows = await database.rows(
    `SELECT ${['client', 'field', 'near'].map(outgoing).join(', ')}, n FROM (
       SELECT l.client_number AS client, l.field AS field, mode(c.field) AS near, count(*) AS n
       ${labelsWithValues(`c.field <> l.field AND ${key('c.field')} = ${key('l.field')}`)} GROUP BY ALL)`,
  )
  return new Map(
    rows.map(([client, field, near, values]) => [
      pair(String(client), String(field)),
      { field: String(near), values: Number(values) },
    ]),
  )
}

/** As the database makes it. */
const keyOf = (text: string): string => fold(text.normalize('NFC')).replace(/[\p{Z}\s_-]+/gu, '')

function nearest(
  { clientNumber, field, column, own }: Unused,
  spellings: ReadonlyMap<string, Spelling>,
): string | null {
  const near = spellings.get(pair(clientNumber, field))
  if (near !== undefined) {
    return `'${shown(near.field)}'${difference(field, near.field)}, with ${counted(near.values, 'value')}`
  }
  const meant =
    column === undefined ? standardColumns.find((each) => keyOf(each) === keyOf(field)) : undefined
  if (meant === undefined) return null
  return `column '${meant}'${own.has(meant) ? '' : ', which has no value either'}`
}

/** What eyes do not see. */
function difference(one: string, other: string): string {
  if (one.normalize('NFC') === other.normalize('NFC')) return ' in another Unicode form'
  const withoutBlanks = (text: string) => text.normalize('NFC').replace(/[\p{Z}\s]+/gu, '')
  return withoutBlanks(one) === withoutBlanks(other) ? ' with other blanks' : ''
}
