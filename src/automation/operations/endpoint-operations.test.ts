import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { ControlStore } from '../../directory/control-store.ts'
import { scriptDigest } from '../../directory/endpoints/text.ts'
import type { History } from '../../directory/history/history.ts'
import { openControlStore, openHistory } from '../../directory/open-stores.ts'
import { DetailedProblem, Problem } from '../../kernel/problem.ts'
import { anonymous } from '../../kernel/user.ts'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import { type Execution, nothingRead, nothingSent } from '../../schema/execution-shapes.ts'
import { RunProblem } from '../problems.ts'
import type { RecordedRun, RunJob } from '../runs/run-states.ts'
import { checkEndpoint } from './check-endpoint.ts'
import { createEndpointOperations, type EndpointOperations } from './endpoint-operations.ts'

const NOW = Date.parse('2026-11-21T10:00:00Z')
const BY = 'user:ann@example.com'
const operator = {
  user: { ...anonymous, isAuthenticated: true, name: 'Ann', principalId: BY, roles: ['admin'] },
  requestId: 'r-1',
}

let folder: string
let store: ControlStore
let history: History
let operations: EndpointOperations
let checked = 0
/** Keeps the jobs instead of running them: these tests do not cover running. */
let jobs: RunJob[] = []
const report: RecordedRun = {
  status: 'Success',
  response: { status: 200, headers: {}, body: 'null' },
  execution: null,
  dryRunWrites: [],
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tripfolio-operations-'))
  store = await openControlStore(folder, { secretKey: () => Buffer.alloc(32, 7) })
  await store.secrets.set('hook', { value: 'k'.repeat(32) }, BY)
  history = await openHistory(folder)
})
after(async () => {
  await history.close()
  await store.close()
  rmSync(folder, { recursive: true })
})

function prepareEachTest(): void {
  beforeEach(() => {
    jobs = []
    checked = 0
    operations = createEndpointOperations({
      endpoints: store.endpoints,
      modules: store.modules,
      history,
      audit: store.audit,
      run: async (job) => {
        jobs.push(job)
        return report
      },
      check: async (script) => {
        checked++
        return checkEndpoint(script)
      },
      now: () => NOW,
    })
  })
}

let made = 0
const definition = (members: Partial<EndpointDefinition> = {}): EndpointDefinition => {
  made++
  return {
    name: `Endpoint ${made}`,
    description: '',
    category: 'Webhook',
    method: 'POST',
    path: `made/${made}/{system}`,
    requiresAuthentication: false,
    allowedRoles: [],
    allowedHosts: [],
    limits: { loops: 7 },
    signature: { style: 'github', secret: 'hook' },
    deduplication: null,
    record: 'full',
    maskedFields: [],
    schedules: [],
    script: `Data._payload = ${made}`,
    ...members,
  }
}
const create = (members: Partial<EndpointDefinition> = {}) => store.endpoints.create(definition(members), BY)

const auditOf = async (subjectId: string) => (await store.audit.list({ subjectId, limit: 50 })).items

const refused = (code: string) => (problem: unknown) => {
  assert.ok(problem instanceof Problem)
  assert.equal(problem.code, code)
  return true
}

const recordOf = (endpointId: string, members: object = {}, request: object = {}) =>
  ({
    ...{
      id: crypto.randomUUID(),
      type: 'DynamicEndpoint',
      status: 'Failed',
      endpointId,
      endpointName: 'Hook',
    },
    ...{ category: 'Webhook', version: 1, method: 'POST', path: '/api/dynamic/v1/made/crm' },
    ...{ responseStatus: 500, startedAt: '2026-11-21T09:00:00.000Z' },
    ...{ completedAt: '2026-11-21T09:00:00.004Z', queuedMs: 0, executionTimeMs: 4 },
    ...{ statementCount: 1, loopCount: 0, principalId: 'user:bo@example.com', requestId: null },
    ...{ rerunOf: null, errorMessage: 'Failed', requestCount: 1, recorded: 'full' },
    request: {
      ...{ method: 'POST', path: '/api/dynamic/v1/made/crm', queryString: '', headers: {} },
      ...{ params: { system: 'crm' }, body: 'x', truncated: false },
      ...request,
    },
    response: { status: 500, headers: {}, body: null, truncated: false },
    ...{ log: [], error: null, cancellationReason: null, sent: nothingSent, read: null },
    ...members,
  }) as Execution

const broken = 'Data.a = 1\nData.b = Foo(1'

describe('publishing', () => {
  prepareEachTest()

  it('makes the draft the next version, with its note', async () => {
    const { id } = await create()
    const { published, active } = await operations.publish(id, BY, { note: 'First' })
    assert.equal(published?.version, 1)
    assert.equal(published?.note, 'First')
    assert.equal(published?.publishedBy, BY)
    assert.equal(active, true)
  })

  it('is refused while the script has problems, and reports each with its place', async () => {
    const { id } = await create({ script: broken })
    await assert.rejects(operations.publish(id, BY), (problem) => {
      assert.ok(problem instanceof DetailedProblem)
      assert.equal(problem.code, 'END130')
      const [{ path, line, column } = {}] = problem.details
      assert.deepEqual({ path, line, column }, { path: '/script', line: 2, column: 15 })
      return true
    })
    assert.equal((await store.endpoints.find(id)).published, null)
  })

  it('publishes only the draft that was checked, even when another one is saved meanwhile', async () => {
    const { id } = await create()
    const late = createEndpointOperations({
      endpoints: store.endpoints,
      modules: store.modules,
      history,
      audit: store.audit,
      run: async () => report,
      check: async () => {
        await store.endpoints.saveDraft(id, definition({ script: broken }), BY)
        return []
      },
    })
    await assert.rejects(late.publish(id, BY), refused('DIR311'))
    assert.equal((await store.endpoints.find(id)).published, null)
  })

  it('is refused when the draft is not of the given revision', async () => {
    const { id, draftRevision } = await create()
    await assert.rejects(operations.publish(id, BY, { revision: draftRevision + 1 }), refused('DIR311'))
  })
})

describe('the problems of a script', () => {
  prepareEachTest()

  it('are looked for only once', async () => {
    const script = { script: `${broken} # once` }
    const found = await operations.problemsOf(script)
    assert.equal(found[0]?.line, 2)
    assert.equal(await operations.problemsOf(script), found)
    assert.equal(checked, 1)
  })

  it('are found with the functions of the library and the service, unless another check is given', async () => {
    const usual = createEndpointOperations({
      endpoints: store.endpoints,
      modules: store.modules,
      history,
      audit: store.audit,
      run: async () => report,
    })
    assert.deepEqual(await usual.problemsOf({ script: "Log('Information', ToUpper(GetSecret('a')))" }), [])
    assert.equal((await usual.problemsOf({ script: 'NoSuchFunction()' })).length, 1)
  })
})

describe('a trial', () => {
  prepareEachTest()

  it('runs the draft for the operator', async () => {
    const { id, draft } = await create()
    const http = [{ url: 'https://erp.example.com/*', status: 201 }]
    const sample = { params: { system: 'crm' }, body: { a: 1 }, http }
    assert.equal(await operations.trial(id, sample, operator), report)
    const [{ executionId, request, ...job } = assert.fail()] = jobs
    assert.match(executionId, /^[0-9a-f-]{36}$/)
    assert.deepEqual(job, {
      type: 'Test',
      endpoint: { id, name: draft.name, category: 'Webhook', limits: { loops: 7 }, allowedHosts: [] },
      source: { script: draft.script, modules: [] },
      requestId: 'r-1',
      rerunOf: null,
      signatureHeaders: ['x-hub-signature-256'],
      arrivedAt: NOW,
      sampleAnswers: http,
    })
    assert.equal(request.rawBody, '{"a":1}')
    assert.deepEqual(request.user, operator.user)
  })

  it('runs an unsaved definition when one is given, and saves nothing', async () => {
    const { id, draft } = await create()
    const unsaved = definition({ script: 'Data._payload = 9', path: 'x', limits: {} })
    await operations.trial(id, {}, operator, { definition: unsaved })
    assert.deepEqual(jobs[0]?.source, { script: 'Data._payload = 9', modules: [] })
    assert.equal(jobs[0]?.endpoint.name, unsaved.name)
    assert.deepEqual((await store.endpoints.find(id)).draft, draft)
  })

  it('imports unsaved modules in place of the published ones', async () => {
    const { id } = await create()
    const unsaved = definition({ script: 'import "fees@3"\nData._payload = fee()', path: 'x', limits: {} })
    const modules = [{ name: 'fees', script: 'func fee() return 9 end' }]
    await operations.trial(id, {}, operator, { definition: unsaved, modules })
    assert.deepEqual(jobs[0]?.source, { script: unsaved.script, modules: [{ ...modules[0], version: 3 }] })
    const alone = operations.trial(id, {}, operator, { definition: unsaved })
    await assert.rejects(alone, /Module 'fees' has no published version 3/)
  })

  it('is in the history when its report is returned, even if another thread also records it', async () => {
    const { id } = await create()
    const execution = recordOf(id, { type: 'Test', version: null })
    const recording = createEndpointOperations({
      endpoints: store.endpoints,
      modules: store.modules,
      history,
      audit: store.audit,
      run: async () => {
        await history.record([execution])
        return { ...report, execution }
      },
    })
    await recording.trial(id, { params: { system: 'x' } }, operator)
    assert.deepEqual(await history.find(execution.id), execution)
    assert.equal((await history.list({ endpointId: id }, { limit: 5 })).items.length, 1)
  })

  it('is in the audit trail before it runs, because the sample may name any caller', async () => {
    const { id } = await create()
    await operations.trial(id, { params: { system: 'x' }, user: null }, operator)
    const [{ actor, action, after } = assert.fail()] = await auditOf(id)
    const script = scriptDigest((await store.endpoints.find(id)).draft.script)
    assert.deepEqual(
      { actor, action, after },
      { actor: BY, action: 'endpoint.test', after: { executionId: jobs[0]?.executionId, script } },
    )
  })

  it('names the modules that it imported, by name and digest', async () => {
    const { id } = await create({ script: 'import "shared"\nData._payload = one()' })
    const modules = [{ name: 'shared', script: 'func one()\n  return 1\nend' }]
    await operations.trial(id, { params: { system: 'x' } }, operator, { modules })
    const [{ after } = assert.fail()] = await auditOf(id)
    assert.deepEqual((after as { readonly modules: unknown }).modules, [
      { name: 'shared', script: scriptDigest(modules[0]?.script ?? '') },
    ])
  })

  const read = { ...nothingRead, clientCount: 1, clientNumbers: ['C1'] }
  const lost = new RunProblem({
    ...{ code: 'END103', message: 'The run was lost', hint: undefined },
    ...{ retryAfterSeconds: undefined, executionId: 'e', read },
  })

  const endings: readonly (readonly [what: string, run: () => RecordedRun, status: string])[] = [
    ['succeeds', () => ({ ...report, execution: recordOf(crypto.randomUUID(), { read }) }), 'Success'],
    [
      'fails',
      () => ({ ...report, status: 'Failed', execution: recordOf(crypto.randomUUID(), { read }) }),
      'Failed',
    ],
    ['is lost with its thread', () => assert.fail(lost), 'Failed'],
  ]
  for (const [what, run, status] of endings) {
    it(`leaves what it has read in the audit trail when it ${what}, and shows no answer without that`, async () => {
      const { id } = await create({ record: 'none' })
      const trial = (note: typeof store.audit.note) =>
        createEndpointOperations({
          ...{ endpoints: store.endpoints, modules: store.modules, history, audit: { note } },
          run: async (job) => {
            jobs.push(job)
            return run()
          },
        }).trial(id, { params: { system: 'x' } }, operator)
      const ended = trial(store.audit.note)
      await (status === 'Failed' && what !== 'fails' ? assert.rejects(ended, lost) : ended)
      const [entry = assert.fail()] = await auditOf(jobs.at(-1)?.executionId ?? '')
      assert.deepEqual([entry.actor, entry.action], [BY, 'execution.read'])
      assert.deepEqual(entry.after, { endpointId: id, status, read })
      let notes = 0
      const full = async () => {
        if (++notes > 1) throw new Error('the disk is full')
      }
      await assert.rejects(trial(full), refused('END118'))
      assert.equal(notes, 2)
    })
  }

  it('is refused, and nothing runs, when the script has problems or no caller could send the request', async () => {
    const { id } = await create({ script: broken })
    await assert.rejects(operations.trial(id, { params: { system: 'x' } }, operator), refused('END130'))
    await assert.rejects(operations.trial(id, {}, operator), refused('END135'))
    await assert.rejects(operations.trial(crypto.randomUUID(), {}, operator), refused('DIR301'))
    assert.deepEqual(jobs, [])
    assert.deepEqual(
      (await auditOf(id)).map(({ action }) => action),
      ['endpoint.create'],
    )
  })
})

describe('a rerun', () => {
  prepareEachTest()

  const recorded = async (endpointId: string, members: object = {}, request: object = {}) => {
    const execution = recordOf(endpointId, members, request)
    await history.record([execution])
    return execution.id
  }

  /** Versions 1 and 2 are published, and the draft differs from both. */
  const published = async () => {
    const { id } = await create()
    await operations.publish(id, BY)
    await store.endpoints.saveDraft(id, definition({ name: 'Second', limits: { loops: 9 } }), BY)
    await operations.publish(id, BY)
    await store.endpoints.saveDraft(id, definition(), BY)
    return id
  }

  it('runs the version that ran, with the recorded request', async () => {
    const endpointId = await published()
    const executionId = await recorded(endpointId)
    assert.equal(await operations.rerun(executionId, 'original', operator), report)
    const [{ executionId: own, request, ...job } = assert.fail()] = jobs
    assert.notEqual(own, executionId)
    assert.deepEqual(job, {
      type: 'Rerun',
      endpoint: {
        id: endpointId,
        name: (await store.endpoints.version(endpointId, 1)).definition.name,
        category: 'Webhook',
        limits: { loops: 7 },
        allowedHosts: [],
      },
      source: { version: 1 },
      requestId: 'r-1',
      rerunOf: executionId,
      signatureHeaders: ['x-hub-signature-256'],
      arrivedAt: NOW,
    })
    assert.equal(request.rawBody, 'x')
    assert.equal(request.user.principalId, 'user:bo@example.com')
    assert.deepEqual(request.user.roles, [])
  })

  it('runs the current version with its limits on request', async () => {
    const endpointId = await published()
    await operations.rerun(await recorded(endpointId), 'current', operator)
    assert.deepEqual(jobs[0]?.source, { version: 2 })
    assert.deepEqual(jobs[0]?.endpoint, {
      ...{ id: endpointId, name: 'Second', category: 'Webhook', limits: { loops: 9 }, allowedHosts: [] },
    })
    await store.endpoints.remove(endpointId, BY)
  })

  it('is in the audit trail with the operator who started it', async () => {
    const endpointId = await published()
    const executionId = await recorded(endpointId)
    await operations.rerun(executionId, 'original', operator)
    const [{ actor, action, after } = assert.fail()] = await auditOf(executionId)
    assert.deepEqual(
      { actor, action, after },
      {
        actor: BY,
        action: 'execution.rerun',
        after: {
          executionId: jobs[0]?.executionId,
          endpointId,
          version: 1,
          script: scriptDigest((await store.endpoints.version(endpointId, 1)).definition.script),
        },
      },
    )
    await store.endpoints.remove(endpointId, BY)
  })

  it('is refused with a reason, and nothing runs, when the record is incomplete', async () => {
    const endpointId = await published()
    const rerun = async (id: string, version: 'original' | 'current', code: string) => {
      await assert.rejects(operations.rerun(id, version, operator), refused(code))
      assert.deepEqual(await auditOf(id), [])
    }
    await rerun(crypto.randomUUID(), 'original', 'END131')
    await rerun(await recorded(endpointId, {}, { truncated: true }), 'original', 'END132')
    await rerun(await recorded(endpointId, { type: 'Test', version: null }), 'current', 'END133')
    await rerun(await recorded(endpointId, { version: 7 }), 'original', 'DIR302')
    await store.endpoints.remove(endpointId, BY)
    await rerun(await recorded(endpointId), 'current', 'DIR301')
    await rerun(await recorded(endpointId), 'original', 'DIR301')
    assert.deepEqual(jobs, [])
  })
})

describe('a comparison', () => {
  prepareEachTest()

  it('goes from the published version to the draft by default', async () => {
    const { id } = await create({ script: 'Data._payload = 1' })
    await operations.publish(id, BY)
    await store.endpoints.saveDraft(id, definition({ script: 'Data._payload = 2' }), BY)
    const { from, to, script } = await operations.compare(id, undefined, undefined)
    assert.deepEqual([from, to], [1, 'draft'])
    assert.match(script, /^--- version 1\n\+\+\+ draft\n/)
    assert.match(script, /^-Data\._payload = 1$/m)
    assert.match(script, /^\+Data\._payload = 2$/m)
    const back = await operations.compare(id, 'draft', 1)
    assert.match(back.script, /^--- draft\n\+\+\+ version 1\n/)
    assert.deepEqual((await operations.compare(id, 1, 1)).changes, [])
  })

  it('is refused for versions that do not exist', async () => {
    const { id } = await create()
    await assert.rejects(operations.compare(id, undefined, undefined), refused('END134'))
    await assert.rejects(operations.compare(id, 1, undefined), refused('DIR302'))
    await assert.rejects(operations.compare(crypto.randomUUID(), 1, 2), refused('DIR301'))
  })
})
