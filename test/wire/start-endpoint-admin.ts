/** The admin API with all that script runs need: the history and a runner in this thread. */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEndpointOperations } from '../../src/automation/operations/endpoint-operations.ts'
import { createScriptRunner } from '../../src/automation/runs/run-endpoint.ts'
import type { RunJob } from '../../src/automation/runs/run-states.ts'
import { outboundServices } from '../../src/automation/testing/outbound-services.ts'
import type { History } from '../../src/directory/history/history.ts'
import { openControlStore, openHistory } from '../../src/directory/open-stores.ts'
import { placeControlStore, placeHistory } from '../../src/directory/testing/store-files.ts'
import { anonymous } from '../../src/kernel/user.ts'
import type { EndpointDefinition } from '../../src/schema/endpoint-shapes.ts'
import { type Admin, startAdmin } from './start-admin.ts'

export type EndpointAdmin = Admin & {
  readonly history: History
  /** Runs the published version as a caller without a token, and records the run. */
  readonly call: (endpointId: string, request?: Partial<RunJob['request']>) => Promise<string>
}

/** The most bytes of a recorded body. */
export const HISTORY_BODY_BYTES = 200

export async function startEndpointAdmin(): Promise<EndpointAdmin> {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-admin-'))
  await placeControlStore(folder)
  const store = await openControlStore(folder, { secretKey: () => Buffer.alloc(32, 7) })
  await placeHistory(folder)
  const history = await openHistory(folder)
  const run = createScriptRunner({
    store,
    notepads: history.notepads,
    records: () => ({ query: async () => ({ count: 0, meta: null, chunks: () => [] }), snapshot: null }),
    outbound: outboundServices(),
    observe: () => undefined,
    historyBodyBytes: HISTORY_BODY_BYTES,
  })
  const operations = createEndpointOperations({
    endpoints: store.endpoints,
    modules: store.modules,
    history,
    audit: store.audit,
    run: (job) => run(job),
  })
  const admin = await startAdmin({ history, operations }, folder)
  return {
    ...admin,
    history,
    call: async (endpointId, request = {}) => {
      const { published, draft } = await store.endpoints.find(endpointId)
      if (published === null) throw new Error('Publish the endpoint first')
      const executionId = crypto.randomUUID()
      const { execution } = await run(
        callJob(executionId, { id: endpointId, version: published.version, ...draft }, request),
      )
      if (execution === null) throw new Error('Nothing ran')
      await history.record([execution])
      return executionId
    },
    close: async () => {
      await history.close()
      await store.close()
      await admin.close()
    },
  }
}

const callJob = (
  executionId: string,
  {
    id,
    version,
    name,
    category,
    limits,
    allowedHosts,
    method,
    path,
  }: EndpointDefinition & { id: string; version: number },
  request: Partial<RunJob['request']>,
): RunJob => ({
  executionId,
  type: 'DynamicEndpoint',
  endpoint: { id, name, category, limits, allowedHosts },
  source: { version },
  request: {
    ...{
      method: String(method),
      path: `/api/dynamic/v1/${path}`,
      queryString: '',
      query: {},
      headers: {},
      params: {},
    },
    ...{ rawBody: null, bodyKind: 'text', user: anonymous },
    ...request,
  },
  requestId: null,
  rerunOf: null,
  signatureHeaders: [],
  arrivedAt: Date.now(),
})

let made = 0

/** Has a new name and path unless given, and leaves out members with a default. */
export const draft = (members: Partial<EndpointDefinition> = {}) => {
  made++
  return {
    name: `Endpoint ${made}`,
    category: 'Utility',
    method: 'GET',
    path: `made/${made}`,
    script: 'Data._payload = 1',
    ...members,
  }
}
