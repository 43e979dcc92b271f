/** The operations of `/api/events/v1` in the OpenAPI document: webhooks that an account registers for itself, and the stream. */
import type { FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import Type from '../../kernel/type.ts'
import { nullable } from '../../schema/shapes.ts'
import {
  deliveryStates,
  Webhook,
  WebhookDelivery,
  WebhookDraft,
  WebhookWithSecret,
} from '../../schema/webhook-shapes.ts'
import {
  errorAnswer,
  failed,
  header,
  type Operation,
  one,
  requestIdAnswer,
  unauthorised,
  unavailable,
} from './answers.ts'

const tags = ['Events']
const security = [{ apiKey: [] }]

const pathParams = Type.Object({ id: Type.String({ description: 'Id of the webhook' }) })
const deliveryParams = Type.Object({
  ...pathParams.properties,
  deliveryId: Type.String({ description: 'Id of the delivery' }),
})

const answer = (description: string, shape: TSchema) => ({
  description,
  headers: requestIdAnswer,
  content: { 'application/json': { schema: shape } },
})

const refusals = {
  401: unauthorised,
  403: errorAnswer(
    'The operator does not let accounts register webhooks',
    'Error',
    one({ error: 'This service does not let accounts register webhooks. Ask its operator to register one' }),
  ),
  429: errorAnswer('Too many requests', 'Error', one({ error: 'Too many requests; retry after 1 second' }), {
    'Retry-After': header('Seconds to wait'),
  }),
  500: failed,
  503: unavailable,
}

const unknown = {
  404: errorAnswer('The account has no such webhook', 'Error', one({ error: "There is no webhook 'x'" })),
}
const malformed = {
  400: errorAnswer(
    'The body or the URL cannot be accepted',
    'Error',
    one({ error: "Expected a URL that begins with https:// and found 'http://example.com/'" }),
  ),
}

type Described = Pick<Operation, 'operationId' | 'summary' | 'description'> & {
  readonly params?: TSchema
  readonly body?: TSchema
  readonly querystring?: TSchema
  readonly response: Record<number, unknown>
}

const operation = ({ response, ...described }: Described): FastifySchema =>
  ({ ...described, tags, security, response: { ...response, ...refusals } }) satisfies Operation

export const webhookOperations = {
  list: operation({
    operationId: 'listOwnWebhooks',
    summary: "The account's webhooks",
    description: 'Webhooks of the account of the key, oldest first.',
    response: { 200: answer('All webhooks', Type.Object({ items: Type.Array(Webhook) })) },
  }),
  create: operation({
    operationId: 'createOwnWebhook',
    summary: 'Registers a webhook',
    description:
      "A webhook is sent a POST whenever the client's data changed, signed by the rules of Standard Webhooks. The secret is only in this answer.",
    body: WebhookDraft,
    response: {
      201: answer('The webhook and its secret', WebhookWithSecret),
      ...malformed,
      409: errorAnswer(
        'The account has the most webhooks that an account may have',
        'Error',
        one({ error: 'An account has at most 20 webhooks' }),
      ),
    },
  }),
  get: operation({
    operationId: 'getOwnWebhook',
    summary: 'One webhook',
    description: 'Also says since when it has been failing, and why it was paused.',
    params: pathParams,
    response: { 200: answer('The webhook', Webhook), ...unknown },
  }),
  change: operation({
    operationId: 'changeOwnWebhook',
    summary: 'Changes, pauses or resumes a webhook',
    description: 'Members that are left out stay as they are.',
    params: pathParams,
    body: WebhookDraft,
    response: { 200: answer('The webhook', Webhook), ...malformed, ...unknown },
  }),
  remove: operation({
    operationId: 'removeOwnWebhook',
    summary: 'Removes a webhook',
    description: 'Its deliveries are removed too.',
    params: pathParams,
    response: { 204: { description: 'The webhook is removed', type: 'null' }, ...unknown },
  }),
  rotateSecret: operation({
    operationId: 'rotateOwnWebhookSecret',
    summary: 'Replaces the secret of a webhook',
    description: 'For 24 hours, deliveries are signed with the former secret as well.',
    params: pathParams,
    response: { 200: answer('The webhook and its new secret', WebhookWithSecret), ...unknown },
  }),
  test: operation({
    operationId: 'testOwnWebhook',
    summary: 'Sends a test message',
    description: 'Its type is `webhook.test`.',
    params: pathParams,
    response: { 202: answer('The delivery, which will be sent', WebhookDelivery), ...unknown },
  }),
  deliveries: operation({
    operationId: 'listOwnWebhookDeliveries',
    summary: 'The deliveries of a webhook',
    description: 'Newest first, with the attempts of each.',
    params: pathParams,
    querystring: Type.Object({
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 500, default: 50, description: 'The most items on one page' }),
      ),
      after: Type.Optional(Type.String({ description: '`next` of the page before' })),
      state: Type.Optional(Type.Enum([...deliveryStates], { description: 'Only deliveries in this state' })),
    }),
    response: {
      200: answer(
        'A page of deliveries',
        Type.Object({ items: Type.Array(WebhookDelivery), next: nullable(Type.String()) }),
      ),
      ...malformed,
      ...unknown,
    },
  }),
  resend: operation({
    operationId: 'resendOwnWebhookDelivery',
    summary: 'Sends a delivery again',
    description: 'With the same id, whatever became of it.',
    params: deliveryParams,
    response: { 202: answer('The delivery, which will be sent', WebhookDelivery), ...unknown },
  }),
}

export type WebhookOperation = keyof typeof webhookOperations

export const streamOperation: FastifySchema = {
  operationId: 'streamChanges',
  tags,
  security,
  summary: "Says live when the client's data changed",
  description:
    'Sends server-sent events named `data.changed` with the same JSON as a webhook. With `Last-Event-ID` the stream continues ' +
    'after that event; without it, only new events are sent. An event named `missed` says that older events are gone: read ' +
    'the changes of the lists. The stream ends after a minute, and readers reconnect.',
  headers: Type.Object({
    'Last-Event-ID': Type.Optional(Type.String({ description: 'Id of the last event that the reader has' })),
  }),
  response: {
    200: {
      description: 'Events',
      headers: requestIdAnswer,
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
    400: errorAnswer(
      '`Last-Event-ID` is malformed',
      'Error',
      one({ error: 'Last-Event-ID must be the id of an event' }),
    ),
    401: unauthorised,
    429: refusals[429],
    500: failed,
    503: unavailable,
  },
} satisfies Operation
