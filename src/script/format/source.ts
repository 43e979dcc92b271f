/**
 * The tokens and comments of a script in text order, given out to the printers, which print them in that same order. So no
 * token can be lost or invented, and comments come out where they stood: those that no printer asked for wait for the end of
 * the line. Only parentheses differ between source and print: what the printers do not ask for is passed over.
 */
import { isLineEnd, isWhiteSpace } from '../syntax/characters.ts'
import { tokenize } from '../syntax/lexer.ts'
import type { Comment, Token } from '../syntax/tokens.ts'
import { type Doc, hardLine, suffix } from './doc.ts'

export type Source = {
  readonly text: string
  readonly tokens: readonly Token[]
  readonly comments: readonly Comment[]
  /** Of the next token. */
  index: number
  /** Of the next comment. */
  comment: number
}

export const openSource = (text: string): Source => ({ text, ...tokenize(text), index: 0, comment: 0 })

export const nextToken = ({ tokens, index }: Source): Token => tokens[index]!

/** The next token, which has to be this one but for parentheses before it. Comments before it wait for the line end. */
export function take(source: Source, text: string): Doc {
  while (nextToken(source).text !== text) {
    if (!isParenthesis(nextToken(source))) throw new Error(`The tree does not follow the text at '${text}'`)
    source.index++
  }
  return [commentsBefore(source).map(waiting), advance(source)]
}

/** The next token that is no parenthesis: a literal, a name. */
export function takeAny(source: Source): Doc {
  passParentheses(source)
  return [commentsBefore(source).map(waiting), advance(source)]
}

/** Passes over a parenthesis before what begins at the offset, if the source has one there. */
export function enterParentheses(source: Source, start: number): boolean {
  const { text, span } = nextToken(source)
  const found = text === '(' && span.start < start
  if (found) source.index++
  return found
}

/** Passes over the parentheses around what begins at the offset, which needs none. */
export function passOpened(source: Source, start: number): void {
  while (enterParentheses(source, start));
}

/** Passes over all parentheses: those of a variant without fields, those around what comes next. */
export function passParentheses(source: Source): void {
  while (isParenthesis(nextToken(source))) source.index++
}

/** Passes over closing parentheses where none belongs to what is printed next. */
export function passClosed(source: Source): void {
  while (nextToken(source).text === ')') source.index++
}

function advance(source: Source): string {
  const token = nextToken(source)
  source.index++
  return token.kind === 'string' ? quoted(token.text) : token.text
}

/** Double quotes, unless one stands in the string. Escapes are the same in both kinds; line ends become those of the print. */
function quoted(written: string): string {
  const content = written.slice(1, -1).replaceAll(/\r\n?/g, '\n')
  return content.replaceAll(/\\./gs, '').includes('"') ? `'${content}'` : `"${content}"`
}

const isParenthesis = ({ kind, text }: Token): boolean => kind === 'symbol' && (text === '(' || text === ')')

/** Takes the comments before the next token. Only the first of them can stand on the line of the token before. */
export function commentsBefore(source: Source): readonly Comment[] {
  const from = source.comment
  const { start } = nextToken(source).span
  while ((source.comments[source.comment]?.span.start ?? start) < start) source.comment++
  return from === source.comment ? none : source.comments.slice(from, source.comment)
}

const none: readonly Comment[] = []

export const waiting = (comment: Comment): Doc => suffix(printedComment(comment))

export const printedComment = ({ text }: Comment): string => text.trimEnd()

/** A place for a break with the comments that stand there: at the end of the line before, or each on a line of its own. */
export function breakHere(source: Source, place: Doc): Doc {
  passClosed(source)
  const comments = commentsBefore(source)
  if (comments.length === 0) return place
  const firstOwn = comments.findIndex(({ firstOnLine }) => firstOnLine)
  const trailing = firstOwn === -1 ? comments : comments.slice(0, firstOwn)
  const own = comments.slice(trailing.length)
  return [trailing.map(waiting), place, own.map((comment) => [printedComment(comment), hardLine])]
}

/** Whether an empty line stands before what begins here. */
export function followsEmptyLine({ text }: Source, offset: number): boolean {
  let lines = 0
  for (let at = offset - 1; at >= 0 && isWhiteSpace(text.charCodeAt(at)); at--) {
    if (!isLineEnd(text.charCodeAt(at))) continue
    if (text[at] === '\n' && text[at - 1] === '\r') at--
    if (++lines === 2) return true
  }
  return false
}

/** Of what stands first on its line. */
export function columnOf({ text }: Source, offset: number): number {
  let at = offset
  while (at > 0 && !isLineEnd(text.charCodeAt(at - 1))) at--
  return offset - at
}
