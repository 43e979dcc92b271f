/**
 * `GET /api/events/v1/stream`: server-sent events that say when the caller's data changed (WHATWG HTML, section 9.2). A stream
 * that was lost continues after the event that `Last-Event-ID` names.
 */
import type { FastifyInstance } from 'fastify'
import type { RateLimiter } from '../../auth/limits/rate-limiter.ts'
import type { DataChanges, RecordedChange } from '../../directory/webhooks/data-changes.ts'
import { EventStreams, eventText } from '../../events/event-streams.ts'
import type { Observe } from '../../observe/observation.ts'
import { type Authenticate, requireApiKey } from '../guards.ts'
import { streamOperation } from '../openapi/webhooks.ts'
import { badLastEventId, tooManyDataStreams } from '../problems.ts'
import { limitRate } from '../rate-limit.ts'
import type { RefuseCaller } from '../refuse-caller.ts'
import type { AuthenticatedAccount } from '../request-report.ts'

export type StreamRouteDeps = {
  readonly authenticate: Authenticate
  readonly dataChanges: DataChanges
  readonly rateLimiters: { readonly v2: RateLimiter | null }
  readonly observe: Observe
  readonly refuseCaller?: RefuseCaller | undefined
}

/** The most streams of one thread, and those of one account. Each costs a connection. */
const MOST_STREAMS = 1000
const MOST_OF_AN_ACCOUNT = 10

/** A stream ends so often, and its reader returns: a key that was replaced or locked meanwhile is refused then. */
const STREAM_LASTS_MS = 60_000

export function streamRoute(server: FastifyInstance, deps: StreamRouteDeps): void {
  const { authenticate, dataChanges, observe } = deps
  const streams = new EventStreams<RecordedChange>(
    dataChanges,
    ({ sequence, at, data }) =>
      eventText('data.changed', idOf(sequence), { type: 'data.changed', timestamp: at, data }),
    { writeId: idOf },
  )
  const open = new Map<string, number>()
  // Streams must end before the server waits for open responses, because a stream is one.
  server.addHook('preClose', async () => streams.close())
  server.route({
    method: 'GET',
    url: '/api/events/v1/stream',
    schema: streamOperation,
    onRequest: [requireApiKey(authenticate, deps), limitRate('v2', deps.rateLimiters.v2)],
    handler: async (request, reply) => {
      const { accountId, clientNumber } = request.account as AuthenticatedAccount
      const count = open.get(accountId) ?? 0
      if (streams.size >= MOST_STREAMS) throw tooManyDataStreams(MOST_STREAMS)
      if (count >= MOST_OF_AN_ACCOUNT) throw tooManyDataStreams(MOST_OF_AN_ACCOUNT)
      const last = lastEventId(request.raw.headers['last-event-id'])
      if (!reply.raw.closed) {
        open.set(accountId, count + 1)
        reply.raw.once('close', () => {
          const left = (open.get(accountId) ?? 1) - 1
          if (left === 0) open.delete(accountId)
          else open.set(accountId, left)
        })
      }
      const gap = last === null ? null : await endOfGap(dataChanges, clientNumber, last)
      const output = await streams.open({
        reader: clientNumber,
        last: gap ?? (last === OF_EARLIER_VERSION ? null : last),
        // With the number behind the gap: a reader that is told once is not told again when it reconnects.
        opening: gap === null ? '' : eventText('missed', idOf(gap), {}),
        expiresAt: Date.now() + STREAM_LASTS_MS,
        response: reply.raw,
        onFailure: (cause) => observe({ kind: 'request-failed', requestId: request.id, cause }),
      })
      // Proxies must not buffer events.
      reply.headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
      return reply.type('text/event-stream').send(output)
    },
  })
}

/** The id of an event: the client counts its own changes, so it tells nothing of other clients. */
const idOf = (sequence: number): string => `c${sequence}`

/** An id as earlier versions wrote it: a number that counted the changes of all clients. */
const OF_EARLIER_VERSION = 'of an earlier version'

type LastEventId = number | typeof OF_EARLIER_VERSION

/**
 * Events after this one may have been removed since: then its reader has to read the changes itself. It has to after an id of an
 * earlier version as well: whoever could continue after any number that counts the changes of all could find out how many there are.
 *
 * @returns the number of the last event that may be missing; null without any
 */
async function endOfGap(
  dataChanges: DataChanges,
  clientNumber: string,
  last: LastEventId,
): Promise<number | null> {
  // In this order: what is recorded in between is not missing.
  const newest = await dataChanges.newestOf(clientNumber)
  const oldest = await dataChanges.oldestOf(clientNumber)
  // A number beyond the newest comes from a store that was replaced, perhaps by an older copy.
  if (last === OF_EARLIER_VERSION || last > Math.max(newest, oldest ?? 0)) return newest
  const end = oldest === null ? newest : oldest - 1
  return last < end ? end : null
}

function lastEventId(header: string | string[] | undefined): LastEventId | null {
  if (header === undefined || header === '') return null
  const [, mark, number] = /^(c?)(\d{1,15})$/.exec(String(header)) ?? []
  if (number === undefined) throw badLastEventId()
  return mark === '' ? OF_EARLIER_VERSION : Number(number)
}
