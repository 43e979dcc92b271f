/** The editor and the difference of scripts, loaded when they are first shown. */
import { type ReactNode, Suspense } from 'react'
import { scriptEditorTexts as texts } from '../../texts/scripts/script-editor.ts'
import { lazyPart } from '../lazy/lazy-part.tsx'
import { LoadingState } from '../states.tsx'
import type { ScriptDifferenceProps } from './script-difference.tsx'
import type { ScriptEditorProps } from './script-editor.tsx'

const LoadedEditor = lazyPart(async () => (await import('./script-editor.tsx')).ScriptEditor)
const LoadedDifference = lazyPart(async () => (await import('./script-difference.tsx')).ScriptDifference)

export const LazyScriptEditor = (props: ScriptEditorProps): ReactNode => (
  <Suspense fallback={<LoadingState label={texts.loading} />}>
    <LoadedEditor {...props} />
  </Suspense>
)

export const LazyScriptDifference = (props: ScriptDifferenceProps): ReactNode => (
  <Suspense fallback={<LoadingState label={texts.loading} />}>
    <LoadedDifference {...props} />
  </Suspense>
)
