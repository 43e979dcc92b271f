/**
 * Opens an editor in a shadow root, where the library keeps its style sheets; in the document itself it would write style
 * elements, which the content security policy refuses.
 */
import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, codeFolding, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language'
import { lintGutter, lintKeymap } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { completion, documentation, type ModuleSource, problems } from './assistance.ts'
import type { Finding } from './check-script.ts'
import { editorTheme } from './editor-theme.ts'
import { scriptSyntax } from './highlight.ts'

export type EditorOptions = {
  readonly host: HTMLElement
  readonly label: string
  readonly text: string
  readonly isDark: boolean
  readonly isReadOnly: boolean
  readonly moduleName: string | undefined
  readonly modules: ModuleSource
  readonly onChange: (text: string) => void
  readonly onFindings: (findings: readonly Finding[]) => void
  readonly onCursor: (view: EditorView) => void
  readonly onFormat: () => void
}

export type OpenedEditor = {
  readonly view: EditorView
  readonly setDark: (isDark: boolean) => void
  readonly close: () => void
}

export const shadowOf = (host: HTMLElement): ShadowRoot =>
  host.shadowRoot ?? host.attachShadow({ mode: 'open' })

export function openEditor(options: EditorOptions): OpenedEditor {
  const { host, text, isDark } = options
  const root = shadowOf(host)
  const theme = new Compartment()
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [extensionsOf(options), theme.of(editorTheme(isDark))],
    }),
  })
  return {
    view,
    setDark: (isDark) => view.dispatch({ effects: theme.reconfigure(editorTheme(isDark)) }),
    close: () => view.destroy(),
  }
}

function extensionsOf(options: EditorOptions): Extension {
  const { label, isReadOnly, onChange, onCursor } = options
  return [
    lineNumbers(),
    foldGutter(),
    codeFolding(),
    drawSelection(),
    bracketMatching(),
    highlightSelectionMatches(),
    search({ top: true }),
    scriptSyntax,
    documentation,
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString())
      if (update.docChanged || update.selectionSet) onCursor(update.view)
    }),
    isReadOnly ? EditorState.readOnly.of(true) : writing(options),
    keymap.of([...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap]),
  ]
}

const writing = (options: EditorOptions): Extension => [
  history(),
  indentOnInput(),
  closeBrackets(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  lintGutter(),
  completion(options.modules),
  problems(options),
  EditorView.domEventHandlers({ beforeinput: replaceSelection }),
  keymap.of([
    { key: 'Shift-Alt-f', run: () => handled(options.onFormat) },
    ...closeBracketsKeymap,
    ...completionKeymap,
    indentWithTab,
  ]),
]

/**
 * What is typed over a selection. The browser would keep the colours of the selected text by an inline style, which the content
 * security policy refuses and reports.
 */
function replaceSelection(event: InputEvent, view: EditorView): boolean {
  const { data, inputType, isComposing } = event
  if (inputType !== 'insertText' || data === null || isComposing || !event.cancelable) return false
  const { from, to } = replacedBy(event, view)
  if (from === to) return false
  const insert = () =>
    view.state.update({
      changes: { from, to, insert: view.state.toText(data) },
      selection: { anchor: from + view.state.toText(data).length },
      userEvent: 'input.type',
      scrollIntoView: true,
    })
  const isTaken = view.state
    .facet(EditorView.inputHandler)
    .some((handle) => handle(view, from, to, data, insert))
  if (!isTaken) view.dispatch(insert())
  event.preventDefault()
  return true
}

/** The state of the editor may not know a new selection yet; the document does. */
function replacedBy(event: InputEvent, view: EditorView): { readonly from: number; readonly to: number } {
  const [target] = event.getTargetRanges()
  // Only Chromium has selections of shadow roots, and only Chromium keeps the colours.
  const selection = (view.root as Partial<Pick<Document, 'getSelection'>>).getSelection?.()
  const range =
    target !== undefined && isIn(view, target) ? target : selection?.rangeCount && selection.getRangeAt(0)
  if (!range || !isIn(view, range)) return view.state.selection.main
  const from = view.posAtDOM(range.startContainer, range.startOffset)
  return { from, to: Math.max(from, view.posAtDOM(range.endContainer, range.endOffset)) }
}

const isIn = ({ contentDOM }: EditorView, { startContainer, endContainer }: AbstractRange): boolean =>
  contentDOM.contains(startContainer) && contentDOM.contains(endContainer)

function handled(work: () => void): true {
  work()
  return true
}

/** Replaces what differs, as one step that can be undone; the cursor stays in what is the same. */
export function replaceText(view: EditorView, text: string): void {
  const before = view.state.doc.toString()
  if (before === text) return
  const shorter = Math.min(before.length, text.length)
  let start = 0
  while (start < shorter && before[start] === text[start]) start++
  let same = 0
  while (same < shorter - start && before.at(-1 - same) === text.at(-1 - same)) same++
  view.dispatch({
    changes: { from: start, to: before.length - same, insert: text.slice(start, text.length - same) },
  })
}

/** @param at offset */
export function goTo(view: EditorView, at: number): void {
  const anchor = Math.min(at, view.state.doc.length)
  view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
  view.focus()
}
