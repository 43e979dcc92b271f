/**
 * Text with places where a line may break. A group stays on one line if it fits there together with the text up to the next
 * possible break; otherwise each place directly in it becomes a line end, and each inner group decides for itself. Comments
 * run to the end of a line, so they wait for the next line end and take no width.
 */

export type Doc = string | Line | Group | Indent | Suffix | readonly Doc[]

/** A possible line end; `flat` is printed there otherwise. A hard one is always a line end. */
type Line = { readonly kind: 'line'; readonly flat: string; readonly hard: boolean }

type Group = { readonly kind: 'group'; readonly doc: Doc; readonly broken: boolean }

type Indent = { readonly kind: 'indent'; readonly doc: Doc; readonly broken: boolean }

type Suffix = { readonly kind: 'suffix'; readonly text: string }

export const line: Doc = { kind: 'line', flat: ' ', hard: false }
export const softLine: Doc = { kind: 'line', flat: '', hard: false }
export const hardLine: Doc = { kind: 'line', flat: '', hard: true }

/** A group that contains a hard line end is always broken. */
export const group = (doc: Doc, broken = false): Doc => ({
  kind: 'group',
  doc,
  broken: broken || hasHardLine(doc),
})

export const indent = (doc: Doc): Doc => ({ kind: 'indent', doc, broken: hasHardLine(doc) })

export const suffix = (text: string): Doc => ({ kind: 'suffix', text })

export const join = (separator: Doc, docs: readonly Doc[]): Doc =>
  docs.flatMap((doc, i) => (i === 0 ? [doc] : [separator, doc]))

/** Groups and indents store the answer, so each part of a document is examined once. */
function hasHardLine(doc: Doc): boolean {
  if (typeof doc === 'string') return false
  if (isList(doc)) return doc.some(hasHardLine)
  switch (doc.kind) {
    case 'line':
      return doc.hard
    case 'suffix':
      return false
    case 'group':
    case 'indent':
      return doc.broken
  }
}

const isList = (doc: Exclude<Doc, string>): doc is readonly Doc[] => Array.isArray(doc)

const STEP = 2

/** Lines nested deeper than this are not indented further, so the output grows only in proportion to the script. */
const DEEPEST_STEP = 40

const indentation = (depth: number): number => Math.min(depth, DEEPEST_STEP) * STEP

type Piece = { readonly doc: Doc; readonly depth: number; readonly flat: boolean }

export function printDoc(doc: Doc, width: number): string {
  const output: string[] = []
  let column = 0
  let waiting: string[] = []
  const stack: Piece[] = [{ doc, depth: 0, flat: false }]

  const endLine = () => {
    if (waiting.length > 0) output.push(column === 0 ? '' : ' ', waiting.join(' '))
    waiting = []
    column = 0
  }

  for (let piece = stack.pop(); piece !== undefined; piece = stack.pop()) {
    const { doc, depth, flat } = piece
    if (typeof doc === 'string') {
      if (doc === '') continue
      if (column === 0) output.push(' '.repeat(indentation(depth)))
      output.push(doc)
      column = columnAfter(column === 0 ? indentation(depth) : column, doc)
    } else if (isList(doc)) {
      for (let i = doc.length - 1; i >= 0; i--) stack.push({ doc: doc[i]!, depth, flat })
    } else if (doc.kind === 'suffix') {
      waiting.push(doc.text)
    } else if (doc.kind === 'indent') {
      stack.push({ doc: doc.doc, depth: depth + 1, flat })
    } else if (doc.kind === 'group') {
      const inside: Piece = { doc: doc.doc, depth, flat: true }
      const fits =
        !doc.broken && (flat || fitsIn(width - (column === 0 ? indentation(depth) : column), inside, stack))
      stack.push(fits ? inside : { ...inside, flat: false })
    } else if (doc.hard || !flat) {
      endLine()
      output.push('\n')
    } else {
      stack.push({ doc: doc.flat, depth, flat })
    }
  }
  endLine()
  return output.join('')
}

/** Strings may contain line ends. */
function columnAfter(column: number, text: string): number {
  const lineEnd = text.lastIndexOf('\n')
  return lineEnd === -1 ? column + text.length : text.length - lineEnd - 1
}

/** Looks no further than the width, also in long lists: `from` is the next item of a list to look at. */
function fitsIn(width: number, first: Piece, rest: readonly Piece[]): boolean {
  const stack: { readonly piece: Piece; readonly from: number }[] = [{ piece: first, from: 0 }]
  let following = rest.length
  while (width >= 0) {
    const top = stack.pop()
    const piece = top?.piece ?? rest[--following]
    if (piece === undefined) return true
    const { doc, depth, flat } = piece
    if (typeof doc === 'string') {
      const lineEnd = doc.indexOf('\n')
      if (lineEnd !== -1) return lineEnd <= width
      width -= doc.length
    } else if (isList(doc)) {
      const from = top?.from ?? 0
      const inner = doc[from]
      if (inner === undefined) continue
      stack.push({ piece, from: from + 1 }, { piece: { doc: inner, depth, flat }, from: 0 })
    } else if (doc.kind === 'line') {
      if (doc.hard || !flat) return true
      width -= doc.flat.length
    } else if (doc.kind !== 'suffix') {
      stack.push({ piece: { doc: doc.doc, depth, flat }, from: 0 })
    }
  }
  return false
}
