/** One delivery: its attempts with their answers, and the message as it was sent. */
import { Drawer, Table, Textarea } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatDuration } from '../../format/numbers.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Fields } from '../../parts/fields.tsx'
import { Section } from '../../parts/section.tsx'
import { Moment } from '../../parts/time.tsx'
import { dialogTexts } from '../../texts/dialogs.ts'
import { webhookTexts as texts } from '../../texts/webhooks.ts'
import { answerText } from './answer-text.ts'
import type { Delivery } from './webhook-queries.ts'

type Props = {
  /** Undefined when none is open. */
  readonly delivery: Delivery | undefined
  readonly onClose: () => void
}

export const DeliveryDrawer = ({ delivery, onClose }: Props): ReactNode => (
  <Drawer
    opened={delivery !== undefined}
    onClose={onClose}
    position="right"
    size="lg"
    title={texts.delivery}
    closeButtonProps={{ 'aria-label': dialogTexts.close }}
  >
    {delivery !== undefined && <DeliveryDetails delivery={delivery} />}
  </Drawer>
)

function DeliveryDetails({ delivery }: { readonly delivery: Delivery }): ReactNode {
  const message = JSON.stringify(delivery.message, null, 2)
  return (
    <>
      <Section title={texts.delivery}>
        <Fields
          fields={[
            [texts.id, delivery.id],
            [texts.state, texts.deliveryStates[delivery.state]],
            [texts.created, <Moment key="created" value={delivery.createdAt} />],
            [texts.next, <Moment key="next" value={delivery.nextAttemptAt} />],
          ]}
        />
      </Section>
      <Section title={texts.attempts}>
        {delivery.attempts.length === 0 ? (
          texts.notSent
        ) : (
          <Table fz="sm" aria-label={texts.attempts}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{texts.sent}</Table.Th>
                <Table.Th>{texts.answer}</Table.Th>
                <Table.Th ta="right">{texts.duration}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {delivery.attempts.map((attempt) => (
                <Table.Tr key={attempt.at}>
                  <Table.Td>
                    <Moment value={attempt.at} />
                  </Table.Td>
                  <Table.Td>{answerText(attempt)}</Table.Td>
                  <Table.Td ta="right">{formatDuration(attempt.milliseconds)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Section>
      <Section title={texts.message} actions={<CopyButton text={message} label={texts.copyMessage} />}>
        <Textarea readOnly autosize maxRows={24} aria-label={texts.message} value={message} />
      </Section>
    </>
  )
}
