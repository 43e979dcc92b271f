/**
 * Reads the mapping of a warehouse: for each table a view in the SQL of PostgreSQL. The views are not created; a refresh runs
 * their queries. The same file run by psql would create them.
 *
 *     mapping   = { statement ";" }
 *     statement = CREATE [OR REPLACE] [TEMP | TEMPORARY] VIEW table AS query
 *
 * Accepted: CREATE VIEW clients AS SELECT debtor_no AS client_number, name FROM debtors;
 * Refused:  SET work_mem = '1GB';   CREATE VIEW debtors AS SELECT ...;   a quote or a comment that is not closed
 */
import { readFile } from 'node:fs/promises'
import { closest } from '../../kernel/closest.ts'
import type { TableName } from '../../schema/extract-tables.ts'
import { ingestedTables } from '../tables.ts'
import { mappingUnreadable, mappingUnusable } from './problems.ts'

export type MappedView = {
  readonly table: TableName
  readonly query: string
  /** The line in the file in which the query begins, from 1. */
  readonly line: number
}

/** @throws Problem ING151 */
export async function readMapping(path: string): Promise<readonly MappedView[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw mappingUnreadable(path, cause)
  })
  return parseMapping(text.replace(/^\uFEFF/, ''), path)
}

/** @throws Problem ING151 */
export function parseMapping(text: string, path: string): readonly MappedView[] {
  const lineOf = (at: number): number => text.slice(0, at).split('\n').length
  const refuse = (at: number, reason: string) => mappingUnusable(path, lineOf(at), reason)
  const views: MappedView[] = []
  for (const statement of statementsOf(tokensOf(text, refuse))) {
    const start = statement[0]?.start ?? 0
    const words = statement.map(({ text }) => text.toLowerCase())
    const head = /^create (or replace )?(temp(orary)? )?view \S+ as /.exec(words.slice(0, 8).join(' '))
    if (head === null) throw refuse(start, `'${shownStart(statement)}' is no CREATE VIEW ... AS SELECT ...`)
    const count = head[0].trim().split(' ').length
    const name = words[count - 2]?.replace(/^"(.*)"$/, '$1') ?? ''
    const table = ingestedTables.find((known) => known.name === name)?.name
    if (table === undefined) throw refuse(start, notATable(name))
    if (views.some((view) => view.table === table)) throw refuse(start, `view '${table}' occurs twice`)
    const query = statement.slice(count)
    const [from, to] = [query[0]?.start ?? 0, query.at(-1)?.end ?? 0]
    views.push({ table, query: text.slice(from, to), line: lineOf(from) })
  }
  if (views.length === 0) throw refuse(text.length, 'it has no view')
  return views
}

function notATable(name: string): string {
  const names = ingestedTables.map((table) => table.name)
  const near = closest(name, names)
  return `no table is called '${name}'${near === undefined ? `; the tables are ${names.join(', ')}` : `. Is '${near}' meant?`}`
}

const shownStart = (statement: readonly Token[]): string =>
  statement
    .slice(0, 4)
    .map(({ text }) => text)
    .join(' ')

type Token = { readonly text: string; readonly start: number; readonly end: number }

function statementsOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const statements: Token[][] = [[]]
  for (const token of tokens) {
    if (token.text === ';') statements.push([])
    else statements.at(-1)?.push(token)
  }
  return statements.filter((statement) => statement.length > 0)
}

/** Whatever may hold a semicolon that ends no statement comes before words and single characters. */
const TOKEN =
  /\s+|--[^\n]*|[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([\p{L}_][\p{L}\p{N}_]*)?\$[\s\S]*?\$\1\$|[\p{L}_][\p{L}\p{N}_$]*|[\s\S]/uy

function tokensOf(text: string, refuse: (at: number, reason: string) => Error): readonly Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < text.length; ) {
    if (text.startsWith('/*', at)) {
      at = endOfComment(text, at) ?? fail(refuse(at, 'the comment that begins here is not closed'))
      continue
    }
    TOKEN.lastIndex = at
    const [found = ''] = TOKEN.exec(text) ?? []
    if (found === "'" || found === '"') throw refuse(at, `the quote ${found} that begins here is not closed`)
    if (!/^(?:\s|--)/.test(found)) tokens.push({ text: found, start: at, end: at + found.length })
    at += found.length
  }
  return tokens
}

function fail(problem: Error): never {
  throw problem
}

/** Comments of this form may be nested. @returns null when it is not closed */
function endOfComment(text: string, from: number): number | null {
  let depth = 0
  for (const { 0: mark, index } of text.slice(from).matchAll(/\/\*|\*\//g)) {
    depth += mark === '/*' ? 1 : -1
    if (depth === 0) return from + index + 2
  }
  return null
}
