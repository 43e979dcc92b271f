/** Opens real stores in a temporary folder for a test, and a script runner over them. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ControlStore } from '../../directory/control-store.ts'
import type { History } from '../../directory/history/history.ts'
import { openControlStore, openHistory } from '../../directory/open-stores.ts'
import { placeControlStore, placeHistory } from '../../directory/testing/store-files.ts'
import type { Cancellation } from '../../kernel/cancellation.ts'
import { anonymous, type User } from '../../kernel/user.ts'
import type { Observation } from '../../observe/observation.ts'
import type { RunPlace } from '../../script/script.ts'
import type { OutboundServices } from '../host/outbound/run-outbound.ts'
import type { QueryRecords, RunSnapshot } from '../host/query-records.ts'
import { createScriptAnswerer } from '../runs/run-endpoint.ts'
import type { RecordedRun, Recording, RunJob, RunScript, ScriptRequest } from '../runs/run-states.ts'
import { outboundServices } from './outbound-services.ts'

export type Asked = {
  readonly request?: Partial<ScriptRequest>
  readonly limits?: RunJob['endpoint']['limits']
  readonly type?: RunJob['type']
  readonly source?: RunJob['source']
  readonly endpointId?: string
  readonly executionId?: string
  readonly arrivedAt?: number
  readonly requestId?: string
  readonly cancellation?: Cancellation
  readonly recording?: Recording
  readonly place?: RunPlace
  readonly allowedHosts?: readonly string[]
  readonly sampleAnswers?: RunJob['sampleAnswers']
}

export type Runs = {
  readonly store: ControlStore
  readonly history: History
  readonly observations: Observation[]
  readonly run: (script: string, asked?: Asked) => Promise<RecordedRun>
  readonly runJob: RunScript
  /** Sets `Data._payload` to the expression and returns its value; throws when the run fails. */
  readonly answer: (expression: string, asked?: Asked) => Promise<unknown>
  readonly close: () => Promise<void>
}

export const ENDPOINT_ID = '00000000-0000-4000-8000-000000000001'

export const caller: User = {
  ...anonymous,
  isAuthenticated: true,
  name: 'Ada',
  principalId: 'user:ada@example.com',
  email: 'ada@example.com',
  roles: ['reports'],
  claims: [{ type: 'sub', value: '7' }],
}

export type RunOptions = {
  readonly query?: QueryRecords
  readonly snapshot?: RunSnapshot | null
  readonly historyBodyBytes?: number
  readonly outbound?: OutboundServices
  readonly cardNumbers?: 'mask' | 'keep'
  readonly now?: () => number
}

export async function openRuns({
  query = noRecords,
  snapshot = null,
  historyBodyBytes = 65_536,
  outbound = outboundServices(),
  ...options
}: RunOptions = {}): Promise<Runs> {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-runs-'))
  await placeControlStore(folder)
  await placeHistory(folder)
  const store = await openControlStore(folder, { secretKey: () => Buffer.alloc(32, 7) })
  const history = await openHistory(folder)
  const observations: Observation[] = []
  const observe = (observation: Observation) => void observations.push(observation)
  const { notepads } = history
  const records = () => ({ query, snapshot })
  const recording = { observe, historyBodyBytes }
  const answer = createScriptAnswerer({ store, notepads, records, outbound, ...recording, ...options })
  const run: Runs['run'] = async (script, asked = {}) =>
    (await answer(jobOf(script, asked), asked.cancellation, asked.place)).record()
  return {
    store,
    history,
    observations,
    run,
    runJob: async (job) => (await answer(job)).record(),
    answer: async (expression, asked) => {
      const { response, execution } = await run(`Data._payload = ${expression}`, asked)
      assert.equal(execution?.status, 'Success', JSON.stringify(execution?.error))
      return JSON.parse(response.body ?? 'null')
    },
    close: async () => {
      await store.close()
      await history.close()
      await rm(folder, { recursive: true })
    },
  }
}

export const request: ScriptRequest = {
  method: 'POST',
  path: '/api/dynamic/v1/test/it',
  queryString: '',
  query: {},
  headers: {},
  params: {},
  rawBody: null,
  bodyKind: 'json',
  user: anonymous,
}

const jobOf = (script: string, asked: Asked): RunJob => ({
  executionId: asked.executionId ?? crypto.randomUUID(),
  type: asked.type ?? 'DynamicEndpoint',
  endpoint: {
    id: asked.endpointId ?? ENDPOINT_ID,
    name: 'The endpoint',
    category: 'Utility',
    limits: asked.limits ?? {},
    allowedHosts: [...(asked.allowedHosts ?? [])],
  },
  source: asked.source ?? { script },
  request: { ...request, ...asked.request },
  requestId: asked.requestId ?? 'r-1',
  rerunOf: null,
  signatureHeaders: ['x-hub-signature-256'],
  sampleAnswers: asked.sampleAnswers,
  arrivedAt: asked.arrivedAt ?? Date.now(),
  ...(asked.recording && { recording: asked.recording }),
})

const noRecords: QueryRecords = async () => ({ count: 0, meta: null, chunks: () => [] })
