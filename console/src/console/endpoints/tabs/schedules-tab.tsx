/** The schedules of the draft as a form, and what became of those that are published. */

import { endpointShape } from 'virtual:endpoint-shape'
import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { EditedDraft } from '../../../parts/draft/use-draft.ts'
import { ShapeForm } from '../../../parts/shape-form/shape-form.tsx'
import { endpointTexts as texts } from '../../../texts/scripts/endpoints.ts'
import { ScheduleList } from '../../schedules/schedule-list.tsx'
import type { Endpoint, EndpointDefinition } from '../../scripting/definition-types.ts'
import { placedFaults } from '../../scripting/placed-faults.ts'
import { useSession } from '../../session/session.tsx'

type Props = { readonly edited: EditedDraft<Endpoint, EndpointDefinition> }

const elsewhere = Object.keys(endpointShape.properties).filter((name) => name !== 'schedules')

export function SchedulesTab({ edited }: Props): ReactNode {
  const { may } = useSession()
  return (
    <Stack gap="md">
      <Text c="var(--text-dim)" size="sm">
        {texts.schedulesAbout}
      </Text>
      <ShapeForm
        shape={endpointShape}
        values={edited.draft}
        onChange={(values) => edited.replace(values as EndpointDefinition)}
        faults={placedFaults(edited.problem)}
        isReadOnly={!may('saveEndpointDraft')}
        without={elsewhere}
      />
      <Title order={2} size="h5">
        {texts.running}
      </Title>
      <ScheduleList endpointId={edited.saved.id} />
    </Stack>
  )
}
