/** Colours the tokens that are in sight, and folds and indents blocks. */
import { foldService, indentService, indentUnit } from '@codemirror/language'
import { EditorState, type Extension, RangeSetBuilder } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'
import type { Span } from '../../../../src/kernel/span.ts'
import type { Token } from '../../../../src/script/syntax/tokens.ts'
import { type ScannedScript, tokenIndexAt } from './scan-script.ts'
import { scannedField } from './scanned-field.ts'

const marks = Object.fromEntries(
  ['keyword', 'atom', 'string', 'number', 'comment', 'call', 'root', 'invalid', 'operator'].map((name) => [
    name,
    Decoration.mark({ class: `tok-${name}` }),
  ]),
)

const atoms: ReadonlySet<string> = new Set(['true', 'false', 'null'])

function classOf(tokens: readonly Token[], index: number): string | null {
  const { kind, text } = tokens[index]!
  const before = tokens[index - 1]?.text
  const after = tokens[index + 1]?.text
  if (kind === 'keyword' && before !== '.' && after !== ':') return atoms.has(text) ? 'atom' : 'keyword'
  if (kind === 'keyword' || kind === 'identifier') {
    if (after === '(') return 'call'
    if (before === '.') return null
    if (text === 'Data') return 'root'
    return text === 'elif' || (text === 'import' && tokens[index + 1]?.kind === 'string') ? 'keyword' : null
  }
  if (kind === 'symbol') return /^[(),.[\]{}]$/.test(text) ? null : 'operator'
  return kind === 'end' ? null : kind
}

function decorationsIn(view: EditorView): DecorationSet {
  const { tokens, comments } = view.state.field(scannedField)
  const builder = new RangeSetBuilder<Decoration>()
  let reached = 0
  for (const { from, to } of view.visibleRanges) {
    const found: { readonly span: Span; readonly name: string }[] = comments
      .filter(({ span }) => span.end > from && span.start < to)
      .map(({ span }) => ({ span, name: 'comment' }))
    for (let index = tokenIndexAt(tokens, from); (tokens[index]?.span.start ?? to) < to; index++) {
      const name = classOf(tokens, index)
      if (name !== null) found.push({ span: tokens[index]!.span, name })
    }
    found.sort((a, b) => a.span.start - b.span.start)
    for (const { span, name } of found) {
      // A long text may be in two ranges.
      if (span.start < reached || span.end === span.start) continue
      builder.add(span.start, span.end, marks[name]!)
      reached = span.end
    }
  }
  return builder.finish()
}

const highlighting = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet
    constructor(view: EditorView) {
      this.decorations = decorationsIn(view)
    }
    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) this.decorations = decorationsIn(update.view)
    }
  },
  { decorations: ({ decorations }) => decorations },
)

/** The lines between the one that opens a block and the one that closes it. */
const folding = foldService.of((state, lineStart, lineEnd) => {
  const block = state
    .field(scannedField)
    .blocks.find(({ start, end }) => start >= lineStart && start <= lineEnd && end > lineEnd)
  if (block === undefined) return null
  const last = state.doc.lineAt(block.end)
  return { from: lineEnd, to: Math.max(lineEnd, last.from - 1) }
})

const closers = /^\s*(?:end|else|elseif|elif|case|default)\b/

const indentation = indentService.of((context, at) => {
  const line = context.lineAt(at)
  let number = context.state.doc.lineAt(line.from).number - 1
  while (number > 0 && context.state.doc.line(number).text.trim() === '') number--
  if (number === 0) return 0
  const before = context.state.doc.line(number)
  const basis = /^\s*/.exec(before.text)?.[0].length ?? 0
  const opens = isOpen(context.state.field(scannedField), before.from, before.to)
  return Math.max(0, basis + (opens ? context.unit : 0) - (closers.test(line.text) ? context.unit : 0))
})

/** Whether the last thing on a line is the head of a block. */
function isOpen({ tokens, blocks }: ScannedScript, from: number, to: number): boolean {
  const last = tokens[tokenIndexAt(tokens, to) - 1]
  if (last === undefined || last.span.start < from) return false
  if (/^(?:then|do|else|default|[({[])$/.test(last.text)) return true
  return (
    /^(?:func|union)$/.test(tokens[tokenIndexAt(tokens, from)]?.text ?? '') && !closesIn(blocks, from, to)
  )
}

const closesIn = (blocks: readonly Span[], from: number, to: number): boolean =>
  blocks.some(({ start, end }) => start >= from && start <= to && end <= to && end > start + 3)

/** What commands of the editor know about the language. */
const habits = {
  commentTokens: { line: '#' },
  closeBrackets: { brackets: ['(', '[', '{', '"', "'"] },
  indentOnInput: /^\s*(?:end|else|elseif|elif|case|default)$/,
}

export const scriptSyntax: Extension = [
  scannedField,
  highlighting,
  folding,
  indentation,
  indentUnit.of('  '),
  EditorState.languageData.of(() => [habits]),
]
