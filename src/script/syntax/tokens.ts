/** The output of the lexer: tokens, and comments for the formatter. */
import type { Span } from '../../kernel/span.ts'
import type { ScriptProblem } from '../script-problem.ts'
import { typeNames } from './ast.ts'

export type Token = WordToken | SymbolToken | NumberToken | StringToken | EndToken | InvalidToken

/** `total`, `if`. Keywords are names in some places, so both are words. */
type WordToken = TokenBasis & { readonly kind: 'identifier' | 'keyword' }

/** `=>` */
type SymbolToken = TokenBasis & { readonly kind: 'symbol' }

/** `007`, `5.`, `0xFF` */
type NumberToken = TokenBasis & { readonly kind: 'number'; readonly value: number }

/** `"a\n"`; the value has the escapes replaced. */
type StringToken = TokenBasis & { readonly kind: 'string'; readonly value: string }

type EndToken = TokenBasis & { readonly kind: 'end' }

/** Text that is not a token. It is the last token, because nothing is read beyond it. */
type InvalidToken = TokenBasis & { readonly kind: 'invalid'; readonly problem: ScriptProblem }

type TokenBasis = {
  /** The token as written. */
  readonly text: string
  readonly span: Span
  /** Whether a line end comes directly before this token, also true for the first token of the text. */
  readonly firstOnLine: boolean
}

/** From `#` up to the line end, which is not included. */
export type Comment = { readonly text: string; readonly span: Span; readonly firstOnLine: boolean }

/** Reserved everywhere except as the name of a property, a key, an argument or a variant in a match expression. */
export const keywords: ReadonlySet<string> = new Set([
  ...[
    'var',
    'if',
    'then',
    'elseif',
    'else',
    'end',
    'switch',
    'do',
    'case',
    'default',
    'while',
    'for',
    'foreach',
  ],
  ...['in', 'to', 'downto', 'by', 'return', 'fail', 'exit', 'break', 'continue', 'func', 'union', 'match'],
  ...['delete', 'and', 'or', 'not', 'is', 'true', 'false', ...typeNames],
])

/** Words that are numbers where an operand is expected, in any letter case; elsewhere they are names. */
export const numberWords: ReadonlyMap<string, number> = new Map([
  ['inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
  ['nan', Number.NaN],
])

export const symbolsOfTwo: ReadonlySet<string> = new Set([
  ...['==', '!=', '<=', '>=', '??', '=>', '++', '--'],
  ...['+=', '-=', '*=', '/=', '%='],
])

export const symbolsOfOne: ReadonlySet<string> = new Set('+-*/%<>?:=.,()[]{}')

/** A soft keyword of the service dialect: it counts only where a branch can begin and `then` follows its condition. */
export const ELIF = 'elif'
