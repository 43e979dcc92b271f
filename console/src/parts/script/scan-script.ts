/**
 * Reads a script as editors need it: its tokens, the blocks that can be folded, and the names that it declares. Works on tokens
 * only, because most scripts that somebody types cannot be parsed at the moment.
 */
import type { Span } from '../../../../src/kernel/span.ts'
import { tokenize } from '../../../../src/script/syntax/lexer.ts'
import { openers } from '../../../../src/script/syntax/recovery.ts'
import type { Comment, Token } from '../../../../src/script/syntax/tokens.ts'

type DeclaredName = {
  readonly name: string
  readonly kind: 'variable' | 'function' | 'variant'
  /** Of a function: its parameters as written. */
  readonly parameters?: string
}

export type ScannedScript = {
  readonly text: string
  readonly tokens: readonly Token[]
  readonly comments: readonly Comment[]
  /** From the token that opens a block or a bracket up to the one that closes it, by their starts; outer ones first. */
  readonly blocks: readonly Span[]
  readonly names: readonly DeclaredName[]
  /** Members of `Data` that the script mentions. */
  readonly members: ReadonlySet<string>
}

export function scanScript(text: string): ScannedScript {
  const { tokens, comments } = tokenize(text, true)
  return {
    text,
    tokens,
    comments,
    blocks: blocksOf(tokens),
    names: namesOf(text, tokens),
    members: membersOf(tokens),
  }
}

/** A keyword after a point or before a colon is a name. */
const isWord = (tokens: readonly Token[], index: number): boolean =>
  tokens[index]?.kind === 'keyword' && tokens[index - 1]?.text !== '.' && tokens[index + 1]?.text !== ':'

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

function blocksOf(tokens: readonly Token[]): readonly Span[] {
  const blocks: Span[] = []
  const open: { readonly closer: string; readonly start: number }[] = []
  for (const [index, { kind, text, span }] of tokens.entries()) {
    const isSymbol = kind === 'symbol'
    if (!isSymbol && !isWord(tokens, index)) continue
    if (isSymbol && closing[text] !== undefined) open.push({ closer: closing[text], start: span.start })
    else if (!isSymbol && openers.has(text)) open.push({ closer: 'end', start: span.start })
    else {
      const at = open.findLastIndex(({ closer }) => closer === text)
      if (at < 0) continue
      const [block] = open.splice(at)
      if (block !== undefined) blocks.push({ start: block.start, end: span.start })
    }
  }
  return blocks.sort((a, b) => a.start - b.start)
}

function namesOf(text: string, tokens: readonly Token[]): readonly DeclaredName[] {
  const names = new Map<string, DeclaredName>()
  const declare = (token: Token | undefined, kind: DeclaredName['kind'], parameters?: string) => {
    if (token?.kind !== 'identifier') return
    names.set(token.text, { name: token.text, kind, ...(parameters !== undefined && { parameters }) })
  }
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1]
    if (token.text === '=>') declareParameters(tokens, index - 1, declare)
    if (!isWord(tokens, index)) continue
    if (token.text === 'var' || token.text === 'for' || token.text === 'foreach') declare(next, 'variable')
    else if (token.text === 'func') declareFunction(text, tokens, index + 1, declare)
    else if (token.text === 'union') declareVariants(tokens, index + 2, declare)
  }
  return [...names.values()]
}

type Declare = (token: Token | undefined, kind: DeclaredName['kind'], parameters?: string) => void

/** Of a lambda: one name, or several in parentheses that end here. */
function declareParameters(tokens: readonly Token[], last: number, declare: Declare): void {
  if (tokens[last]?.text !== ')') {
    declare(tokens[last], 'variable')
    return
  }
  for (let index = last - 1; index >= 0 && tokens[index]?.text !== '('; index--) {
    declare(tokens[index], 'variable')
  }
}

function declareFunction(text: string, tokens: readonly Token[], at: number, declare: Declare): void {
  const open = tokens[at + 1]
  if (open?.text !== '(') return
  let close = at + 2
  while (close < tokens.length && tokens[close]?.text !== ')') {
    const before = tokens[close - 1]?.text
    if (before === '(' || before === ',') declare(tokens[close], 'variable')
    close++
  }
  declare(tokens[at], 'function', text.slice(open.span.end, tokens[close]?.span.start))
}

function declareVariants(tokens: readonly Token[], from: number, declare: Declare): void {
  let depth = 0
  for (let index = from; index < tokens.length && tokens[index]?.text !== 'end'; index++) {
    const token = tokens[index]
    if (token?.text === '(') depth++
    else if (token?.text === ')') depth--
    else if (depth === 0) declare(token, 'variant')
  }
}

function membersOf(tokens: readonly Token[]): ReadonlySet<string> {
  const members = new Set<string>()
  for (const [index, { text }] of tokens.entries()) {
    const name = tokens[index + 2]
    const isMember = text === 'Data' && tokens[index + 1]?.text === '.' && tokens[index - 1]?.text !== '.'
    if (isMember && (name?.kind === 'identifier' || name?.kind === 'keyword')) members.add(name.text)
  }
  return members
}

/** The index of the first token that ends behind the offset. */
export function tokenIndexAt(tokens: readonly Token[], offset: number): number {
  let low = 0
  let high = tokens.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((tokens[middle]?.span.end ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  return low
}

/** The function whose name or arguments are at the offset. */
export function calledAt(tokens: readonly Token[], offset: number): string | undefined {
  const at = tokenIndexAt(tokens, offset - 1)
  if (tokens[at + 1]?.text === '(' && (tokens[at]?.span.start ?? offset) < offset) return tokens[at]?.text
  let depth = 0
  for (let index = tokenIndexAt(tokens, offset) - 1; index > 0; index--) {
    const { text } = tokens[index] as Token
    if (/^[)\]}]$/.test(text)) depth++
    else if (/^[([{]$/.test(text) && depth-- === 0) {
      if (text === '(' && tokens[index - 1]?.kind === 'identifier') return tokens[index - 1]?.text
      depth = 0
    }
  }
  return undefined
}
