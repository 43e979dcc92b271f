/**
 * Finds the client of each invoice line and payment. They may name their client; where they do not, the company and number
 * of their invoice must belong to one client only. A number that several clients share is served only when each of its lines
 * and payments names its client: otherwise their client is unknown, and all rows of the number are set aside for all clients.
 * An invoice that could not be read may have any of the numbers in its line.
 */
import type { TableName } from '../../schema/extract-tables.ts'
import { CATALOG, list } from '../sql-text.ts'
import { MALFORMED, SCHEMA, stagedTable, unreadInvoices } from '../staging.ts'
import type { WorkDatabase } from '../work-database.ts'

/** The mark of an invoice, a line or a payment whose client is unknown. */
export const CLIENT_AMBIGUOUS = 'client.ambiguous'

/** A reject names at most this many of the clients that share a number. */
const MOST_NAMED = 10

const children = ['invoice_lines', 'payments'] as const

const key = 'company, invoice_number'
const sameKey = (a: string, b: string): string =>
  `${a}.company = ${b}.company AND ${a}.invoice_number = ${b}.invoice_number`

const unread = `${CATALOG}.${SCHEMA}.unread_numbers`
const owners = `${CATALOG}.${SCHEMA}.invoice_owners`
const shared = `${CATALOG}.${SCHEMA}.shared_invoices`
const ambiguous = `${CATALOG}.${SCHEMA}.ambiguous_invoices`

/** The client of an invoice, as text; empty where it cannot be read, which no client number is. */
const owner = `coalesce(client_number, '')`

/** The characters at which a malformed line of CSV or JSON is split. */
const PUNCTUATION = `'[",;|{}:\\[\\]\\t]'`

/**
 * Collects every text that may be the number of an invoice whose number or company cannot be read: such a row may have its
 * values in the wrong columns. Blanks around a number are ignored.
 */
const findUnread = `CREATE TABLE ${unread} AS
  SELECT DISTINCT trim(part) AS part, client FROM (
    SELECT unnest(regexp_split_to_array(line, ${PUNCTUATION})) AS part, '' AS client FROM (
      SELECT line FROM ${unreadInvoices}
      UNION ALL SELECT raw[1] FROM ${stagedTable('invoices')} WHERE fault = '${MALFORMED}')
    UNION ALL SELECT unnest(raw), ${owner} FROM ${stagedTable('invoices')}
    WHERE fault <> '${MALFORMED}' AND (company IS NULL OR invoice_number IS NULL))
  WHERE trim(part) <> ''`

/** SQL of whether any line or payment lacks its client; if none does, grouping all invoices is needless. */
export const someWithoutClient: string = children
  .map((table) => `(SELECT count(*) FROM ${stagedTable(table)} WHERE client_number IS NULL) > 0`)
  .join(' OR ')

/** Rows that are set aside count, too: a line may belong to an invoice with a wrong date. */
const findOwners = `CREATE TABLE ${owners} AS
  SELECT ${key}, min(owner) AS owner, min(owner) <> max(owner) AS several FROM (
    SELECT ${key}, ${owner} AS owner FROM ${stagedTable('invoices')}
    UNION ALL SELECT ${key}, unread.client FROM ${stagedTable('invoices')} JOIN ${unread} AS unread
      ON trim(invoice_number) = unread.part)
  WHERE company IS NOT NULL AND invoice_number IS NOT NULL GROUP BY ${key}`

/** A line that names another client shows that this client has an invoice of the number, too, even if it is not here. */
const findShared = `CREATE TABLE ${shared} AS SELECT ${key} FROM ${owners} WHERE several
  ${children
    .map(
      (
        table,
      ) => `UNION SELECT ${list(['child.company', 'child.invoice_number'])} FROM ${stagedTable(table)} AS child
        JOIN ${owners} AS owned ON ${sameKey('owned', 'child')} WHERE child.client_number <> owned.owner`,
    )
    .join(' ')}`

/** A table in which no row names a client makes every shared number ambiguous, even a number that it has no row of. */
const namesNoClient = (table: (typeof children)[number]): string =>
  `(SELECT count(*) > 0 AND count(client_number) = 0 FROM ${stagedTable(table)})`

const hasRowWithoutClient = (table: (typeof children)[number]): string =>
  `EXISTS (SELECT 1 FROM ${stagedTable(table)} AS child WHERE child.client_number IS NULL AND ${sameKey('child', 'shared')})`

const claims = ['invoices' as const, ...children]
  .map(
    (table) => `SELECT ${key}, ${table === 'invoices' ? owner : 'client_number'} AS client
      FROM ${stagedTable(table)} WHERE (${key}) IN (SELECT ${key} FROM ${shared})`,
  )
  .concat(
    `SELECT ${key}, unread.client FROM ${shared} JOIN ${unread} AS unread ON trim(invoice_number) = unread.part`,
  )
  .join(' UNION ')

const findAmbiguous = `CREATE TABLE ${ambiguous} AS
  SELECT ${key}, list_sort(list(client))[:${MOST_NAMED}] AS clients FROM (${claims}) AS claim
  WHERE client IS NOT NULL
    AND EXISTS (SELECT 1 FROM ${shared} AS shared WHERE ${sameKey('shared', 'claim')}
      AND (${children.flatMap((table) => [namesNoClient(table), hasRowWithoutClient(table)]).join(' OR ')}))
  GROUP BY ${key}`

/** Sets only the mark: a statement that changed `raw`, which is a list, would give the rows other places. */
const setAside = (table: 'invoices' | (typeof children)[number]): string =>
  `UPDATE ${stagedTable(table)} AS found SET fault = '${CLIENT_AMBIGUOUS}'
   FROM ${ambiguous} AS open WHERE found.fault IS NULL AND ${sameKey('found', 'open')}`

/** SQL of the list of clients that share the number of the row `found`; an unreadable client is an empty text. */
export const clientsSharing = (table: TableName): string =>
  table === 'invoices' || children.some((child) => child === table)
    ? `(SELECT clients FROM ${ambiguous} AS open WHERE ${sameKey('found', 'open')})`
    : 'NULL'

/** After this every line and payment names its client, unless no client has its invoice. */
const nameOwner = (table: (typeof children)[number]): string =>
  `UPDATE ${stagedTable(table)} AS child SET client_number = owned.owner FROM ${owners} AS owned
   WHERE child.fault IS NULL AND child.client_number IS NULL AND owned.owner <> '' AND ${sameKey('owned', 'child')}`

/** What explains rejects looks into this table, also when no number is ambiguous. */
const noneAmbiguous = `CREATE TABLE ${ambiguous} (company VARCHAR, invoice_number VARCHAR, clients VARCHAR[])`

/**
 * Call before the rules that look for an invoice by its client. Statements that can find nothing are left out: to plan one costs
 * more than to run it on a small extract, and to run it takes time on a large one.
 *
 * @param needed whether any line or payment lacks its client
 */
export async function nameOwners(database: WorkDatabase, needed: boolean): Promise<void> {
  if (!needed) {
    await database.run(noneAmbiguous)
    return
  }
  const countShared = `SELECT count(*) FROM ${shared}`
  const [[found] = []] = await database.rows([findUnread, findOwners, findShared, countShared].join(';\n'))
  const marks = ['invoices' as const, ...children].map(setAside)
  const ambiguities = Number(found) === 0 ? [noneAmbiguous] : [findAmbiguous, ...marks]
  await database.run([...ambiguities, ...children.map(nameOwner)].join(';\n'))
}
