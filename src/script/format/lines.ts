/** Prints items on separate lines: statements, variants, arms, and the comments before, between and after them. */
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
  /** Whether there is a line before the next one: false at the start of the script. */
  followsLine: boolean
  /** Whether the line before is the one that opens this block. */
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

/** Adds the comments between the last item and the word that ends the block. */
export const addClosingComments = (lines: Lines): void => addComments(lines, commentsAhead(lines))

/**
 * The same, if the next word begins another branch. From the first comment that is indented no further than that word, the
 * comments belong to the branch; they are returned as lines of its depth.
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

/** Empty lines between two lines become one; those after the opening line are dropped. */
function addLine(lines: Lines, offset: number, print: () => Doc): void {
  const { source, docs } = lines
  if (lines.followsLine) docs.push(hardLine)
  if (!lines.followsHead && followsEmptyLine(source, offset)) docs.push(hardLine)
  lines.followsLine = true
  lines.followsHead = false
  docs.push(print())
}
