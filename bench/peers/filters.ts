/**
 * Translates the filters of the workloads to SQL, each by hand, as one would for a known set of queries. The same text works
 * on SQLite and PostgreSQL; $1 is always the client. Refuses a filter or an order that no workload uses.
 */
export type Condition = { readonly sql: string; readonly parameters: readonly string[] }

/** A literal between its quotes. */
const TEXT = "'((?:[^']|'')*)'"

/** `'?'` in a pattern matches any literal, whose value becomes the next parameter. */
const form = (filter: string): RegExp =>
  new RegExp(`^${filter.replaceAll(/[()[\]]/g, '\\$&').replaceAll("'?'", TEXT)}$`)

const forms: readonly (readonly [form: RegExp, sql: string, parameter?: (text: string) => string])[] = [
  [
    form("bookingDate ge '?' and isTicketed eq true and modifiedAt ne '?'"),
    'b.booking_date >= $2 and b.is_ticketed and b.modified_at <> $3',
  ],
  [form("modifiedAt ne '?'"), 'b.modified_at <> $2'],
  [
    form("originatingAgency eq '?' and bookingDate ge '?' and bookingDate le '?'"),
    'b.agency_folded = $2 and b.booking_date >= $3 and b.booking_date <= $4',
  ],
  [
    form("customDataFields['?'] eq '?' and bookingDate ge '?' and bookingDate le '?'"),
    `b.id in (select c.booking_id from custom_fields c
              where c.client_number = $1 and c.label_folded = $2 and c.value_folded = $3)
     and b.booking_date >= $4 and b.booking_date <= $5`,
  ],
  [form("contains(recordLocator, '?')"), 'b.locator_folded like $2', (text) => `%${text}%`],
  [
    form("any(segments, vendor eq '?' and code ge '?')"),
    `b.id in (select s.booking_id from segments s
              where s.client_number = $1 and s.vendor_folded = $2 and s.code_folded >= $3)`,
  ],
]

export function conditionOf(filter: string | undefined): Condition {
  if (filter === undefined) return { sql: '', parameters: [] }
  for (const [pattern, sql, parameter = (text: string) => text] of forms) {
    const texts = pattern.exec(filter)?.slice(1)
    if (texts === undefined) continue
    const parameters = texts.map((text) => parameter(fold(text.replaceAll("''", "'"))))
    return { sql: ` and ${sql}`, parameters }
  }
  throw new Error(`Expected a filter of a workload, found ${filter}`)
}

/** Folds texts, which are compared folded. Dates and moments stay as they are: both databases need their T. */
const fold = (text: string): string => (/^\d{4}-\d{2}-\d{2}T/.test(text) ? text : text.toLowerCase())

const orders: Readonly<Record<string, string>> = {
  '': 'b.booking_date, b.record_locator',
  'originatingAgency desc, tripStartLocal':
    'b.originating_agency desc, b.trip_start, b.booking_date, b.record_locator',
}

export function orderOf(orderBy: string | undefined): string {
  const order = orders[orderBy ?? '']
  if (order === undefined) throw new Error(`Expected an order of a workload, found ${orderBy}`)
  return order
}
