/**
 * The tokens of a script with a current place, shared by all parts of the parser. Problems are made here, so that each says
 * what was expected, what was found and, if known, what to do.
 */
import type { Span } from '../../kernel/span.ts'
import { placeAt, type ScriptProblem, type ScriptProblemCode } from '../script-problem.ts'
import { adviceFor } from './advice.ts'
import { type Dialect, type Name, type TypeName, typeNames } from './ast.ts'
import { tokenize } from './lexer.ts'
import { shortened } from './literals.ts'
import type { Comment, Token } from './tokens.ts'

export type TokenReader = {
  readonly text: string
  readonly dialect: Dialect
  readonly tokens: readonly Token[]
  readonly comments: readonly Comment[]
  index: number
  /** The next token, not yet consumed. */
  token: Token
  /** Where the last consumed token ended. */
  end: number
  /** How many nested constructs are being read. */
  depth: number
  /** Levels of the tallest tree read since this was last set: see `grow`. */
  height: number
  /** The faults found so far when the parser goes on behind them; null when it stops at the first. */
  readonly faults: SyntaxFault[] | null
}

/** Bounds the use of JavaScript's stack by the parser and by every walk over its tree. */
const MOST_LEVELS = 500

/**
 * Thrown inside the parser only, which returns it as a problem. It is not an Error, because no stack trace is needed. Only
 * `problemOf` counts the line of the open keyword, because faults of failed attempts are dropped.
 */
export class SyntaxFault {
  readonly code: ScriptProblemCode
  readonly message: string
  readonly at: number
  readonly open: Token | null

  constructor(code: ScriptProblemCode, message: string, at: number, open: Token | null = null) {
    this.code = code
    this.message = message
    this.at = at
    this.open = open
  }
}

export function problemOf({ code, message, at, open }: SyntaxFault, text: string): ScriptProblem {
  if (open === null) return { code, message, at }
  const { line } = placeAt(text, open.span.start)
  return { code, message: `${message}; the '${open.text}' of line ${line} is still open`, at }
}

export function openTokenReader(text: string, dialect: Dialect, goesOn = false, start = 0): TokenReader {
  const { tokens, comments } = tokenize(text, goesOn, start)
  const token = tokens[0]!
  const faults = goesOn ? [] : null
  return { text, dialect, tokens, comments, index: 0, token, end: 0, depth: 0, height: 0, faults }
}

/** Consumes and returns the next token. Never called at the end or at an invalid token, which no rule accepts. */
export function advance(reader: TokenReader): Token {
  const consumed = reader.token
  reader.end = consumed.span.end
  reader.token = reader.tokens[++reader.index]!
  return consumed
}

/** The token `distance` places after the next one; the next one if there is none. */
export const peek = (reader: TokenReader, distance = 1): Token =>
  reader.tokens[reader.index + distance] ?? reader.token

export const atSymbol = ({ token }: TokenReader, symbol: string): boolean =>
  token.kind === 'symbol' && token.text === symbol

export const atKeyword = ({ token }: TokenReader, keyword: string): boolean =>
  token.kind === 'keyword' && token.text === keyword

export const isWord = ({ kind }: Token): boolean => kind === 'identifier' || kind === 'keyword'

export function takeSymbol(reader: TokenReader, symbol: string): boolean {
  const found = atSymbol(reader, symbol)
  if (found) advance(reader)
  return found
}

export function takeKeyword(reader: TokenReader, keyword: string): boolean {
  const found = atKeyword(reader, keyword)
  if (found) advance(reader)
  return found
}

/** `expected` completes the message `Expected …, found …`. */
export function expectSymbol(reader: TokenReader, symbol: string, expected: string): Token {
  if (!atSymbol(reader, symbol)) throw unexpected(reader, expected)
  return advance(reader)
}

export function expectKeyword(reader: TokenReader, keyword: string, expected: string): Token {
  if (!atKeyword(reader, keyword)) throw unexpected(reader, expected)
  return advance(reader)
}

/** Characters that must not touch the `=` of an assignment, an initialiser or a default value (language reference, 2.5). */
const apartFromEquals: ReadonlySet<string> = new Set('+-*/%=!<>?:.')

/** Consumes the `=` that is the next token. Accepts `= -1`, `=[1]`; refuses `=-1`. */
export function advanceEquals(reader: TokenReader): void {
  const { start } = advance(reader).span
  const touching = reader.text[reader.end] ?? ''
  if (!apartFromEquals.has(touching)) return
  if (reader.token.kind === 'invalid') throw unexpected(reader, 'an expression')
  throw fault(`'=' must not be followed directly by '${touching}': put a space after it`, start)
}

/** A name that is not a keyword. */
export function expectIdentifier(reader: TokenReader, expected: string): Name {
  const { token } = reader
  if (token.kind === 'keyword') {
    throw unexpected(reader, expected, `'${token.text}' is a keyword: choose another name`)
  }
  if (token.kind !== 'identifier') throw unexpected(reader, expected)
  advance(reader)
  return { text: token.text, span: token.span }
}

/** A name, keywords included. */
export function expectName(reader: TokenReader, expected: string): Name {
  const { token } = reader
  if (!isWord(token)) throw unexpected(reader, expected)
  advance(reader)
  return { text: token.text, span: token.span }
}

const typesByName: ReadonlyMap<string, TypeName> = new Map(typeNames.map((name) => [name, name]))

export function expectType(reader: TokenReader, where: string): TypeName {
  const { token } = reader
  const type = token.kind === 'keyword' ? typesByName.get(token.text) : undefined
  if (type === undefined) throw unexpected(reader, `a type ${where}`, `the types are ${typeNames.join(', ')}`)
  advance(reader)
  return type
}

/** From a start to the end of the last consumed token. */
export const spanFrom = (reader: TokenReader, start: number): Span => ({ start, end: reader.end })

/** Goes one construct deeper; the caller decreases `depth` when the construct is read. */
export function descend(reader: TokenReader): void {
  if (++reader.depth > MOST_LEVELS) throw nestedTooDeeply(reader)
}

/** The tree that `height` measures became the child of a new node. */
export function grow(reader: TokenReader): void {
  if (++reader.height > MOST_LEVELS) throw nestedTooDeeply(reader)
}

const nestedTooDeeply = (reader: TokenReader) =>
  fault(`This is nested too deeply: at most ${MOST_LEVELS} levels are possible`, reader.token.span.start)

export const fault = (message: string, at: number, code: ScriptProblemCode = 'JM2000') =>
  new SyntaxFault(code, message, at)

/** The problem that the next token is not what was expected; `open` is the keyword that has no `end` yet. */
export function unexpected(
  reader: TokenReader,
  expected: string,
  advice?: string,
  open: Token | null = null,
): SyntaxFault {
  const { token } = reader
  if (token.kind === 'invalid') return fault(token.problem.message, token.problem.at ?? token.span.start)
  const known = adviceFor(reader.tokens, reader.index, reader.dialect) ?? advice
  const message = `Expected ${expected}, found ${describe(token)}`
  return new SyntaxFault(
    'JM2000',
    known === undefined ? message : `${message}; ${known}`,
    token.span.start,
    open,
  )
}

function describe(token: Token): string {
  switch (token.kind) {
    case 'end':
      return 'the end of the script'
    case 'number':
      return `the number ${shortened(token.text)}`
    case 'string':
      return `the string ${shortened(token.text)}`
    case 'identifier':
    case 'keyword':
    case 'symbol':
    case 'invalid':
      return `'${shortened(token.text)}'`
  }
}
