/** The problems of a warehouse as a source: ING15x. Messages never show a password, and mask what may be a card number. */
import { DatabaseError } from 'pg'
import { showSource } from '../../config/extract-source.ts'
import { storageFault } from '../../kernel/files/storage-fault.ts'
import { Problem } from '../../kernel/problem.ts'
import { asDatabaseProblem } from '../../postgres/problems.ts'
import type { ExtractColumn } from '../../schema/extract-tables.ts'
import { maskWidely } from '../card-numbers.ts'
import { reasonOf } from '../problems.ts'
import { shortened } from '../rules/field-rules.ts'
import type { Relation } from './relation.ts'

/** Without the error of the parser as its cause, because that quotes the URL. A file of `sslrootcert` may be missing, too. */
export function warehouseUrlUnusable(cause?: unknown): Problem {
  const isFile = cause instanceof Error && 'path' in cause
  return new Problem(
    'ING150',
    `The source is not a usable URL of a PostgreSQL database${isFile ? `: ${cause.message}` : ''}`,
    {
      hint: 'Expected postgres://user:password@host:5432/database. Percent-encode special characters of the password, or give it as PGPASSWORD.',
    },
  )
}

export const mappingUnreadable = (path: string, cause: unknown): Problem =>
  new Problem('ING151', `The mapping '${path}' cannot be read: ${reasonOf(cause)}`, {
    hint: 'Name the file with the SQL of the warehouse with --mapping or TRIPFOLIO_MAPPING.',
    cause,
  })

export const mappingUnusable = (path: string, line: number, reason: string): Problem =>
  new Problem('ING151', `The mapping '${path}' cannot be used: line ${line}: ${reason}`, {
    hint: 'Expected only statements CREATE VIEW bookings AS SELECT ...; in the SQL of PostgreSQL, one for each table.',
  })

export const relationMissing = (table: string, source: string, schemas: readonly string[]): Problem =>
  new Problem(
    'ING102',
    `Table '${table}' is missing in ${showSource(source)}: expected a table or view '${table}' in the schemas ${schemas.join(', ')}, found none that this user may see`,
    {
      hint: `Name the schema in the URL, as in ?options=-c%20search_path%3Dexport, or write CREATE VIEW ${table} AS SELECT ...; in a mapping and name it with --mapping. \`tripfolio ingest --check\` drafts one.`,
    },
  )

export const viewMissing = (table: string, mapping: string): Problem =>
  new Problem(
    'ING102',
    `Table '${table}' is missing: expected CREATE VIEW ${table} in ${mapping}, found none`,
    {
      hint: `Add CREATE VIEW ${table} AS SELECT ...; to the mapping.`,
    },
  )

export const typeUnreadable = ({ label }: Relation, { column }: ExtractColumn, type: string): Problem =>
  new Problem(
    'ING153',
    `Column '${column}' of ${label} has the type ${type}: expected a type with one text, number, date, time or boolean`,
    {
      hint: "Make it a text in a mapping, for example with array_to_string(x, ', '), x ->> 'name' or convert_from(x, 'UTF8').",
    },
  )

const denied = ({ label }: Relation, source: string, cause: DatabaseError): Problem =>
  new Problem('ING154', `${label} cannot be read in ${showSource(source)}: ${cause.message}`, {
    hint: 'Give the user of the URL the right: GRANT USAGE ON SCHEMA ... and GRANT SELECT ON ... TO ...',
    cause,
  })

const sqlFailed = ({ label }: Relation, reason: string, cause: DatabaseError): Problem =>
  new Problem('ING152', `The SQL of ${label} failed: ${reason}`, {
    hint: 'Correct the SQL of the mapping or of the view in the warehouse, or the value that it cannot convert.',
    cause,
  })

/**
 * Turns what a statement of a relation throws into a problem. Disk faults stay as they are: the refresh says which folder.
 *
 * @param before the length of the text of the statement in front of the relation's query
 */
export function asRelationProblem(
  relation: Relation,
  source: string,
  cause: unknown,
  before: number,
): unknown {
  const problem = asWarehouseProblem(source, cause)
  if (!(cause instanceof DatabaseError)) return problem
  const isAway = problem instanceof Problem && problem.kind === 'unavailable'
  if (isAway && !FAULTS_OF_SQL.has(cause.code ?? '')) return problem
  if (cause.code === INSUFFICIENT_PRIVILEGE) return denied(relation, source, cause)
  return sqlFailed(relation, sqlReason(relation, cause, before), cause)
}

const INSUFFICIENT_PRIVILEGE = '42501'
/** For a pool the server is away then. Here the SQL tries to write, or somebody has cancelled it. */
const FAULTS_OF_SQL: ReadonlySet<string> = new Set(['25006', '57014'])

/** Disk faults and defects of this program stay as they are. */
export function asWarehouseProblem(source: string, cause: unknown): unknown {
  const isDisk = storageFault(cause) !== undefined && (cause as { syscall?: string }).syscall !== 'connect'
  const isDefect = cause instanceof TypeError || cause instanceof RangeError
  return isDisk || isDefect ? cause : asDatabaseProblem(source, cause)
}

/** All that the server says, with the place in the operator's own SQL. */
function sqlReason(relation: Relation, cause: DatabaseError, before: number): string {
  const { message, position, detail, hint, where } = cause
  const at = position === undefined ? null : placeIn(relation, Number(position) - 1 - before)
  const said = [at === null ? message : `${message} (${at})`, detail, hint, where]
  return shortened(maskWidely(said.filter((part) => part !== undefined).join('\n')), LONGEST_REASON)
}

const LONGEST_REASON = 4000

/** @param place in characters, from 0, in the query; outside of it for SQL that the operator did not write */
function placeIn({ query, line }: Relation, place: number): string | null {
  const characters = Array.from(query)
  if (line === null || place < 0 || place > characters.length) return null
  const lines = characters.slice(0, place).join('').split('\n')
  const rest = characters.slice(place).join('')
  return `line ${line + lines.length - 1}, near '${shortened(rest.split('\n', 1)[0] as string)}'`
}
