/** What the lexer makes of a script: tokens, and comments kept aside for those who print. */
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

/** `"a\n"`; the value is what it denotes. */
type StringToken = TokenBasis & { readonly kind: 'string'; readonly value: string }

type EndToken = TokenBasis & { readonly kind: 'end' }

/** Text that is no token: the last one, since nothing is read beyond it. */
type InvalidToken = TokenBasis & { readonly kind: 'invalid'; readonly problem: ScriptProblem }

type TokenBasis = {
  /** As it was written. */
  readonly text: string
  readonly span: Span
  /** Whether a line end stands between the token before and this one; so for the first token of the text too. */
  readonly firstOnLine: boolean
}

/** From `#` up to the line end, which does not belong to it. */
export type Comment = { readonly text: string; readonly span: Span; readonly firstOnLine: boolean }

/** Reserved everywhere but where a name of a property, a key, an argument or a variant in a match expression stands. */
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

/** Soft: a keyword of the service dialect only where a branch can begin and `then` follows its condition. */
export const ELIF = 'elif'
