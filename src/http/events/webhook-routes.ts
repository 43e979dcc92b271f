/**
 * `/api/events/v1/webhooks`: an account registers webhooks for itself, where the operator allows it. An account sees its own
 * webhooks only; those of others do not exist for it.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { RateLimiter } from '../../auth/limits/rate-limiter.ts'
import type { DeliveryFilter } from '../../directory/webhooks/delivery-log.ts'
import type { Webhooks } from '../../directory/webhooks/webhooks.ts'
import type { Observe } from '../../observe/observation.ts'
import {
  type DeliveryState,
  deliveryStates,
  type Webhook,
  type WebhookDraft,
} from '../../schema/webhook-shapes.ts'
import { type Authenticate, requireApiKey, requireDeliberateApiKey } from '../guards.ts'
import { readParameters } from '../lists/query-parameters.ts'
import { type WebhookOperation, webhookOperations } from '../openapi/webhooks.ts'
import { badDeliveryParameter, notAJsonObject, unknownWebhook, webhooksNotAllowed } from '../problems.ts'
import { limitRate } from '../rate-limit.ts'
import type { RefuseCaller } from '../refuse-caller.ts'
import type { AuthenticatedAccount } from '../request-report.ts'

export type WebhookRouteDeps = {
  readonly authenticate: Authenticate
  readonly webhooks: Webhooks
  /** False unless the operator lets accounts register webhooks for themselves. */
  readonly mayRegister: boolean
  readonly rateLimiters: { readonly v2: RateLimiter | null }
  readonly observe: Observe
  readonly refuseCaller?: RefuseCaller | undefined
}

const PATH = '/api/events/v1/webhooks'
const MOST_BODY_BYTES = 16 * 1024
const MOST_DELIVERIES = 500
const USUAL_DELIVERIES = 50

type Params = { readonly id: string; readonly deliveryId: string }

export function webhookRoutes(server: FastifyInstance, deps: WebhookRouteDeps): void {
  const { webhooks } = deps
  const limit = limitRate('v2', deps.rateLimiters.v2)
  const [reading, changing] = [
    [requireApiKey(deps.authenticate, deps), limit],
    [requireDeliberateApiKey(deps.authenticate, deps), limit],
  ]
  const add = (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    operation: WebhookOperation,
    handle: Handle,
  ) =>
    server.route<{ Params: Params }>({
      method,
      url: PATH + path,
      schema: webhookOperations[operation],
      onRequest: method === 'GET' ? reading : changing,
      bodyLimit: MOST_BODY_BYTES,
      handler: answering(handle, deps.mayRegister),
    })
  const own = async ({ account, params: { id } }: Asked): Promise<Webhook> => {
    const webhook = await webhooks.find(id)
    if (webhook?.accountId !== account.accountId) throw unknownWebhook(id)
    return webhook
  }
  // Another request may have removed it meanwhile.
  const known = <T>(found: T | null, id: string): T => {
    if (found === null) throw unknownWebhook(id)
    return found
  }
  const by = ({ account }: Asked) => `account:${account.accountId}`

  add('GET', '', 'list', async ({ account }) => ({ items: await webhooks.list(account.accountId) }))
  add('POST', '', 'create', async (asked) => {
    const { accountId: id, clientNumber } = asked.account
    return created(await webhooks.create({ id, clientNumber }, draftIn(asked), by(asked)))
  })
  add('GET', '/:id', 'get', own)
  add('PATCH', '/:id', 'change', async (asked) => {
    const { id } = await own(asked)
    return known(await webhooks.change(id, draftIn(asked), by(asked)), id)
  })
  add('DELETE', '/:id', 'remove', async (asked) => {
    const { id } = await own(asked)
    await webhooks.remove(id, by(asked))
    return removed
  })
  add('POST', '/:id/rotate-secret', 'rotateSecret', async (asked) => {
    const { id } = await own(asked)
    return known(await webhooks.rotateSecret(id, by(asked)), id)
  })
  add('POST', '/:id/test', 'test', async (asked) => {
    const { id } = await own(asked)
    return accepted(known(await webhooks.sendTest(id, by(asked)), id))
  })
  add('GET', '/:id/deliveries', 'deliveries', async (asked) => {
    const { id } = await own(asked)
    const { limit, ...filter } = pageIn(asked.url)
    const found = await webhooks.deliveries(id, { ...filter, limit: limit + 1 })
    const items = found.slice(0, limit)
    return { items, next: found.length > limit ? items.at(-1)?.id : null }
  })
  add('POST', '/:id/deliveries/:deliveryId/resend', 'resend', async (asked) => {
    const { id } = await own(asked)
    const { deliveryId } = asked.params
    return accepted(known(await webhooks.resend(id, deliveryId, by(asked)), deliveryId))
  })
}

type Asked = {
  readonly account: AuthenticatedAccount
  readonly params: Params
  readonly body: unknown
  readonly url: string
}

type Handle = (asked: Asked) => unknown

/** A body with another status than 200. */
class Answered {
  readonly status: number
  readonly body: unknown
  constructor(status: number, body: unknown) {
    this.status = status
    this.body = body
  }
}
const created = (body: unknown) => new Answered(201, body)
const accepted = (body: unknown) => new Answered(202, body)
const removed = new Answered(204, undefined)

function answering(handle: Handle, mayRegister: boolean): RouteHandlerMethod {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (!mayRegister) throw webhooksNotAllowed()
    const account = request.account as AuthenticatedAccount
    const params = request.params as Params
    const found = await handle({ account, params, body: request.body, url: request.raw.url as string })
    const { status, body } = found instanceof Answered ? found : new Answered(200, found)
    reply.header('cache-control', 'no-store').code(status)
    if (status === 204) return reply.send()
    return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(body))
  }
}

/** The store checks its members. */
function draftIn({ body }: Asked): WebhookDraft {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw notAJsonObject()
  return body as WebhookDraft
}

function pageIn(url: string): Required<DeliveryFilter> {
  const given = new Map(readParameters(url))
  const limit = given.get('limit') ?? `${USUAL_DELIVERIES}`
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > MOST_DELIVERIES) {
    throw badDeliveryParameter('limit', `a number from 1 to ${MOST_DELIVERIES}`, limit)
  }
  const state = given.get('state')
  if (state !== undefined && !isState(state)) {
    throw badDeliveryParameter('state', `one of ${deliveryStates.join(', ')}`, state)
  }
  return { limit: Number(limit), after: given.get('after'), state }
}

const isState = (text: string): text is DeliveryState => (deliveryStates as readonly string[]).includes(text)
