/**
 * What a `tripfolio.sql` may do: it comes with the extract, so it may shape what the extract holds, and nothing else. The lock
 * of the work database keeps it from reading and writing elsewhere; here everything is refused that could write into the
 * folder itself, or change how the refresh compares, orders and masks what it reads. All of the text is checked before any of it
 * runs.
 *
 *     mapping   = { statement ";" }
 *     statement = SET VARIABLE ... | CREATE [OR REPLACE] [TEMP] (VIEW | TABLE | MACRO) ... | query
 *
 * Accepted: CREATE MACRO day(x) AS ...;   CREATE VIEW clients AS SELECT * FROM 'debtors.csv';   SET VARIABLE encoding = 'utf-16';
 * Refused:  COPY ... TO ...;   SET threads = 1;   INSERT INTO ...;   SELECT * FROM enable_logging(...);
 */
import { SCHEMA } from '../staging.ts'
import { lineAt, type Statement, shownStart, statementsOf } from './statements.ts'

export type PermittedStatement = {
  /** In its line of the file, so that the database names that line. */
  readonly sql: string
  /** What it makes, such as `view bookings`; undefined for a statement that makes nothing. */
  readonly makes: string | undefined
}

const CREATION = /^create (?:or replace )?(?:temp(?:orary)? )?(view|table|macro|function) (?:if not exists )?/
const QUERY = /^(?:select|from|with|values|table|pivot|unpivot|describe|summarize|show|\() ?/
const VARIABLE = /^set variable /

/**
 * Functions that turn logs, profiles or another parser on, empty or save something, follow addresses in memory, show the folders
 * of the service, or run a text as SQL, which nobody has looked at. All but the last one run as part of a query.
 */
const REFUSED_FUNCTIONS: ReadonlySet<string> = new Set([
  'arrow_scan',
  'arrow_scan_dumb',
  'check_peg_parser',
  'checkpoint',
  'current_setting',
  'disable_logging',
  'disable_peg_parser',
  'disable_profiling',
  'duckdb_settings',
  'enable_logging',
  'enable_peg_parser',
  'enable_profiling',
  'force_checkpoint',
  'json_execute_serialized_sql',
  'query',
  'seq_scan',
  'truncate_duckdb_logs',
  'write_log',
])

/** What the rules of a refresh compare, order, cut and count with. Others, such as `day`, may be names of macros. */
const FUNCTIONS_OF_RULES: ReadonlySet<string> = new Set(
  `abs approx_count_distinct chr contains count date_diff date_trunc enum_code enum_range epoch_us greatest length list list_sort
   list_transform list_value lower ltrim max min nullif regexp_extract regexp_full_match regexp_matches regexp_replace
   regexp_split_to_array repeat replace row_number rtrim starts_with strftime struct_pack sum trim trunc unnest`.split(
    /\s+/,
  ),
)

/**
 * @param macros the names of the macros of the refresh, in lower case
 * @param refuse makes the error for a line, from 1
 */
export function permittedStatements(
  text: string,
  macros: ReadonlySet<string>,
  refuse: (line: number, reason: string) => Error,
): readonly PermittedStatement[] {
  const refuseAt = (at: number, reason: string) => refuse(lineAt(text, at), reason)
  return statementsOf(text, refuseAt).map((statement) => {
    const [from, to] = [statement[0]?.start ?? 0, statement.at(-1)?.end ?? 0]
    const words = statement.map((token) => token.text.toLowerCase())
    const head = words.slice(0, 12).join(' ')
    const [creation = '', kind] = CREATION.exec(head) ?? []
    if (kind === undefined && !QUERY.test(head) && !VARIABLE.test(head)) {
      throw refuseAt(from, `'${shownStart(statement)}' is not allowed`)
    }
    const called = refusedCall(statement)
    if (called !== undefined) throw refuseAt(called.start, `the function ${called.text} is not allowed`)
    const sql = '\n'.repeat(lineAt(text, from) - 1) + text.slice(from, to)
    if (kind === undefined) return { sql, makes: undefined }
    const made = nameIn(statement.slice(creation.split(' ').length - 1))
    const fault = faultOfName(made, kind, macros)
    if (fault !== undefined) throw refuseAt(from, fault)
    return { sql, makes: `${kind} ${made.map((token) => token.text.toLowerCase()).join('')}` }
  })
}

/** What stands before the columns, the parameters or the query. */
function nameIn(rest: Statement): Statement {
  const end = rest.findIndex(({ text }) => text === '(' || text.toLowerCase() === 'as')
  return end < 0 ? rest : rest.slice(0, end)
}

/**
 * A macro would hide the function of its name from the rules of a refresh; and the tables of a refresh are in a schema of their
 * own, where a column might be made one that compares text without regard to case.
 */
function faultOfName(made: Statement, kind: string, macros: ReadonlySet<string>): string | undefined {
  const parts = made.filter(({ text }) => text !== '.').map(({ text }) => nameOf(text))
  const [name = ''] = parts.slice(-1)
  if (made.some(({ text }) => isEscaped(text))) return 'a name with escapes is not allowed'
  if (parts.slice(0, -1).includes(SCHEMA)) return `nothing may be made in the schema ${SCHEMA}`
  const isFunction = kind === 'macro' || kind === 'function'
  if (!isFunction || !(macros.has(name) || FUNCTIONS_OF_RULES.has(name))) return undefined
  return `a refresh uses the function ${name} itself: give the macro another name`
}

const refusedCall = (statement: Statement) =>
  statement.find(
    ({ text }, at) =>
      statement[at + 1]?.text === '(' && (isEscaped(text) || REFUSED_FUNCTIONS.has(nameOf(text))),
  )

const nameOf = (text: string): string => text.replace(/^"(.*)"$/s, '$1').toLowerCase()

/** A name such as `U&"enable\005flogging"`, which stands for another one. */
const isEscaped = (text: string): boolean => text.startsWith('"') && text.includes('\\')
