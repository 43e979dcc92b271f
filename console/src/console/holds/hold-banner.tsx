/** What operators hold, above every page: who holds it, since when and why, and the button that resumes it. */
import { Button, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconHandStop } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { answerOf } from '../../api/client.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Moment } from '../../parts/time.tsx'
import { holdTexts as texts } from '../../texts/holds.ts'
import { useSession } from '../session/session.tsx'
import classes from './hold-banner.module.css'
import { type Hold, holdsKey, holdsQuery, resumeRights } from './hold-queries.ts'

export function HoldBanner(): ReactNode {
  const { api, may } = useSession()
  const { data } = useQuery({ ...holdsQuery(api), enabled: may('listHolds') })
  const held = data?.items.filter((item) => item.held !== null) ?? []
  if (held.length === 0) return null
  return (
    <aside className={classes.banner} aria-label={texts.banner}>
      {held.map((item) => (
        <HeldLine key={item.subject} item={item} />
      ))}
    </aside>
  )
}

function HeldLine({ item: { subject, held } }: { readonly item: Hold }): ReactNode {
  const { api, may } = useSession()
  const queries = useQueryClient()
  const [isAsked, setAsked] = useState(false)
  if (held === null) return null
  const resume = async () => {
    await answerOf(api.POST(`/api/admin/v1/holds/${subject}/resume`, {}))
    notifications.show({ message: texts.resumed })
    await queries.invalidateQueries({ queryKey: holdsKey })
  }
  return (
    <div className={classes.line}>
      <IconHandStop size={20} aria-hidden />
      <div className={classes.text}>
        <Text fw={600} role="status">
          {texts.held[subject]}
        </Text>
        <Text size="sm">
          {texts.by} {held.by}, {texts.since} <Moment value={held.at} />, {texts.because} {held.reason}
        </Text>
      </div>
      {may(resumeRights[subject]) && (
        <Button variant="default" size="xs" onClick={() => setAsked(true)}>
          {texts.resume[subject]}
        </Button>
      )}
      <ConfirmDialog
        isOpen={isAsked}
        title={texts.resume[subject]}
        action={texts.resume[subject]}
        onConfirm={resume}
        onClose={() => setAsked(false)}
      >
        <Text>{texts.resumeText[subject]}</Text>
      </ConfirmDialog>
    </div>
  )
}
