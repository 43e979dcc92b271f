/** Outgoing webhooks: who is told that a client's data changed, and what became of each delivery. */
import { checkedWebhooks } from '../../events/checked-webhooks.ts'
import Type from '../../kernel/type.ts'
import {
  deliveryStates,
  Webhook,
  WebhookDelivery,
  WebhookDraft,
  WebhookWithSecret,
} from '../../schema/webhook-shapes.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute } from '../admin-route.ts'
import type { Resource } from '../changes/resource.ts'
import {
  badCursor,
  type Listed,
  listOf,
  listParameters,
  listShape,
  pageParameters,
  queryShape,
} from '../paging.ts'
import { notFound } from '../problems.ts'

const tag = 'Webhooks'
const params = Type.Object({ id: Type.String({ description: 'Id of the webhook' }) })
const refusals = { 404: 'There is no such webhook' } as const

const NewWebhook = Type.Object(
  {
    ...WebhookDraft.properties,
    accountId: Type.String({ description: 'The account that the webhook belongs to' }),
    url: Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'Where to send: https, unless the host is trusted (setting `trustedHosts`)',
    }),
  },
  { additionalProperties: false },
)

/** Failing deliveries change the times of failures. */
const resource: Resource<{ readonly id: string }> = {
  read: ({ webhooks }, { id }) => webhooks.find(id),
  within: 'webhook',
  without: ['failingSince', 'secret'],
}
const listed: Listed<Webhook> = {
  sorts: {
    createdAt: ({ createdAt }) => [createdAt],
    clientNumber: ({ clientNumber }) => [clientNumber],
    url: ({ url }) => [url],
  },
  id: ({ id }) => id,
  texts: ({ url, description }) => [url, description],
}

export const webhookRoutes: ResourceRoutes = (add, deps) => {
  readingRoutes(add, deps)
  changingRoutes(add, deps)
  deliveryRoutes(add, deps)
}

function readingRoutes(add: AddRoute, { store: { webhooks } }: AdminDeps): void {
  add({
    method: 'GET',
    path: '/webhooks',
    operationId: 'listWebhooks',
    role: 'viewer',
    tag,
    summary: 'List webhooks, by default oldest first',
    query: queryShape({
      accountId: Type.Optional(Type.String({ description: 'Only webhooks of this account' })),
      clientNumber: Type.Optional(Type.String({ description: 'Only webhooks of this client' })),
      ...listParameters(listed, 'URL or description'),
    }),
    answer: { description: 'A page of webhooks', shape: listShape(Webhook) },
    handle: async ({ query: { accountId, clientNumber, ...query } }) => {
      const all = await webhooks.list(accountId?.toLowerCase())
      const found = clientNumber === undefined ? all : all.filter((one) => one.clientNumber === clientNumber)
      return listOf(found, listed, query)
    },
  })
  add({
    method: 'GET',
    path: '/webhooks/:id',
    operationId: 'getWebhook',
    role: 'viewer',
    tag,
    summary: 'Get a webhook',
    params,
    answer: { description: 'The webhook', shape: Webhook },
    refusals,
    resource,
    handle: async ({ params: { id } }) => found(await webhooks.find(id), id),
  })
}

function changingRoutes(add: AddRoute, { store, targetRules }: AdminDeps): void {
  const webhooks = checkedWebhooks(store.webhooks, targetRules)
  add({
    method: 'POST',
    path: '/webhooks',
    operationId: 'createWebhook',
    role: 'admin',
    tag,
    summary: 'Register a webhook for an account',
    description: 'The secret that signs its deliveries is only in this response.',
    body: NewWebhook,
    answer: { status: 201, description: 'The webhook and its secret', shape: WebhookWithSecret },
    refusals: {
      404: 'There is no such account',
      409: 'The account has the most webhooks that an account may have',
    },
    resource,
    handle: async ({ body: { accountId, ...draft }, by }) => {
      const account = (await store.accounts.list()).find(({ id }) => id === accountId.toLowerCase())
      if (account === undefined) throw notFound('account', accountId)
      return webhooks.create(account, draft, by)
    },
  })
  add({
    method: 'PATCH',
    path: '/webhooks/:id',
    operationId: 'changeWebhook',
    role: 'admin',
    tag,
    summary: 'Change, pause or resume a webhook',
    description:
      'Members that are left out stay as they are. `isActive: true` resumes a webhook that was paused automatically.',
    params,
    body: WebhookDraft,
    answer: { description: 'The webhook', shape: Webhook },
    refusals,
    resource,
    handle: async ({ params: { id }, body, by }) => found(await webhooks.change(id, body, by), id),
  })
  add({
    method: 'POST',
    path: '/webhooks/:id/rotate-secret',
    operationId: 'rotateWebhookSecret',
    role: 'support',
    tag,
    summary: 'Replace the secret of a webhook',
    description: 'For 24 hours, deliveries are signed with the former secret as well.',
    params,
    answer: { description: 'The webhook and its new secret', shape: WebhookWithSecret },
    refusals,
    resource,
    handle: async ({ params: { id }, by }) => found(await webhooks.rotateSecret(id, by), id),
  })
  add({
    method: 'DELETE',
    path: '/webhooks/:id',
    operationId: 'removeWebhook',
    role: 'admin',
    tag,
    summary: 'Remove a webhook and its deliveries for good',
    params,
    answer: { status: 204, description: 'The webhook is removed' },
    refusals,
    resource,
    handle: async ({ params: { id }, by }) => {
      if (!(await webhooks.remove(id, by))) throw notFound('webhook', id)
    },
  })
}

/** One that is gone by now was among the oldest, and so was what followed it. */
const DELIVERY_ID = /^msg_[\w-]{20}$/

function deliveryRoutes(add: AddRoute, { store: { webhooks } }: AdminDeps): void {
  add({
    method: 'GET',
    path: '/webhooks/:id/deliveries',
    operationId: 'listWebhookDeliveries',
    role: 'viewer',
    tag,
    summary: 'List the deliveries of a webhook, newest first',
    params,
    query: queryShape({
      state: Type.Optional(Type.Enum([...deliveryStates], { description: 'Only deliveries in this state' })),
      ...pageParameters,
    }),
    answer: { description: 'A page of deliveries', shape: listShape(WebhookDelivery) },
    refusals,
    handle: async ({ params: { id }, query: { limit, ...filter } }) => {
      found(await webhooks.find(id), id)
      if (filter.after !== undefined && !DELIVERY_ID.test(filter.after)) throw badCursor()
      // One item more than fits shows whether this is the last page.
      const deliveries = await webhooks.deliveries(id, { ...filter, limit: limit + 1 })
      const items = deliveries.slice(0, limit)
      const next = deliveries.length > limit ? String(items.at(-1)?.id) : null
      return { items, next, total: await webhooks.deliveryCount(id, filter.state) }
    },
  })
  add({
    method: 'POST',
    path: '/webhooks/:id/deliveries/:deliveryId/resend',
    operationId: 'resendWebhookDelivery',
    role: 'support',
    tag,
    summary: 'Send a delivery again, with the same id',
    params: Type.Object({
      ...params.properties,
      deliveryId: Type.String({ description: 'Id of the delivery' }),
    }),
    answer: { status: 202, description: 'The delivery, which will be sent', shape: WebhookDelivery },
    refusals: { 404: 'There is no such webhook or delivery' },
    handle: async ({ params: { id, deliveryId }, by }) => {
      found(await webhooks.find(id), id)
      const delivery = await webhooks.resend(id, deliveryId, by)
      if (delivery === null) throw notFound('delivery', deliveryId)
      return delivery
    },
  })
  add({
    method: 'POST',
    path: '/webhooks/:id/test',
    operationId: 'testWebhook',
    role: 'support',
    tag,
    summary: 'Send a message of the type `webhook.test`',
    params,
    answer: { status: 202, description: 'The delivery, which will be sent', shape: WebhookDelivery },
    refusals,
    handle: async ({ params: { id }, by }) => found(await webhooks.sendTest(id, by), id),
  })
}

function found<T>(webhook: T | null, id: string): T {
  if (webhook === null) throw notFound('webhook', id)
  return webhook
}
