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
  readonly streamLimits?: StreamLimits
  readonly rateLimiters: { readonly v2: RateLimiter | null }
  readonly observe: Observe
  readonly refuseCaller?: RefuseCaller | undefined
}

/** The most streams of one thread. Each costs a connection. */
type StreamLimits = {
  readonly streams: number
  readonly ofClient: number
  readonly ofAccount: number
}

const defaultStreamLimits: StreamLimits = { streams: 1000, ofClient: 100, ofAccount: 10 }

/** A stream ends so often, and its reader returns: a key that was replaced or locked meanwhile is refused then. */
const STREAM_LASTS_MS = 60_000

export function streamRoute(server: FastifyInstance, deps: StreamRouteDeps): void {
  const { authenticate, dataChanges, observe, streamLimits: most = defaultStreamLimits } = deps
  const streams = new EventStreams<RecordedChange>(
    dataChanges,
    ({ sequence, at, data }) =>
      eventText('data.changed', idOf(sequence), { type: 'data.changed', timestamp: at, data }),
    { writeId: idOf },
  )
  const [ofAccounts, ofClients] = [new Counts(), new Counts()]
  // Streams must end before the server waits for open responses, because a stream is one.
  server.addHook('preClose', async () => streams.close())
  server.route({
    method: 'GET',
    url: '/api/events/v1/stream',
    schema: streamOperation,
    onRequest: [requireApiKey(authenticate, deps), limitRate('v2', deps.rateLimiters.v2)],
    handler: async (request, reply) => {
      const { accountId, clientNumber } = request.account as AuthenticatedAccount
      if (ofAccounts.of(accountId) >= most.ofAccount)
        throw tooManyDataStreams(most.ofAccount, 'of an account')
      if (ofClients.of(clientNumber) >= most.ofClient) throw tooManyDataStreams(most.ofClient, 'of a client')
      if (ofAccounts.total >= most.streams) throw tooManyDataStreams(most.streams, 'in all')
      const last = lastEventId(request.raw.headers['last-event-id'])
      if (!reply.raw.closed) {
        ofAccounts.add(accountId, 1)
        ofClients.add(clientNumber, 1)
        reply.raw.once('close', () => {
          ofAccounts.add(accountId, -1)
          ofClients.add(clientNumber, -1)
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

/** How many streams each has. They count from the request on: many that open at once must not pass together. */
class Counts {
  readonly #counts = new Map<string, number>()
  total = 0

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  add(name: string, change: 1 | -1): void {
    this.total += change
    const count = this.of(name) + change
    if (count === 0) this.#counts.delete(name)
    else this.#counts.set(name, count)
  }
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
