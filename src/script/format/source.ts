/**
 * Gives the tokens and comments of a script in text order to the printers, which print them in that order. So no token is lost
 * or invented, and comments keep their place: those that no printer takes wait for the end of the line. Only parentheses
 * differ between source and output: those that no printer takes are skipped.
 */
import { isLineEnd, isWhiteSpace } from '../syntax/characters.ts'
import { tokenize } from '../syntax/lexer.ts'
import type { Comment, Token } from '../syntax/tokens.ts'
import { type Doc, hardLine, suffix } from './doc.ts'

export type Source = {
  readonly text: string
  readonly tokens: readonly Token[]
  readonly comments: readonly Comment[]
  /** Index of the next token. */
  index: number
  /** Index of the next comment. */
  comment: number
}

export const openSource = (text: string): Source => ({ text, ...tokenize(text), index: 0, comment: 0 })

export const nextToken = ({ tokens, index }: Source): Token => tokens[index]!

/** Takes the next token, which must be this one after any parentheses. Comments before it wait for the line end. */
export function take(source: Source, text: string): Doc {
  while (nextToken(source).text !== text) {
    if (!isParenthesis(nextToken(source))) throw new Error(`The tree does not follow the text at '${text}'`)
    source.index++
  }
  return [commentsBefore(source).map(waiting), advance(source)]
}

/** Takes the next token that is not a parenthesis: a literal, a name. */
export function takeAny(source: Source): Doc {
  passParentheses(source)
  return [commentsBefore(source).map(waiting), advance(source)]
}

/** Skips one parenthesis before the expression at the offset, if the source has one. */
export function enterParentheses(source: Source, start: number): boolean {
  const { text, span } = nextToken(source)
  const found = text === '(' && span.start < start
  if (found) source.index++
  return found
}

/** Skips the opening parentheses of the expression at the offset, which needs none. */
export function passOpened(source: Source, start: number): void {
  while (enterParentheses(source, start));
}

/** Skips all parentheses: those of a variant without fields, those around the next item. */
export function passParentheses(source: Source): void {
  while (isParenthesis(nextToken(source))) source.index++
}

/** Skips closing parentheses that do not belong to what is printed next. */
export function passClosed(source: Source): void {
  while (nextToken(source).text === ')') source.index++
}

function advance(source: Source): string {
  const token = nextToken(source)
  source.index++
  return token.kind === 'string' ? quoted(token.text) : token.text
}

/** Uses double quotes unless the string contains one. Escapes are the same in both kinds; line ends become LF. */
function quoted(written: string): string {
  const content = written.slice(1, -1).replaceAll(/\r\n?/g, '\n')
  return content.replaceAll(/\\./gs, '').includes('"') ? `'${content}'` : `"${content}"`
}

const isParenthesis = ({ kind, text }: Token): boolean => kind === 'symbol' && (text === '(' || text === ')')

/** Takes the comments before the next token. Only the first of them can be on the line of the token before. */
export function commentsBefore(source: Source): readonly Comment[] {
  const from = source.comment
  const { start } = nextToken(source).span
  while ((source.comments[source.comment]?.span.start ?? start) < start) source.comment++
  return from === source.comment ? none : source.comments.slice(from, source.comment)
}

const none: readonly Comment[] = []

export const waiting = (comment: Comment): Doc => suffix(printedComment(comment))

export const printedComment = ({ text }: Comment): string => text.trimEnd()

/** A possible break with its comments: at the end of the line before, or each on its own line. */
export function breakHere(source: Source, place: Doc): Doc {
  passClosed(source)
  const comments = commentsBefore(source)
  if (comments.length === 0) return place
  const firstOwn = comments.findIndex(({ firstOnLine }) => firstOnLine)
  const trailing = firstOwn === -1 ? comments : comments.slice(0, firstOwn)
  const own = comments.slice(trailing.length)
  return [trailing.map(waiting), place, own.map((comment) => [printedComment(comment), hardLine])]
}

/** Whether there is an empty line before the offset. */
export function followsEmptyLine({ text }: Source, offset: number): boolean {
  let lines = 0
  for (let at = offset - 1; at >= 0 && isWhiteSpace(text.charCodeAt(at)); at--) {
    if (!isLineEnd(text.charCodeAt(at))) continue
    if (text[at] === '\n' && text[at - 1] === '\r') at--
    if (++lines === 2) return true
  }
  return false
}

/** The column of an offset whose token or comment is the first on its line. */
export function columnOf({ text }: Source, offset: number): number {
  let at = offset
  while (at > 0 && !isLineEnd(text.charCodeAt(at - 1))) at--
  return offset - at
}
