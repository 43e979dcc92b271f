/** The look of editors: the colours of the page, for light and for dark. It is written into the shadow root, as a style sheet. */
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

const mono = 'var(--mantine-font-family-monospace)'
const surface = 'var(--frame-surface)'
const border = '1px solid var(--frame-border)'
const faint = 'light-dark(var(--mantine-color-gray-1), var(--mantine-color-dark-6))'
const selected = 'light-dark(#cfe4ea, #1d4a55)'

const rules = {
  '&': { backgroundColor: surface, color: 'var(--mantine-color-text)', fontSize: '0.85rem', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: mono, lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-gutters': { backgroundColor: faint, color: 'var(--text-dim)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'light-dark(#0b728512, #ffffff0d)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: selected,
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: selected },
  '.cm-foldPlaceholder': { backgroundColor: faint, border, color: 'var(--text-dim)' },
  '.cm-tooltip': { backgroundColor: surface, border, color: 'var(--mantine-color-text)' },
  '.cm-tooltip-autocomplete > ul': { fontFamily: mono, maxHeight: '16rem' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '0.15rem 0.5rem' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--mantine-primary-color-filled)',
    color: 'var(--mantine-primary-color-contrast)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.85', marginLeft: '0.75rem' },
  '.tf-documentation': {
    maxWidth: '28rem',
    padding: '0.4rem 0.6rem',
    fontFamily: 'var(--mantine-font-family)',
    fontSize: '0.8rem',
    whiteSpace: 'pre-line',
    '& code': { fontFamily: mono },
    '& > code:first-child': { display: 'block', marginBottom: '0.25rem', fontWeight: '600' },
    '& > small': { display: 'block', marginTop: '0.25rem', color: 'var(--text-dim)' },
  },
  '.cm-panels': {
    backgroundColor: faint,
    color: 'var(--mantine-color-text)',
    borderColor: 'var(--frame-border)',
  },
  '.cm-panel.cm-search': { padding: '0.4rem 1.5rem 0.4rem 0.5rem' },
  '.cm-textfield': {
    backgroundColor: surface,
    border,
    color: 'inherit',
    fontSize: '0.8rem',
    padding: '0.2rem 0.4rem',
  },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: surface,
    border,
    color: 'inherit',
    fontSize: '0.8rem',
  },
  '.cm-panel button[name=close]': { color: 'inherit' },
  '.cm-searchMatch': { backgroundColor: 'light-dark(#ffe59a, #6b5200)' },
  '.cm-diagnostic': { fontFamily: 'var(--mantine-font-family)', fontSize: '0.8rem' },
  '.cm-diagnosticSource': { opacity: '1', color: 'var(--text-dim)' },
  // The library's own marks are images in style sheets, which the content security policy refuses.
  '.cm-lintRange': { backgroundImage: 'none', textDecorationLine: 'underline', textDecorationStyle: 'wavy' },
  '.cm-lintRange-error': { textDecorationColor: 'var(--tone-bad)' },
  '.cm-lintRange-warning': { textDecorationColor: 'var(--tone-warning)' },
  '.cm-lint-marker': { width: '0.6rem', height: '0.6rem', margin: '0.4rem 0' },
  '.cm-lint-marker-error': { content: '""', backgroundColor: 'var(--tone-bad)', borderRadius: '50%' },
  '.cm-lint-marker-warning': { content: '""', backgroundColor: 'var(--tone-warning)' },
  '.tok-keyword': { color: 'light-dark(#8b1d6b, #f0a6d8)' },
  '.tok-atom, .tok-number': { color: 'light-dark(#874400, #ffc078)' },
  '.tok-string': { color: 'light-dark(#1c653a, #8ce99a)' },
  '.tok-comment': { color: 'var(--text-dim)', fontStyle: 'italic' },
  '.tok-call': { color: 'light-dark(#0b5394, #8cc8ff)' },
  '.tok-root': { color: 'light-dark(#5f3dc4, #d0bfff)' },
  '.tok-invalid': { color: 'var(--tone-bad)' },
  '.cm-insertedLine, .cm-changedLine': { backgroundColor: 'light-dark(#e3f4e6, #17341f) !important' },
  '.cm-deletedChunk': { backgroundColor: 'light-dark(#fbe9e9, #3d1d1d) !important' },
  '.cm-changedText': { background: 'light-dark(#bfe6c6, #2b5c37) !important' },
  '.cm-deletedChunk .cm-deletedText': { background: 'light-dark(#f3c4c4, #702c2c) !important' },
  '.cm-collapsedLines': {
    background: `${faint} !important`,
    color: 'var(--text-dim)',
    padding: '0.2rem 0.6rem',
  },
}

export const editorTheme = (isDark: boolean): Extension => EditorView.theme(rules, { dark: isDark })
