/** All members of the draft but its script and its schedules, as a form. */

import { endpointShape } from 'virtual:endpoint-shape'
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { EditedDraft } from '../../../parts/draft/use-draft.ts'
import { ShapeForm } from '../../../parts/shape-form/shape-form.tsx'
import { endpointTexts as texts } from '../../../texts/scripts/endpoints.ts'
import type { Endpoint, EndpointDefinition } from '../../scripting/definition-types.ts'
import { placedFaults } from '../../scripting/placed-faults.ts'
import { useSession } from '../../session/session.tsx'

type Props = { readonly edited: EditedDraft<Endpoint, EndpointDefinition> }

const elsewhere = ['script', 'schedules']

export function SettingsTab({ edited }: Props): ReactNode {
  const { may } = useSession()
  const isReadOnly = !may('saveEndpointDraft')
  return (
    <>
      <Text c="var(--text-dim)" size="sm" mb="md">
        {isReadOnly ? texts.readOnly : texts.settingsAbout}
      </Text>
      <ShapeForm
        shape={endpointShape}
        values={edited.draft}
        onChange={(values) => edited.replace(values as EndpointDefinition)}
        faults={placedFaults(edited.problem)}
        isReadOnly={isReadOnly}
        without={elsewhere}
      />
    </>
  )
}
