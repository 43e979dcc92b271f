/** What became of the messages of a webhook; a row shows all attempts and the message. */
import { Button, Select, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import { formatCount } from '../../format/numbers.ts'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Section } from '../../parts/section.tsx'
import { Age } from '../../parts/time.tsx'
import { Tone } from '../../parts/tone.tsx'
import type { ToneName } from '../../parts/tone-name.ts'
import { useAddress } from '../../parts/use-address.ts'
import { useList } from '../../parts/use-list.ts'
import { webhookTexts as texts } from '../../texts/webhooks.ts'
import { useSession } from '../session/session.tsx'
import { answerText } from './answer-text.ts'
import { DeliveryDrawer } from './delivery-drawer.tsx'
import { type Delivery, deliveriesKey } from './webhook-queries.ts'

/** Deliveries that wait are sent while one looks. */
const REFETCH_MS = 2000

const tones: Readonly<Record<Delivery['state'], ToneName>> = {
  ...{ pending: 'neutral', delivered: 'good', failed: 'bad' },
}

export function DeliveriesSection({ webhookId: id }: { readonly webhookId: string }): ReactNode {
  const { api, may } = useSession()
  const queries = useQueryClient()
  const [{ state }, change] = useAddress()
  const [openedId, setOpened] = useState<string>()
  const [resendingId, setResending] = useState<string>()
  const list = useList<Delivery>({
    key: [...deliveriesKey(id), state],
    read: (after, signal) =>
      dataOf(
        api.GET('/api/admin/v1/webhooks/{id}/deliveries', {
          params: { path: { id }, query: given({ state: state as Delivery['state'], after }) },
          signal,
        }),
      ),
    refetchMs: REFETCH_MS,
  })
  const resend = async (deliveryId: string) => {
    setResending(deliveryId)
    await dataOf(
      api.POST('/api/admin/v1/webhooks/{id}/deliveries/{deliveryId}/resend', {
        params: { path: { id, deliveryId } },
      }),
    ).catch((cause: Error) =>
      notifications.show({ color: 'red', title: texts.resendFailed, message: cause.message }),
    )
    await queries.invalidateQueries({ queryKey: deliveriesKey(id) })
    setResending(undefined)
  }
  const opened = list.rows.find((delivery) => delivery.id === openedId)
  const mayResend = may('resendWebhookDelivery')
  return (
    <Section
      title={texts.deliveries}
      actions={
        <Select
          size="xs"
          aria-label={texts.state}
          placeholder={texts.allStates}
          clearable
          data={Object.entries(texts.deliveryStates).map(([value, label]) => ({ value, label }))}
          value={state ?? null}
          onChange={(chosen) => change({ state: chosen ?? undefined })}
        />
      }
    >
      <ListTable
        label={texts.deliveries}
        list={list}
        columns={mayResend ? [...columns, resendColumn(resend, resendingId)] : columns}
        rowKey={(delivery) => delivery.id}
        onOpen={(delivery) => setOpened(delivery.id)}
        openedKey={openedId}
        empty={
          state === undefined
            ? { title: texts.deliveriesEmpty, hint: texts.deliveriesEmptyHint }
            : { title: texts.deliveriesNoneFound }
        }
      />
      <DeliveryDrawer delivery={opened} onClose={() => setOpened(undefined)} />
    </Section>
  )
}

const columns: readonly Column<Delivery>[] = [
  { id: 'created', header: texts.created, cell: ({ createdAt }) => <Age value={createdAt} /> },
  { id: 'type', header: texts.type, isWide: true, cell: ({ message }) => texts.types[message.type] },
  {
    id: 'state',
    header: texts.state,
    cell: ({ state }) => <Tone tone={tones[state]}>{texts.deliveryStates[state]}</Tone>,
  },
  {
    id: 'attempts',
    header: texts.attempts,
    align: 'right',
    cell: ({ attempts }) => formatCount(attempts.length),
  },
  {
    id: 'answer',
    header: texts.lastAnswer,
    isWide: true,
    cell: ({ attempts }) => {
      const last = attempts.at(-1)
      return last === undefined ? (
        <Text inherit c="var(--text-dim)">
          {texts.notSent}
        </Text>
      ) : (
        answerText(last)
      )
    },
  },
  {
    id: 'next',
    header: texts.next,
    isWide: true,
    cell: ({ nextAttemptAt }) => <Age value={nextAttemptAt} />,
  },
]

const resendColumn = (
  resend: (id: string) => Promise<void>,
  resendingId: string | undefined,
): Column<Delivery> => ({
  id: 'resend',
  header: '',
  align: 'right',
  cell: ({ id, state }) =>
    state !== 'pending' && (
      <Button
        size="compact-xs"
        variant="default"
        loading={id === resendingId}
        onClick={(event) => {
          event.stopPropagation()
          void resend(id)
        }}
      >
        {texts.resend}
      </Button>
    ),
})
