import type { ReactNode } from 'react'
import { Tone } from '../../parts/tone.tsx'
import { snapshotTexts as texts } from '../../texts/snapshots.ts'
import type { Snapshot } from './refresh-queries.ts'

/** Whether a snapshot is in use, kept, or of no use. */
export function SnapshotTone({ snapshot: { current, intact } }: { readonly snapshot: Snapshot }): ReactNode {
  if (!intact) return <Tone tone="bad">{texts.damaged}</Tone>
  return current ? <Tone tone="good">{texts.current}</Tone> : <Tone tone="neutral">{texts.kept}</Tone>
}
