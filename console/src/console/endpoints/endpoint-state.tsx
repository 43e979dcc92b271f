/** Whether callers reach an endpoint, and whether its draft differs from what they reach. */
import type { ReactNode } from 'react'
import { Tone } from '../../parts/tone.tsx'
import { endpointTexts as texts } from '../../texts/scripts/endpoints.ts'
import type { EndpointSummary } from '../scripting/definition-types.ts'

type Props = {
  readonly endpoint: Pick<EndpointSummary, 'active' | 'published' | 'hasUnpublishedChanges'>
}

export function EndpointState({ endpoint: { active, published, hasUnpublishedChanges } }: Props): ReactNode {
  if (published === null) return <Tone tone="neutral">{texts.states.draft}</Tone>
  const word = active ? texts.states.active : texts.states.inactive
  return (
    <Tone tone={active ? 'good' : 'neutral'}>
      {hasUnpublishedChanges ? `${word}, ${texts.changedNote}` : word}
    </Tone>
  )
}
