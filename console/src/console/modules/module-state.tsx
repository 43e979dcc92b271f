/** Whether a module can be imported, and whether its draft differs from what is. */
import type { ReactNode } from 'react'
import { Tone } from '../../parts/tone.tsx'
import { moduleTexts as texts } from '../../texts/scripts/modules.ts'
import type { Module } from '../scripting/definition-types.ts'

type Props = { readonly module: Pick<Module, 'version' | 'hasUnpublishedChanges'> }

export function ModuleState({ module: { version, hasUnpublishedChanges } }: Props): ReactNode {
  if (version === null) return <Tone tone="neutral">{texts.draft}</Tone>
  return hasUnpublishedChanges ? (
    <Tone tone="warning">{texts.changed}</Tone>
  ) : (
    <Tone tone="good">{texts.current}</Tone>
  )
}
