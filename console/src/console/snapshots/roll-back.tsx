/** Makes an older snapshot current, after a confirmation that asks why. */
import { Button, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { formatMoment } from '../../format/dates.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Section } from '../../parts/section.tsx'
import { snapshotTexts as texts } from '../../texts/snapshots.ts'
import { holdsKey } from '../holds/hold-queries.ts'
import { useSession } from '../session/session.tsx'
import { type Snapshot, snapshotsKey } from './refresh-queries.ts'

/** The service answers from it within two seconds, and later on a busy machine. */
const LOOK_EVERY_MS = 1000
const MOST_LOOKS = 15

export function RollBack({ snapshot: { id, publishedAt } }: { readonly snapshot: Snapshot }): ReactNode {
  const { api } = useSession()
  const queries = useQueryClient()
  const [isAsked, setAsked] = useState(false)
  const isCurrent = async () =>
    (await dataOf(api.GET('/api/admin/v1/snapshots/{id}', { params: { path: { id } } }))).current
  const rollBack = async ({ reason }: { readonly reason: string }) => {
    const { held } = await dataOf(
      api.POST('/api/admin/v1/snapshots/{id}/rollback', { params: { path: { id } }, body: { reason } }),
    )
    for (let looks = 0; looks < MOST_LOOKS && !(await isCurrent()); looks++) await sleep(LOOK_EVERY_MS)
    notifications.show({ message: held === null ? texts.rolledBackAlready : texts.rolledBack })
    await queries.invalidateQueries({ queryKey: holdsKey })
    await queries.invalidateQueries({ queryKey: snapshotsKey })
  }
  return (
    <Section
      title={texts.rollBack}
      actions={
        <Button size="xs" variant="default" onClick={() => setAsked(true)}>
          {texts.rollBackAction}
        </Button>
      }
    >
      <Text size="sm">{texts.rollBackText}</Text>
      {isAsked && (
        <FormDialog
          title={texts.rollBackTitle(formatMoment(publishedAt ?? ''))}
          action={texts.rollBackAction}
          fields={[
            {
              kind: 'text',
              name: 'reason',
              label: texts.rollBackReason,
              hint: texts.rollBackReasonHint,
              isRequired: true,
            },
          ]}
          initial={{ reason: '' }}
          onSave={rollBack}
          onClose={() => setAsked(false)}
        >
          <Text>{texts.rollBackText}</Text>
        </FormDialog>
      )}
    </Section>
  )
}

const sleep = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds))
