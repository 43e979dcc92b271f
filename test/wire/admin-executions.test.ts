/** The history of runs over the admin API: lists, single runs, figures, notepads, and reruns. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ScriptRequest } from '../../src/automation/runs/run-states.ts'
import { anonymous } from '../../src/kernel/user.ts'
import type { EndpointDefinition } from '../../src/schema/endpoint-shapes.ts'
import type { Json } from '../fixtures/json.ts'
import type { Reply } from './start-admin.ts'
import { draft, type EndpointAdmin, HISTORY_BODY_BYTES, startEndpointAdmin } from './start-endpoint-admin.ts'

const BY = 'user:admin@example.com'

let admin: EndpointAdmin
before(async () => {
  admin = await startEndpointAdmin()
})
after(() => admin.close())

async function published(members: Partial<EndpointDefinition> = {}): Promise<string> {
  const { body } = await admin.send('POST', '/endpoints', { body: draft(members) })
  const { status } = await admin.send('POST', `/endpoints/${body.id}/publish`)
  assert.equal(status, 200)
  return body.id
}

const list = async (query: string) => (await admin.send('GET', `/executions?${query}`)).body
const idsOf = (body: Json): string[] => body.items.map(({ id }: Json) => id)
const pathsOf = ({ body }: Reply): string[] => body.details.map(({ path }: Json) => path)

const caller = { ...anonymous, isAuthenticated: true, principalId: 'user:bo@example.com', roles: ['finance'] }
const nobody = crypto.randomUUID()

describe('the list of runs', () => {
  it('is newest first, in pages, without the details of a run', async () => {
    const endpointId = await published()
    const ids: string[] = []
    for (let run = 0; run < 3; run++) ids.unshift(await admin.call(endpointId))
    const first = await list(`endpointId=${endpointId}&limit=2`)
    assert.deepEqual(idsOf(first), ids.slice(0, 2))
    assert.ok(!('request' in first.items[0]))
    const rest = await list(`endpointId=${endpointId}&limit=2&after=${first.next}`)
    assert.deepEqual([idsOf(rest), rest.next], [ids.slice(2), null])
  })

  it('is filtered by status, type, endpoint, text and time', async () => {
    const word = crypto.randomUUID().slice(0, 8)
    const endpointId = await published({ name: `Filtered ${word}`, category: 'Integration' })
    const succeeded = await admin.call(endpointId)
    const { id: broken } = (await admin.send('POST', '/endpoints', { body: draft({ script: 'fail "no"' }) }))
      .body
    const tested = await admin.send('POST', `/endpoints/${broken}/test`)
    const failed = tested.body.execution.id
    const both = [failed, succeeded]
    const { startedAt } = (await admin.send('GET', `/executions/${succeeded}`)).body
    const found = async (query: string) => idsOf(await list(query)).filter((id) => both.includes(id))
    assert.deepEqual(await found(''), both)
    assert.deepEqual(await found('status=Failed'), [failed])
    assert.deepEqual(await found('status=Success'), [succeeded])
    assert.deepEqual(await found('type=Test'), [failed])
    assert.deepEqual(await found(`endpointId=${endpointId}`), [succeeded])
    assert.deepEqual(await found('category=Integration'), [succeeded])
    assert.deepEqual(await found(`text=FILTERED%20${word}`), [succeeded])
    assert.deepEqual(await found(`to=${startedAt}`), [])
    assert.deepEqual(await found(`from=${startedAt}`), both)
    assert.deepEqual(await found('from=2001-01-01&to=2001-02-01T00:00%2B01:00'), [])
  })

  for (const query of [
    'status=failed',
    'type=Call',
    'endpointId=7',
    'from=yesterday',
    'to=2026-02-30',
    'limit=501',
    'by=me',
  ]) {
    it(`refuses ?${query}`, async () => {
      const reply = await admin.send('GET', `/executions?${query}`)
      assert.equal(reply.status, 400)
      assert.deepEqual(pathsOf(reply), [`/${query.split('=')[0]}`])
    })
  }

  it('refuses a page position that no response contained', async () => {
    const { status, body } = await admin.send('GET', '/executions?after=there')
    assert.equal(status, 400)
    assert.match(body.error, /Send the `next`/)
  })
})

describe('one run', () => {
  it('is shown in full, without credentials', async () => {
    const endpointId = await published({
      method: 'POST',
      script: "Log('Warning', 'seen')\nData._payload = Data.request.body",
    })
    const id = await admin.call(endpointId, {
      headers: { authorization: 'Bearer a.b.c', 'content-type': 'application/json' },
      ...{ rawBody: '{"a":1,"password":"canary-1"}', bodyKind: 'json', user: caller },
    })
    const { status, body } = await admin.send('GET', `/executions/${id}`)
    assert.equal(status, 200)
    const { type, version, principalId, log, request } = body
    assert.deepEqual([type, version, principalId], ['DynamicEndpoint', 1, 'user:bo@example.com'])
    assert.deepEqual([log[0].level, log[0].message], ['Warning', 'seen'])
    assert.equal(request.headers.authorization, '[redacted]')
    assert.ok(!JSON.stringify(body).includes('canary-1'))
  })

  it('has its notepads', async () => {
    const id = await admin.call(await published({ script: 'CreateNotepad({ total: 5 })' }))
    const { status, body } = await admin.send('GET', `/executions/${id}/notepads`)
    assert.equal(status, 200)
    assert.deepEqual(
      body.items.map(({ content, executionId }: Json) => [content, executionId]),
      [[{ total: 5 }, id]],
    )
    const none = await admin.call(await published())
    assert.deepEqual((await admin.send('GET', `/executions/${none}/notepads`)).body, {
      ...{ items: [], next: null },
    })
  })
})

describe('the figures', () => {
  it('count the runs of each endpoint, but no trials', async () => {
    const endpointId = await published({
      script: "if Data.request.queryString == '?fail' then fail 'no' end\nData._payload = 1",
    })
    await admin.call(endpointId)
    await admin.call(endpointId, { queryString: '?fail' })
    await admin.send('POST', `/endpoints/${endpointId}/test`)
    const { status, body } = await admin.send('GET', `/executions/statistics?endpointId=${endpointId}`)
    assert.equal(status, 200)
    const [{ runs, succeeded, failed, successRate }] = body.items
    assert.deepEqual([body.items.length, runs, succeeded, failed, successRate], [1, 2, 1, 1, 0.5])
    const before = await admin.send('GET', `/executions/statistics?endpointId=${endpointId}&to=2001-01-01`)
    assert.deepEqual(before.body, { items: [], next: null })
    const wrong = await admin.send('GET', '/executions/statistics?from=2026-01-31T00:00')
    assert.deepEqual([wrong.status, pathsOf(wrong)], [400, ['/from']])
  })
})

describe('a rerun', () => {
  const script = (word: string) =>
    `Data._payload = ['${word}', Data.request.body.a, Data.request.user.principalId, Length(Data.request.user.roles)]`
  const request: Partial<ScriptRequest> = {
    headers: { 'content-type': 'application/json' },
    rawBody: '{"a":1}',
    bodyKind: 'json',
    user: caller,
  }

  const publishedTwice = async () => {
    const endpointId = await published({ method: 'POST', script: script('first') })
    const executionId = await admin.call(endpointId, request)
    await admin.send('PUT', `/endpoints/${endpointId}`, {
      body: draft({ method: 'POST', script: script('second') }),
    })
    await admin.send('POST', `/endpoints/${endpointId}/publish`)
    return { endpointId, executionId }
  }

  for (const [version, word, number] of [
    ['original', 'first', 1],
    ['current', 'second', 2],
    [undefined, 'first', 1],
  ] as const) {
    it(`runs the recorded request with the ${version ?? 'original'} version, for the caller without roles`, async () => {
      const { executionId } = await publishedTwice()
      const { status, body } = await admin.send('POST', `/executions/${executionId}/rerun`, {
        ...(version !== undefined && { body: { version } }),
      })
      assert.equal(status, 200)
      assert.deepEqual(JSON.parse(body.response.body), [word, 1, 'user:bo@example.com', 0])
      const { body: kept } = await admin.send('GET', `/executions/${body.execution.id}`)
      assert.deepEqual([kept.type, kept.version, kept.rerunOf], ['Rerun', number, executionId])
    })
  }

  it('makes real changes, and the trail says who asked for it', async () => {
    const name = `Made ${crypto.randomUUID()}`
    const endpointId = await published({ script: `CreateOrganization('${name}', null, null)` })
    const executionId = await admin.call(endpointId)
    const [made] = (await admin.store.organizations.list()).filter((one) => one.name === name)
    await admin.store.organizations.remove(made?.id as string, BY)
    await admin.newAudit()
    const { body } = await admin.send('POST', `/executions/${executionId}/rerun`)
    assert.deepEqual(body.heldWrites, [])
    assert.ok((await admin.store.organizations.list()).some((one) => one.name === name))
    const [{ actor, action, after } = assert.fail()] = await admin.newAudit()
    assert.deepEqual([actor, action], [BY, 'execution.rerun'])
    const { script, ...named } = after as Json
    assert.match(script.sha256, /^[0-9a-f]{64}$/)
    assert.deepEqual(named, { executionId: body.execution.id, endpointId, version: 1 })
  })

  it('is refused when the record is incomplete, with the reason', async () => {
    const { endpointId, executionId } = await publishedTwice()
    const rerun = (id: string, body?: object) => admin.send('POST', `/executions/${id}/rerun`, { body })
    const cut = await admin.call(endpointId, {
      ...request,
      rawBody: JSON.stringify({ a: 'x'.repeat(HISTORY_BODY_BYTES) }),
    })
    assert.deepEqual((await rerun(cut)).status, 409)
    assert.match((await rerun(cut)).body.error, /whose body was cut/)
    const tested = await admin.send('POST', `/endpoints/${endpointId}/test`)
    assert.equal((await rerun(tested.body.execution.id)).status, 409)
    assert.equal((await rerun(executionId, { version: 'newest' })).status, 400)
    await admin.send('DELETE', `/endpoints/${endpointId}`)
    assert.equal((await rerun(executionId)).status, 404)
    assert.equal((await admin.send('GET', `/executions/${executionId}`)).status, 200)
  })
})

describe('each route of executions', () => {
  for (const [method, path] of [
    ['GET', '/executions'],
    ['GET', '/executions/statistics'],
    ['GET', '/executions/:id'],
    ['GET', '/executions/:id/notepads'],
    ['POST', '/executions/:id/rerun'],
  ] as const) {
    it(`${method} ${path} is for holders of the role only`, async () => {
      const address = path.replace(':id', nobody)
      for (const [token, status] of [
        [null, 401],
        ['wrong', 401],
        ['user', 403],
        ['keyless', 503],
      ] as const) {
        const { status: got, body } = await admin.send(method, address, { token })
        assert.deepEqual([got, typeof body.error], [status, 'string'], String(token))
      }
    })

    if (path.includes(':id')) {
      it(`${method} ${path} returns 404 for an unknown run and for a malformed id`, async () => {
        const missing = await admin.send(method, path.replace(':id', nobody))
        assert.equal(missing.status, 404)
        assert.match(missing.body.error, new RegExp(nobody))
        const wrong = await admin.send(method, path.replace(':id', 'no-id'))
        assert.equal(wrong.status, 404)
      })
    }
  }
})
