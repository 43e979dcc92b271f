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
  /**
   * In its line of the file, so that the database names that line. Made when it is asked for: together, those of many lines
   * would be far longer than the file.
   */
  readonly sql: () => string
  /** What it makes, such as `view bookings`; undefined for a statement that makes nothing. */
  readonly makes: string | undefined
  /** Its words, names, texts and signs, as they are written. */
  readonly texts: () => readonly string[]
}

const CREATION = /^create (?:or replace )?(?:temp(?:orary)? )?(view|table|macro|function) (?:if not exists )?/
const QUERY = /^(?:select|from|with|values|table|pivot|unpivot|describe|summarize|show|\() ?/
const VARIABLE = /^set variable /

/**
 * Functions that turn logs, profiles or another parser on, empty or save something, follow addresses in memory, show the folders
 * of the service, or run a text as SQL or as a name, which nobody has looked at. All run as part of a query.
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
  'duckdb_profiling_settings',
  'duckdb_settings',
  'enable_logging',
  'enable_peg_parser',
  'enable_profiling',
  'force_checkpoint',
  'histogram',
  'histogram_values',
  'json_execute_serialized_sql',
  'query',
  'query_table',
  'seq_scan',
  'truncate_duckdb_logs',
  'write_log',
])

/** The views of the database that call one of them. */
const REFUSED_VIEWS: ReadonlySet<string> = new Set(['pg_settings'])

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
  let line = 1
  let counted = 0
  return statementsOf(text, refuseAt).map((statement) => {
    const [from, to] = [statement[0]?.start ?? 0, statement.at(-1)?.end ?? 0]
    const words = statement.slice(0, 12).map((token) => token.text.toLowerCase())
    const head = words.join(' ')
    const [creation = '', kind] = CREATION.exec(head) ?? []
    if (kind === undefined && !QUERY.test(head) && !VARIABLE.test(head)) {
      throw refuseAt(from, `'${shownStart(statement)}' is not allowed`)
    }
    const refused = statement.find((_, at) => isRefused(statement, at))
    if (refused !== undefined) {
      const what = REFUSED_VIEWS.has(relationOf(refused.text)) ? 'view' : 'function'
      throw refuseAt(refused.start, `the ${what} ${refused.text} is not allowed`)
    }
    line += lineAt(text.slice(counted, from), from) - 1
    counted = from
    const lines = line - 1
    const sql = () => '\n'.repeat(lines) + text.slice(from, to)
    const texts = () => statement.map((token) => token.text)
    if (kind === undefined) return { sql, makes: undefined, texts }
    const made = nameIn(statement.slice(creation.split(' ').length - 1))
    const fault = faultOfName(made, kind, macros)
    if (fault !== undefined) throw refuseAt(from, fault)
    return { sql, makes: `${kind} ${made.map((token) => token.text.toLowerCase()).join('')}`, texts }
  })
}

/** @param at the place of a token that may name what is refused */
function isRefused(statement: Statement, at: number): boolean {
  const text = statement[at]?.text ?? ''
  if (REFUSED_VIEWS.has(relationOf(text))) return true
  return statement[at + 1]?.text === '(' && (isEscaped(text) || REFUSED_FUNCTIONS.has(nameOf(text)))
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

const nameOf = (text: string): string => text.replace(/^"(.*)"$/s, '$1').toLowerCase()

/** A relation may be named by a text of any form, too: `FROM E'pg\x5fsettings'`. */
const relationOf = (text: string): string =>
  nameOf(
    text
      .replace(/^[eE]'(.*)'$/s, (_, escaped: string) => escaped.replace(ESCAPE, unescaped))
      .replace(/^'(.*)'$/s, '$1')
      .replace(/^(\$[^$]*\$)(.*)\1$/s, '$2'),
  )

const ESCAPE = /\\(?:x([0-9a-f]{1,2})|u([0-9a-f]{4})|([0-7]{1,3})|([\s\S]))/gi

const unescaped = (_: string, hex?: string, unicode?: string, octal?: string, plain = ''): string =>
  plain || String.fromCharCode(Number.parseInt(octal ?? hex ?? unicode ?? '', octal === undefined ? 16 : 8))

/** A name such as `U&"enable\005flogging"`, which stands for another one. */
const isEscaped = (text: string): boolean => text.startsWith('"') && text.includes('\\')
