/** What differs between two scripts, as one text with the removed lines above those that came. */
import { codeFolding } from '@codemirror/language'
import { unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { Text, useComputedColorScheme } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { scriptEditorTexts as texts } from '../../texts/scripts/script-editor.ts'
import { editorTheme } from './editor-theme.ts'
import { scriptSyntax } from './highlight.ts'
import { shadowOf } from './open-editor.ts'
import classes from './script-editor.module.css'

export type ScriptDifferenceProps = {
  readonly before: string
  readonly after: string
  readonly label?: string
}

export function ScriptDifference({
  before,
  after,
  label = texts.difference,
}: ScriptDifferenceProps): ReactNode {
  const host = useRef<HTMLDivElement>(null)
  const isDark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark'
  const isSame = before === after
  useEffect(() => {
    if (host.current === null) return
    const root = shadowOf(host.current)
    const view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: after,
        extensions: [
          lineNumbers(),
          codeFolding(),
          scriptSyntax,
          editorTheme(isDark),
          EditorState.readOnly.of(true),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          unifiedMergeView({
            original: before,
            mergeControls: false,
            syntaxHighlightDeletions: false,
            collapseUnchanged: { margin: 3, minSize: 6 },
          }),
        ],
      }),
    })
    return () => view.destroy()
  }, [before, after, isDark, label])
  return isSame ? (
    <Text c="var(--text-dim)">{texts.same}</Text>
  ) : (
    <div ref={host} className={classes.difference} />
  )
}
