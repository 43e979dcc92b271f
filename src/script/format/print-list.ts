/** Prints items between brackets: on one line if they fit, else one per line, with the comments among them. */
import type { Expression } from '../syntax/ast.ts'
import { type Doc, group, hardLine, indent, line, softLine } from './doc.ts'
import {
  breakHere,
  commentsBefore,
  nextToken,
  passClosed,
  passOpened,
  printedComment,
  type Source,
  take,
  waiting,
} from './source.ts'

export type ListStyle = {
  readonly open: string
  readonly close: string
  /** Whether items that begin on a new line after the opening bracket stay there, even if one line is enough. */
  readonly asWritten: boolean
}

export const inParentheses: ListStyle = { open: '(', close: ')', asWritten: false }
export const inBrackets: ListStyle = { open: '[', close: ']', asWritten: true }
export const inBraces: ListStyle = { open: '{', close: '}', asWritten: true }

/** Items that are whole expressions. */
export const printExpressions = (
  source: Source,
  style: ListStyle,
  items: readonly Expression[],
  print: (source: Source, item: Expression) => Doc,
): Doc =>
  printList(
    source,
    style,
    items,
    (item) => print(source, item),
    (item) => item.span.start,
  )

/** `startOf` for items that can stand in parentheses. */
export function printList<T>(
  source: Source,
  { open, close, asWritten }: ListStyle,
  items: readonly T[],
  printItem: (item: T) => Doc,
  startOf?: (item: T) => number,
): Doc {
  const opening = take(source, open)
  if (items.length === 0) return [opening, take(source, close)]
  const inside: Doc[] = []
  let broken = asWritten && nextToken(source).firstOnLine
  for (const item of items) {
    const commentsTaken = source.comment
    const isFirst = inside.length === 0
    if (!isFirst) inside.push(take(source, ','))
    if (startOf !== undefined) passOpened(source, startOf(item))
    inside.push(breakHere(source, isFirst ? softLine : line))
    if (source.comment > commentsTaken) broken = true
    inside.push(printItem(item))
  }
  if (close !== ')') passClosed(source)
  const last = commentsBefore(source)
  for (const comment of last)
    inside.push(comment.firstOnLine ? [hardLine, printedComment(comment)] : waiting(comment))
  return group([opening, indent(inside), softLine, take(source, close)], broken || last.length > 0)
}
