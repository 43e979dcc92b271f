/**
 * The text of a filter in an editor: Enter applies it, completion knows fields, operators, labels and their values, and the place
 * of an error is underlined. It lives in a shadow root, where its styles need no style element, which the page's policy refuses.
 */
import {
  acceptCompletion,
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionStatus,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { EditorState, Prec, StateEffect, StateField } from '@codemirror/state'
import {
  type Command,
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  placeholder,
} from '@codemirror/view'
import { filterTexts } from '../../texts/filters.ts'
import { type Expected, expectedAt } from './complete-filter.ts'
import { type CompletionSources, optionsFor } from './completion-options.ts'

export type FilterEditor = {
  /** Replaces the text, unless it is the same. */
  readonly write: (text: string) => void
  /** Underlines the character at the column; undefined takes the underline away. */
  readonly mark: (column: number | undefined) => void
  /** Pixels between the left edge of the editor and the character at the column. */
  readonly leftOf: (column: number) => number | undefined
  /** With the cursor behind as many characters. */
  readonly focus: (column: number) => void
  readonly destroy: () => void
}

type Options = {
  readonly text: string
  /** Asked at each completion, because labels are read later. */
  readonly sources: () => CompletionSources
  readonly onChange: (text: string) => void
  readonly onApply: (text: string) => void
}

export function openFilterEditor(
  host: HTMLElement,
  { text, sources, onChange, onApply }: Options,
): FilterEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        Prec.highest(
          keymap.of([
            { key: 'Tab', run: acceptSoon },
            {
              key: 'Enter',
              run: ({ state }) => {
                if (completionStatus(state) === 'active') return false
                onApply(state.doc.toString())
                return true
              },
            },
          ]),
        ),
        history(),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        autocompletion({
          override: [(context) => complete(context, sources())],
          icons: false,
          activateOnTypingDelay: 50,
          interactionDelay: 0,
          maxRenderedOptions: 100,
        }),
        EditorView.lineWrapping,
        // A filter is one line: what is pasted with several becomes one.
        EditorState.transactionFilter.of((transaction) =>
          transaction.newDoc.lines > 1
            ? [transaction, { changes: lineBreaks(transaction.newDoc.toString()), sequential: true }]
            : transaction,
        ),
        acceptWhenFound,
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onChange(state.doc.toString())
        }),
        placeholder(filterTexts.placeholder[sources().list]),
        EditorView.contentAttributes.of({ 'aria-label': filterTexts.filter, spellcheck: 'false' }),
        markField,
        theme,
      ],
    }),
  })
  return {
    write: (next) => {
      if (next !== view.state.doc.toString()) {
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } })
      }
    },
    mark: (column) => view.dispatch({ effects: setMark.of(column) }),
    leftOf: (column) => {
      const place = view.coordsAtPos(Math.min(column, view.state.doc.length))
      return place === null ? undefined : place.left - host.getBoundingClientRect().left
    },
    focus: (column) => {
      view.dispatch({ selection: { anchor: Math.min(column, view.state.doc.length) } })
      view.focus()
    },
    destroy: () => view.destroy(),
  }
}

function lineBreaks(text: string): readonly { from: number; to: number; insert: string }[] {
  return [...text.matchAll(/\n/g)].map(({ index }) => ({ from: index, to: index + 1, insert: ' ' }))
}

/** Whoever writes faster than options are found: Tab takes the first one as soon as it is there. */
const wantsOption = StateEffect.define<boolean>()
const isOptionWanted = StateField.define<boolean>({
  create: () => false,
  update: (isWanted, { effects, docChanged, selection }) =>
    effects.find((effect) => effect.is(wantsOption))?.value ??
    (isWanted && !docChanged && selection === undefined),
})

const acceptSoon: Command = (view) => {
  if (acceptCompletion(view)) return true
  if (completionStatus(view.state) !== 'pending') return false
  view.dispatch({ effects: wantsOption.of(true) })
  return true
}

const acceptWhenFound = [
  isOptionWanted,
  EditorView.updateListener.of(({ state, view }) => {
    if (!state.field(isOptionWanted) || completionStatus(state) !== 'active') return
    // An update cannot make another one.
    queueMicrotask(() => {
      view.dispatch({ effects: wantsOption.of(false) })
      acceptCompletion(view)
    })
  }),
]

/** What may be written on while the options stay those that were found. */
const word = /^[\p{L}\p{M}\p{N}_]*$/u
const continued: Readonly<Record<Exclude<Expected['kind'], 'nothing'>, RegExp>> = {
  ...{ condition: word, element: word, collection: word, operator: word, connective: word },
  label: /^customDataFields(?:\.[\p{L}\p{N}_]*|\['[^']*)?$/u,
  value: /^(?:'[^']*|[\p{L}]*)$/u,
}

async function complete(
  context: CompletionContext,
  sources: CompletionSources,
): Promise<CompletionResult | null> {
  const expected = expectedAt(context.state.doc.toString(), context.pos, sources.list)
  if (expected.kind === 'nothing') return null
  // Operators and connectives are not offered before a letter of them, unless asked for: Enter shall apply the filter.
  if (!context.explicit && expected.kind === 'connective' && expected.from === context.pos) return null
  if (!context.explicit && expected.kind === 'condition' && expected.from === context.pos) return null
  const written = context.state.sliceDoc(expected.from, context.pos)
  const { options, isWhole } = await optionsFor(expected, written, sources)
  // What is written whole is not offered again: Enter shall apply the filter.
  if (expected.kind === 'value' && options.some(({ label }) => label === written)) return null
  if (options.length === 0) return null
  // Where not all values were read, the next letter finds others.
  return { from: expected.from, options, ...(isWhole && { validFor: continued[expected.kind] }) }
}

const setMark = StateEffect.define<number | undefined>()
const wrong = Decoration.mark({ class: 'cm-wrong' })
const wrongEnd = Decoration.line({ class: 'cm-wrong-end' })

/** The mark goes as soon as the text changes. */
const markField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { docChanged, effects, state }) {
    for (const effect of effects) {
      if (!effect.is(setMark)) continue
      if (effect.value === undefined) return Decoration.none
      return Decoration.set(markAt(effect.value, state.doc.toString()))
    }
    return docChanged ? Decoration.none : marks
  },
  provide: (field) => EditorView.decorations.from(field),
})

/** The word at the column, one character of other things, or the end of the line. */
function markAt(column: number, text: string) {
  if (column >= text.length) return [wrongEnd.range(0)]
  const word = /^(?:[\p{L}\p{N}_]+|'[^']*'?)/u.exec(text.slice(column))?.[0] ?? text[column] ?? ''
  return [wrong.range(column, Math.min(column + Math.max(word.length, 1), text.length))]
}

const theme = EditorView.theme({
  '&': { fontSize: '0.8125rem', color: 'inherit', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    lineHeight: '1.5',
    maxHeight: '8rem',
  },
  '.cm-content': { padding: '0.45rem 0', caretColor: 'currentColor' },
  '.cm-line': { padding: '0 0.6rem' },
  '.cm-cursor': { borderLeftColor: 'currentColor' },
  '.cm-placeholder': { color: 'var(--text-dim)' },
  '.cm-wrong': { textDecoration: 'underline wavy var(--tone-bad)', textUnderlineOffset: '3px' },
  '.cm-wrong-end': { boxShadow: 'inset 0 -2px var(--tone-bad)' },
  '.cm-tooltip': {
    border: '1px solid var(--frame-border)',
    borderRadius: 'var(--mantine-radius-sm)',
    backgroundColor: 'var(--frame-surface)',
    boxShadow: 'var(--mantine-shadow-md)',
    zIndex: '300',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    maxHeight: '16rem',
    fontFamily: 'var(--mantine-font-family)',
    fontSize: '0.8125rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    padding: '0.2rem 0.6rem',
    color: 'var(--mantine-color-text)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    background: 'var(--mantine-primary-color-light)',
    color: 'var(--mantine-primary-color-light-color)',
  },
  // Below the frame of the field.
  '.cm-tooltip-below': { marginTop: '0.45rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > completion-section': {
    padding: '0.25rem 0.6rem',
    borderBottom: 'none',
    color: 'var(--text-dim)',
    opacity: '1',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[role=option]': { display: 'flex', maxWidth: '40rem' },
  '.cm-completionLabel': { overflow: 'hidden', textOverflow: 'ellipsis' },
  '.cm-completionDetail': {
    flex: 'none',
    marginLeft: 'auto',
    paddingLeft: '0.75rem',
    color: 'var(--text-dim)',
    fontStyle: 'normal',
  },
})
