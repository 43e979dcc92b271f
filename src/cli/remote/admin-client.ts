/**
 * Calls the admin API of a service elsewhere. Refusals come back as the problems that the service raised, with their codes, so
 * that a command fails in the same way as on a data folder; what the service cannot say itself is END202 to END206.
 */
import { setTimeout } from 'node:timers/promises'
import { DetailedProblem, Problem, type ProblemCode, type ProblemDetail } from '../../kernel/problem.ts'
import { kindOfCode } from '../../kernel/problems/codes.ts'
import { notAllowed, tokenRefused, unexpectedAnswer, unreachable, untrusted } from './problems.ts'

export type Place = { readonly server: string; readonly token: string }

type Query = Readonly<Record<string, string | number | undefined>>

type Sent = {
  readonly query?: Query
  readonly body?: unknown
  /** The version that is to be changed; `*` for any. */
  readonly ifMatch?: string | undefined
}

/** The body is null for an answer without one. */
type Answer<Body> = { readonly body: Body; readonly etag: string | undefined }

type Page<Item> = { readonly items: readonly Item[]; readonly next: string | null }

export class AdminClient {
  readonly #place: Place

  constructor(place: Place) {
    this.#place = place
  }

  async get<Body>(path: string, query: Query = {}): Promise<Answer<Body>> {
    return this.send('GET', path, { query })
  }

  /** All pages of a list. */
  async all<Item>(path: string, query: Query = {}): Promise<readonly Item[]> {
    const items: Item[] = []
    let after: string | undefined
    do {
      const { body } = await this.get<Page<Item>>(path, { ...query, limit: 500, after })
      items.push(...body.items)
      after = body.next ?? undefined
    } while (after !== undefined)
    return items
  }

  /** @param path after `/api/admin/v1`; its variable parts are encoded */
  async send<Body>(
    method: string,
    path: string,
    { query = {}, body, ifMatch }: Sent = {},
  ): Promise<Answer<Body>> {
    const { server, token } = this.#place
    const given = Object.entries(query).filter(([, value]) => value !== undefined)
    const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))
    const address = `${server}/api/admin/v1${path}${search.size === 0 ? '' : `?${search}`}`
    const response = await this.#fetch(address, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // A token must not go where the operator did not send it.
      redirect: 'manual',
    })
    const text = await response.text().catch((cause) => {
      throw connectionFailure(server, cause)
    })
    if (!response.ok) throw refusal(server, response, text)
    const etag = response.headers.get('etag') ?? undefined
    return { body: (response.status === 204 ? null : jsonOf(server, text)) as Body, etag }
  }

  /** Waits and repeats what the service could not take at the moment: many endpoints are many requests. */
  async #fetch(address: string, init: RequestInit): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(address, init).catch((cause) => {
        throw connectionFailure(this.#place.server, cause)
      })
      const seconds = Number(response.headers.get('retry-after') ?? 'none')
      if (response.status !== 429 || attempt > MOST_REPEATS || !(seconds <= LONGEST_WAIT_SECONDS))
        return response
      await response.body?.cancel()
      await setTimeout(1000 * seconds)
    }
  }
}

const MOST_REPEATS = 3
const LONGEST_WAIT_SECONDS = 5

function jsonOf(server: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unexpectedAnswer(server, 'a body that is not JSON')
  }
}

/** OpenSSL and Node.js name faults of certificates like this. */
const TLS_FAULT = /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_/

function connectionFailure(server: string, thrown: unknown): Problem {
  // Fetch says only `fetch failed`; its cause says why.
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const message = cause instanceof Error ? cause.message : String(cause)
  const reason = message === '' || message.includes(code) ? message || code : `${message} (${code})`
  return TLS_FAULT.test(code) ? untrusted(server, reason, thrown) : unreachable(server, reason, thrown)
}

type Refusal = { readonly error?: unknown; readonly message?: unknown; readonly details?: unknown }

function refusal(server: string, { status, headers }: Response, text: string): Problem {
  if (status >= 300 && status < 400) {
    return unexpectedAnswer(server, `status ${status}, which leads to ${headers.get('location')}`)
  }
  const { error, details } = refusalIn(text)
  const code = headers.get('x-error-code') ?? ''
  if (status === 401) return tokenRefused(server)
  if (typeof error !== 'string') return unexpectedAnswer(server, `status ${status} with another body`)
  if (status === 403) return notAllowed(server, error)
  // A route that is not there, or a code of another version: the kind, and so the exit code, would be a guess.
  if (code === 'SRV101' || !isCode(code)) return unexpectedAnswer(server, `status ${status}: ${error}`)
  return Array.isArray(details)
    ? new DetailedProblem(code, error, details as readonly ProblemDetail[])
    : new Problem(code, error)
}

function refusalIn(text: string): Refusal {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

const isCode = (code: string): code is ProblemCode => Object.hasOwn(kindOfCode, code)
