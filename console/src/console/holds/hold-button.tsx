/** Holds refreshes or schedules, after a dialog that asks why; not offered while they are held. */
import { Button, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { holdTexts as texts } from '../../texts/holds.ts'
import { useSession } from '../session/session.tsx'
import { type Hold, holdRights, holdsKey, holdsQuery } from './hold-queries.ts'

export function HoldButton({ subject }: { readonly subject: Hold['subject'] }): ReactNode {
  const { api, may } = useSession()
  const queries = useQueryClient()
  const { data } = useQuery({ ...holdsQuery(api), enabled: may('listHolds') })
  const [isAsked, setAsked] = useState(false)
  const item = data?.items.find((one) => one.subject === subject)
  if (item === undefined || item.held !== null || !may(holdRights[subject])) return null
  const hold = async ({ reason }: { readonly reason: string }) => {
    await dataOf(api.POST(`/api/admin/v1/holds/${subject}/hold`, { body: { reason } }))
    notifications.show({ message: texts.held[subject] })
    await queries.invalidateQueries({ queryKey: holdsKey })
  }
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsked(true)}>
        {texts.hold[subject]}
      </Button>
      {isAsked && (
        <FormDialog
          title={texts.hold[subject]}
          action={texts.hold[subject]}
          fields={[
            { kind: 'text', name: 'reason', label: texts.reason, hint: texts.reasonHint, isRequired: true },
          ]}
          initial={{ reason: '' }}
          onSave={hold}
          onClose={() => setAsked(false)}
        >
          <Text>{texts.holdText[subject]}</Text>
        </FormDialog>
      )}
    </>
  )
}
