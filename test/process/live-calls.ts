/** For the tests of live runs: calls of endpoints, requests of an operator, and the stream of what happens to runs. */
import assert from 'node:assert/strict'
import { issueToken } from '../../src/auth/tokens/issuer.ts'
import { tokenRules } from '../../src/auth/tokens/rules.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { History } from '../../src/directory/history/history.ts'
import type { Execution } from '../../src/schema/execution-shapes.ts'
import type { Json } from '../fixtures/json.ts'

/** What a run needs to go on until it is cancelled. */
export const endless = {
  milliseconds: 300_000,
  statements: 1_000_000_000,
  loops: 1_000_000_000,
  concurrency: 100,
} as const

export const BY = 'user:ben@example.com'

export type Operator = (method: string, path: string) => Promise<{ status: number; body: Json }>

export async function tokenFor(data: string): Promise<string> {
  const rules = tokenRules(loadConfig({ env: {}, flags: { data } }))
  const { token } = await issueToken(rules, { name: 'Ben', email: 'ben@example.com', roles: ['admin'] }, 3600)
  return token
}

export const operatorOf =
  (address: string, token: string): Operator =>
  async (method, path) => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${address}/api/admin/v1${path}`, { method, headers })
    return { status: response.status, body: (await response.json()) as Json }
  }

type StreamEvent = { readonly event: string; readonly data: Json }

export type LiveStream = {
  readonly events: readonly StreamEvent[]
  /** Waits until one of the events matches. */
  readonly until: (matches: (event: StreamEvent) => boolean) => Promise<StreamEvent>
  readonly close: () => void
}

export async function openStream(address: string, token: string, query = ''): Promise<LiveStream> {
  const closing = new AbortController()
  const response = await fetch(`${address}/api/admin/v1/executions/live/stream${query}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: closing.signal,
  })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/event-stream')
  const events: StreamEvent[] = []
  let changed = Promise.withResolvers<void>()
  const read = async () => {
    let text = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/m.exec(block) ?? []
        if (event !== undefined) events.push({ event, data: JSON.parse(data ?? '') as Json })
      }
      changed.resolve()
      changed = Promise.withResolvers()
    }
  }
  read().catch(() => undefined)
  return {
    events,
    until: async (matches) => {
      for (;;) {
        const found = events.find(matches)
        if (found !== undefined) return found
        await changed.promise
      }
    },
    close: () => closing.abort(),
  }
}

/** A row is written shortly after its run. */
export async function rowOf(history: History, id: string): Promise<Execution> {
  for (;;) {
    const execution = await history.find(id)
    if (execution !== null) return execution
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
