import type { ReactNode } from 'react'
import { Tone } from '../../parts/tone.tsx'
import type { ToneName } from '../../parts/tone-name.ts'
import { refreshTexts as texts } from '../../texts/snapshots.ts'
import type { RefreshOutcome } from './refresh-queries.ts'

const tones: Readonly<Record<RefreshOutcome, ToneName>> = {
  running: 'neutral',
  published: 'good',
  unchanged: 'good',
  refused: 'bad',
  failed: 'bad',
  cancelled: 'warning',
  lost: 'bad',
}

/** How a refresh has ended. */
export const OutcomeTone = ({ outcome }: { readonly outcome: RefreshOutcome }): ReactNode => (
  <Tone tone={tones[outcome]}>{texts.outcomes[outcome]}</Tone>
)
