/** The notifications for the caller and for all users. */
import { Button, Checkbox, Group, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { components } from '../../../generated/api.d.ts'
import { answerOf, dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { orNull } from '../../parts/form-values.ts'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Page } from '../../parts/page.tsx'
import { useIdempotencyKey } from '../../parts/resource/use-idempotency-key.ts'
import { SearchField } from '../../parts/search-field.tsx'
import { Age } from '../../parts/time.tsx'
import { Tone } from '../../parts/tone.tsx'
import type { ToneName } from '../../parts/tone-name.ts'
import { useAddress } from '../../parts/use-address.ts'
import { useList } from '../../parts/use-list.ts'
import { notificationTexts as texts } from '../../texts/notifications.ts'
import { useSession } from '../session/session.tsx'
import { notificationsKey } from './notification-queries.ts'
import classes from './notifications-page.module.css'
import { useMarkRead } from './use-unread.ts'

type Notification = components['schemas']['Notification']
type Kind = Notification['type']

const tones: Readonly<Record<Kind, ToneName>> = {
  Info: 'neutral',
  Success: 'good',
  Warning: 'warning',
  Error: 'bad',
}

export function NotificationsPage(): ReactNode {
  const { api, may } = useSession()
  const queries = useQueryClient()
  const [{ text, unread }, change] = useAddress()
  const [asked, setAsked] = useState<Notification | 'send'>()
  const list = useList<Notification>({
    key: [...notificationsKey, text, unread],
    read: (after, signal) =>
      dataOf(
        api.GET('/api/admin/v1/notifications', {
          params: { query: given({ text, unreadOnly: unread === 'true' || undefined, after }) },
          signal,
        }),
      ),
  })
  const refresh = () => queries.invalidateQueries({ queryKey: notificationsKey })
  const markRead = useMarkRead()
  const columns: readonly Column<Notification>[] = [
    {
      id: 'kind',
      header: texts.kind,
      isWide: true,
      cell: ({ type }) => <Tone tone={tones[type]}>{texts.kinds[type]}</Tone>,
    },
    {
      id: 'what',
      header: texts.what,
      cell: ({ type, title, message, readAt, createdAt }) => (
        <>
          <div className="narrow-only">
            <Tone tone={tones[type]}>{texts.kinds[type]}</Tone> <Age value={createdAt} />
          </div>
          <Text inherit fw={readAt === null ? 650 : 400}>
            {title}
            {readAt === null && <span className="visually-hidden"> ({texts.unread})</span>}
          </Text>
          <Text inherit c="var(--text-dim)">
            {message}
          </Text>
        </>
      ),
    },
    { id: 'for', header: texts.for, isWide: true, cell: ({ audience }) => audience ?? texts.everybody },
    { id: 'by', header: texts.by, isWide: true, cell: ({ createdBy }) => createdBy },
    { id: 'sent', header: texts.sent, isWide: true, cell: ({ createdAt }) => <Age value={createdAt} /> },
    {
      id: 'actions',
      header: '',
      align: 'right',
      cell: (notification) => (
        <Group gap={4} justify="flex-end" className={classes.actions}>
          {notification.readAt === null && may('readNotification') && (
            <Button size="compact-xs" variant="default" onClick={() => void markRead(notification.id)}>
              {texts.markRead}
            </Button>
          )}
          {may('removeNotification') && (
            <Button
              size="compact-xs"
              variant="default"
              c="var(--tone-bad)"
              onClick={() => setAsked(notification)}
            >
              {texts.remove}
            </Button>
          )}
        </Group>
      ),
    },
  ]
  const send = may('sendNotification') && (
    <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAsked('send')}>
      {texts.send}
    </Button>
  )
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <Checkbox
            size="xs"
            my="auto"
            label={texts.unreadOnly}
            checked={unread === 'true'}
            onChange={(event) => change({ unread: event.currentTarget.checked ? 'true' : undefined })}
          />
          <SearchField label={texts.search} value={text} onChange={(typed) => change({ text: typed })} />
          {send}
        </>
      }
    >
      <ListTable
        label={texts.title}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          text === undefined && unread === undefined
            ? { title: texts.emptyTitle, hint: texts.emptyHint, action: send }
            : { title: texts.noneFound, hint: texts.noneFoundHint }
        }
      />
      {asked === 'send' && <SendDialog onSent={refresh} onClose={() => setAsked(undefined)} />}
      {typeof asked === 'object' && (
        <ConfirmDialog
          isOpen
          title={texts.removeTitle}
          action={texts.remove}
          isDangerous
          onConfirm={async () => {
            await answerOf(
              api.DELETE('/api/admin/v1/notifications/{id}', {
                params: { path: { id: asked.id } },
              }),
            )
            await refresh()
          }}
          onClose={() => setAsked(undefined)}
        >
          <Text>{texts.removeText(asked.title)}</Text>
        </ConfirmDialog>
      )}
    </Page>
  )
}

type SendProps = { readonly onSent: () => Promise<void>; readonly onClose: () => void }

function SendDialog({ onSent, onClose }: SendProps): ReactNode {
  const { api } = useSession()
  const keyFor = useIdempotencyKey()
  return (
    <FormDialog
      title={texts.send}
      action={texts.sendAction}
      initial={{ title: '', message: '', type: 'Info' as string, audience: '', link: '' }}
      fields={[
        { name: 'title', label: texts.subject, kind: 'text', isRequired: true },
        { name: 'message', label: texts.message, kind: 'area', isRequired: true },
        {
          name: 'type',
          label: texts.kind,
          kind: 'choice',
          choices: Object.entries(texts.kinds).map(([value, label]) => ({ value, label })),
          isRequired: true,
        },
        { name: 'audience', label: texts.audience, hint: texts.audienceHint, kind: 'text' },
        { name: 'link', label: texts.link, hint: texts.linkHint, kind: 'text' },
      ]}
      onSave={async ({ title, message, type, audience, link }) => {
        const body = { title, message, type: type as Kind, audience: orNull(audience), link: orNull(link) }
        await dataOf(
          api.POST('/api/admin/v1/notifications', {
            params: { header: { 'idempotency-key': keyFor(body) } },
            body,
          }),
        )
        await onSent()
      }}
      onClose={onClose}
    />
  )
}
