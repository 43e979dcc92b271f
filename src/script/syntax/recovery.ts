/**
 * Finds where to go on behind a faulty statement, so that one check reports the faults of other statements too. The words that
 * begin statements and end blocks are the places to go on at; the blocks that were begun meanwhile stay open. Faults that
 * probably follow from an earlier one are dropped.
 */
import type { SyntaxFault, TokenReader } from './token-reader.ts'
import type { Token } from './tokens.ts'

/** The parser gives up after so many: an author repairs them first. */
const MOST_FAULTS = 50

/** Words with a block that needs an `end`. */
export const openers: ReadonlySet<string> = new Set([
  ...['func', 'union', 'if', 'while', 'for', 'foreach', 'switch', 'match'],
])

/** Words that only begin a statement. */
const markers: ReadonlySet<string> = new Set([
  ...['func', 'union', 'var', 'if', 'while', 'for', 'foreach', 'switch'],
  ...['return', 'exit', 'fail', 'break', 'continue', 'delete'],
])

/** Words of the head of a block. When a statement begins with one, the head before it was not read as one. */
const headEnds: ReadonlySet<string> = new Set(['then', 'do'])

/**
 * Keeps the fault, and moves on to the next place where a statement may begin.
 *
 * @param start index of the first token of the statement
 * @returns how many blocks were begun between and have not ended
 */
export function skipFault(reader: TokenReader, fault: SyntaxFault, start: number): number {
  const { tokens } = reader
  const faults = reader.faults ?? []
  const failed = indexAt(tokens, fault.at, Math.max(start, reader.index))
  if (faults.length === 0 || !followsFromOthers(tokens[failed]!, failed === start)) faults.push(fault)
  let inUnion = false
  let open = 0
  let brackets = 0
  let index = start
  for (; index < tokens.length - 1; index++) {
    const token = tokens[index]!
    const isName = index > start && isNameAt(tokens, index, failed)
    const isBehind = index > start && index >= failed
    if (isBehind && !isName && mayBegin(token, { brackets, open, inUnion })) break
    if (token.kind === 'symbol') brackets += bracketSteps.get(token.text) ?? 0
    if (token.kind !== 'keyword' || isName) continue
    if (openers.has(token.text) || (index === start && opensAtStart(token))) open++
    else if (token.text === 'end' && open > 0) open--
    inUnion = token.text === 'union' || (inUnion && token.text !== 'end')
  }
  moveTo(reader, faults.length < MOST_FAULTS ? index : tokens.length - 1)
  return open
}

/** A branch or an arm of a block whose beginning is behind: its statements follow its head. */
export function skipBranchHead(reader: TokenReader): void {
  const { tokens } = reader
  let index = reader.index
  const hasHead = tokens[index]!.text !== 'else'
  for (index++; hasHead && index < tokens.length - 1; index++) {
    const { kind, text, firstOnLine } = tokens[index]!
    if (firstOnLine || (kind === 'keyword' && markers.has(text))) break
    if (kind !== 'keyword' || text !== 'then') continue
    index++
    break
  }
  moveTo(reader, index)
}

function moveTo(reader: TokenReader, index: number): void {
  reader.index = index
  reader.token = reader.tokens[index]!
  reader.end = reader.tokens[index - 1]?.span.end ?? 0
}

/** The place of a fault may be before the next token: the statement then began before that. */
function indexAt(tokens: readonly Token[], at: number, from: number): number {
  let index = from
  while (index > 0 && tokens[index - 1]!.span.start >= at) index--
  return index
}

/**
 * Blocks that end too early or too late are often the work of an earlier fault, and so is a symbol or a
 * keyword that begins none of the statements: the rest of an expression.
 */
const followsFromOthers = ({ kind, text }: Token, beginsStatement: boolean): boolean =>
  kind === 'end' ||
  (beginsStatement && (kind === 'symbol' || kind === 'keyword')) ||
  (kind === 'keyword' && (closers.has(text) || headEnds.has(text)))

const closers: ReadonlySet<string> = new Set(['end', 'else', 'elseif', 'case', 'default'])

/** `else` and others that belong to nothing before them still need their `end`. */
const opensAtStart = ({ text }: Token): boolean => headEnds.has(text) || (closers.has(text) && text !== 'end')

type Skipped = { readonly brackets: number; readonly open: number; readonly inUnion: boolean }

/** Whether to go on at a token that is no name. In brackets that are not closed, only a statement on a new line counts. */
function mayBegin({ kind, text, firstOnLine }: Token, { brackets, open, inUnion }: Skipped): boolean {
  const isOutside = brackets <= 0
  if (kind === 'identifier') return firstOnLine && isOutside && !inUnion
  if (kind !== 'keyword') return false
  // Variants look like calls, so the rest of a union is skipped.
  if (inUnion) return text === 'end'
  if (closers.has(text)) return isOutside || (firstOnLine && open === 0)
  return firstOnLine && (markers.has(text) || (text === 'match' && isOutside))
}

/** Keywords may name properties, keys and arguments. A dot that is the fault itself makes no name. */
const isNameAt = (tokens: readonly Token[], index: number, failed: number): boolean =>
  (index - 1 !== failed && tokens[index - 1]?.text === '.') || tokens[index + 1]?.text === ':'

const bracketSteps: ReadonlyMap<string, number> = new Map([
  ['(', 1],
  ['[', 1],
  ['{', 1],
  [')', -1],
  [']', -1],
  ['}', -1],
])
