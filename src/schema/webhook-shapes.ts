/** The shapes of outgoing webhooks: what is registered, what is sent, and the log of deliveries. */
import type { Static } from 'typebox'
import Type from '../kernel/type.ts'
import { moment, nullable } from './shapes.ts'

const lists = ['bookings', 'invoices', 'itineraries'] as const
const id = Type.String({ format: 'uuid' })
const strict = { additionalProperties: false }

export const WebhookDraft = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        description: 'Where to send: https, unless an operator trusts the host (setting `trustedHosts`)',
      }),
    ),
    description: Type.Optional(nullable(Type.String({ maxLength: 500 }))),
    lists: Type.Optional(
      nullable(
        Type.Array(Type.Enum([...lists]), {
          minItems: 1,
          maxItems: lists.length,
          uniqueItems: true,
          description: 'Only changes of these lists are sent; null for all lists',
        }),
      ),
    ),
    isActive: Type.Optional(
      Type.Boolean({
        description: 'False pauses the webhook; true resumes it, also after an automatic pause',
      }),
    ),
  },
  strict,
)

export const Webhook = Type.Object({
  id,
  accountId: Type.String({ format: 'uuid', description: 'The account that the webhook belongs to' }),
  clientNumber: Type.String({ description: 'The client whose changes are sent' }),
  url: Type.String(),
  description: nullable(Type.String()),
  lists: nullable(Type.Array(Type.Enum([...lists]))),
  isActive: Type.Boolean(),
  pausedReason: nullable(
    Type.String({ description: 'Why the webhook was paused automatically; null when it was not' }),
  ),
  failingSince: nullable(moment('First failure since the last success')),
  oldSecretUntil: nullable(moment('Until when deliveries are signed with the secret before as well')),
  createdAt: moment('Creation'),
  createdBy: Type.String(),
  updatedAt: moment('Last change'),
})

/** The secret is shown once, where it was made. */
export const WebhookWithSecret = Type.Object({
  webhook: Webhook,
  secret: Type.String({
    description:
      'Signs the deliveries (Standard Webhooks, `whsec_` and base64). Shown once and not retrievable later',
  }),
})

const count = (what: string) =>
  nullable(Type.Integer({ minimum: 0, description: `${what}; null when it is not known how many` }))

const ListChanges = Type.Object({
  added: count('Records added'),
  changed: count('Records changed'),
  removed: count('Records removed'),
  changes: Type.String({
    description: 'Path of the changes; add `?since=` and the token of the last reading',
  }),
})

/** What changed for one client from one snapshot to the next. Lists without a change are left out. */
export const DataChange = Type.Object({
  clientNumber: Type.String(),
  snapshotId: Type.String(),
  lists: Type.Object({
    bookings: Type.Optional(ListChanges),
    invoices: Type.Optional(ListChanges),
    itineraries: Type.Optional(ListChanges),
  }),
})

export const WebhookMessage = Type.Object({
  type: Type.Enum(['data.changed', 'webhook.test']),
  timestamp: moment('When the change was found'),
  data: DataChange,
})

export const deliveryStates = ['pending', 'delivered', 'failed'] as const

const Attempt = Type.Object({
  at: moment('When it was sent'),
  status: nullable(Type.Integer({ description: 'Status of the answer; null without an answer' })),
  error: nullable(Type.String({ description: 'Why it failed; null when it did not' })),
  milliseconds: Type.Integer({ minimum: 0 }),
})

export const WebhookDelivery = Type.Object({
  id: Type.String({ description: 'The id of the message, `webhook-id` in each attempt' }),
  webhookId: id,
  state: Type.Enum([...deliveryStates]),
  message: WebhookMessage,
  attempts: Type.Array(Attempt, { description: 'The newest ones, oldest first' }),
  nextAttemptAt: nullable(moment('When it is sent again; null unless it is pending')),
  createdAt: moment('Creation'),
})

export type WebhookDraft = Static<typeof WebhookDraft>
export type Webhook = Static<typeof Webhook>
export type WebhookWithSecret = Static<typeof WebhookWithSecret>
export type DataChange = Static<typeof DataChange>
export type WebhookMessage = Static<typeof WebhookMessage>
export type WebhookDelivery = Static<typeof WebhookDelivery>
export type DeliveryState = (typeof deliveryStates)[number]
export type Attempt = Static<typeof Attempt>
