/** Things that stand on lines of their own: statements, variants, arms, and the comments before, between and after them. */
import type { Comment } from '../syntax/tokens.ts'
import { type Doc, hardLine } from './doc.ts'
import {
  columnOf,
  commentsBefore,
  followsEmptyLine,
  nextToken,
  passClosed,
  printedComment,
  type Source,
  waiting,
} from './source.ts'

export type Lines = {
  readonly source: Source
  readonly docs: Doc[]
  /** Whether a line stands before the next one: not at the start of the script. */
  followsLine: boolean
  /** Whether that is the line that opens these. */
  followsHead: boolean
}

export const openLines = (source: Source): Lines => ({
  source,
  docs: [],
  followsLine: true,
  followsHead: true,
})

export const openScript = (source: Source): Lines => ({
  source,
  docs: [],
  followsLine: false,
  followsHead: true,
})

export function addLines<T>(lines: Lines, items: readonly T[], printItem: (item: T) => Doc): void {
  for (const item of items) {
    addComments(lines, commentsAhead(lines))
    addLine(lines, nextToken(lines.source).span.start, () => printItem(item))
  }
}

/** Comments that nothing follows up to the word that ends the lines. */
export const addClosingComments = (lines: Lines): void => addComments(lines, commentsAhead(lines))

/**
 * The same, where the next word begins another branch: comments that are not further in than that word belong to the
 * branch; they are answered as lines for its depth.
 */
export function addCommentsBeforeBranch(lines: Lines): Doc {
  const { source } = lines
  const comments = commentsAhead(lines)
  const column = columnOf(source, nextToken(source).span.start)
  const isOfBranch = ({ firstOnLine, span }: Comment) => firstOnLine && columnOf(source, span.start) <= column
  const first = comments.findIndex(isOfBranch)
  if (first === -1) {
    addComments(lines, comments)
    return []
  }
  addComments(lines, comments.slice(0, first))
  const branch: Lines = { source, docs: [], followsLine: true, followsHead: lines.followsHead }
  addComments(branch, comments.slice(first))
  return branch.docs
}

function commentsAhead({ source }: Lines): readonly Comment[] {
  passClosed(source)
  return commentsBefore(source)
}

function addComments(lines: Lines, comments: readonly Comment[]): void {
  for (const comment of comments) {
    if (comment.firstOnLine) addLine(lines, comment.span.start, () => printedComment(comment))
    else lines.docs.push(waiting(comment))
  }
}

/** Empty lines between two lines are kept as one; those after the head are not. */
function addLine(lines: Lines, offset: number, print: () => Doc): void {
  const { source, docs } = lines
  if (lines.followsLine) docs.push(hardLine)
  if (!lines.followsHead && followsEmptyLine(source, offset)) docs.push(hardLine)
  lines.followsLine = true
  lines.followsHead = false
  docs.push(print())
}
