/** Endpoints over the admin API: drafts, publication, versions, checks and trials. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Json } from '../fixtures/json.ts'
import type { Reply } from './start-admin.ts'
import { draft, type EndpointAdmin, startEndpointAdmin } from './start-endpoint-admin.ts'

const BY = 'user:admin@example.com'

let admin: EndpointAdmin
before(async () => {
  admin = await startEndpointAdmin()
})
after(() => admin.close())

type Draft = ReturnType<typeof draft>

async function create(members: Parameters<typeof draft>[0] = {}): Promise<Json> {
  const { status, body } = await admin.send('POST', '/endpoints', { body: draft(members) })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

async function published(members: Parameters<typeof draft>[0] = {}): Promise<Json> {
  const { id } = await create(members)
  return (await admin.send('POST', `/endpoints/${id}/publish`)).body
}

const save = (id: string, body: Partial<Draft>, query = '') =>
  admin.send('PUT', `/endpoints/${id}${query}`, { body: { ...draft(), ...body } })

const pathsOf = ({ body }: Reply): string[] => body.details.map(({ path }: Json) => path)
const namesOf = (body: Json): string[] => body.items.map(({ name }: Json) => name)
const actionsOf = async () => (await admin.newAudit()).map(({ actor, action }) => [actor, action])
const reached = async (id: string) =>
  (await admin.store.endpoints.current()).find((endpoint) => endpoint.id === id)

const nobody = crypto.randomUUID()
const broken = 'Data.a = 1\nData.b = Foo(1'

describe('a new endpoint', () => {
  it('has a draft that callers cannot reach, with the default of every omitted member', async () => {
    const sent = draft()
    const { status, body, headers } = await admin.send('POST', '/endpoints', { body: sent })
    assert.equal(status, 201)
    assert.equal(headers.get('cache-control'), 'no-store')
    const { id, createdAt, draftChangedAt, ...rest } = body
    assert.deepEqual(rest, {
      draft: {
        ...{ ...sent, description: '', requiresAuthentication: true, allowedRoles: [] },
        ...{
          limits: {},
          allowedHosts: [],
          signature: null,
          deduplication: null,
          record: 'full',
          maskedFields: [],
        },
        schedules: [],
      },
      ...{ draftRevision: 1, draftChangedBy: BY, hasUnpublishedChanges: true, active: false },
      ...{ published: null, problems: [] },
    })
    assert.equal(await reached(id), undefined)
    assert.deepEqual((await admin.send('GET', `/endpoints/${id}`)).body, body)
  })

  it('may have a script with problems, which every response lists with their places', async () => {
    const { id, problems } = await create({ script: broken })
    assert.deepEqual(
      problems.map(({ line, column }: Json) => [line, column]),
      [[2, 15]],
    )
    assert.match(problems[0].code, /^JM\d{4}$/)
    assert.deepEqual((await admin.send('GET', `/endpoints/${id}`)).body.problems, problems)
    assert.deepEqual((await save(id, {})).body.problems, [])
  })

  for (const [what, members, paths] of [
    ['another member', { active: true }, ['/active']],
    ['another method', { method: 'HEAD' }, ['/method']],
    [
      'several faults',
      { name: ' x', limits: { loops: 0, more: 1 }, signature: { style: 'github' } },
      ['/limits/loops', '/limits/more', '/name', '/signature/secret'],
    ],
    ['a script that is not text', { script: null }, ['/script']],
    ['an address as a host', { allowedHosts: ['a.example', 'https://b.example'] }, ['/allowedHosts/1']],
  ] as const) {
    it(`is refused with ${what}, and each place is named`, async () => {
      const reply = await admin.send('POST', '/endpoints', { body: { ...draft(), ...members } })
      assert.equal(reply.status, 400)
      assert.deepEqual(pathsOf(reply).sort(), paths)
    })
  }

  it('is refused without a body, and the missing members are named', async () => {
    const reply = await admin.send('POST', '/endpoints')
    assert.equal(reply.status, 400)
    assert.deepEqual(pathsOf(reply).sort(), ['/category', '/name', '/script'])
  })

  it('is refused with a body larger than any script needs', async () => {
    const { status, body } = await admin.send('POST', '/endpoints', {
      body: draft({ script: 'x'.repeat(5 * 2 ** 20) }),
    })
    assert.equal(status, 413)
    assert.match(body.error, /longer than 4194304 bytes/)
  })

  it('is refused with a malformed path', async () => {
    const { status, body } = await admin.send('POST', '/endpoints', { body: draft({ path: '/a/' }) })
    assert.equal(status, 400)
    assert.match(body.error, /reports\/spend\/\{client\}/)
  })

  it('is refused when another has the name, or the method and path', async () => {
    const { draft: other } = await create()
    for (const members of [{ name: other.name.toUpperCase() }, { path: other.path.toUpperCase() }]) {
      assert.equal((await admin.send('POST', '/endpoints', { body: draft(members) })).status, 409)
    }
  })
})

describe('the list of endpoints', () => {
  it('shows the drafts without their scripts, filtered and in pages by name', async () => {
    const group = `G${made()}`
    const one = await create({ name: `${group} b`, category: 'Webhook', method: 'POST' })
    await published({ name: `${group} C`, description: 'for Finance' })
    const off = await published({ name: `${group} a`, path: `${group}/finance` })
    await admin.send('POST', `/endpoints/${off.id}/deactivate`)
    const changed = await published({ name: `${group} d` })
    await save(changed.id, { name: `${group} d` })
    const found = async (query: string) =>
      namesOf((await admin.send('GET', `/endpoints?text=${group}&${query}`)).body).map((name) =>
        name.slice(-1),
      )
    assert.deepEqual(await found(''), ['a', 'b', 'C', 'd'])
    assert.deepEqual(await found('category=Webhook'), ['b'])
    assert.deepEqual(await found('method=GET'), ['a', 'C', 'd'])
    assert.deepEqual(await found('state=active'), ['C', 'd'])
    assert.deepEqual(await found('state=inactive'), ['a'])
    assert.deepEqual(await found('state=draft'), ['b'])
    assert.deepEqual(await found('state=changed'), ['d'])
    const { body } = await admin.send('GET', `/endpoints?text=${group}&limit=3`)
    assert.deepEqual(namesOf(body), [`${group} a`, `${group} b`, `${group} C`])
    assert.deepEqual(await found(`limit=3&after=${body.next}`), ['d'])
    const { id, draftChangedAt, createdAt, ...told } = body.items[1]
    assert.equal(id, one.id)
    assert.deepEqual(told, {
      ...{ name: `${group} b`, description: '', category: 'Webhook', method: 'POST', path: one.draft.path },
      ...{ requiresAuthentication: true, allowedRoles: [], draftRevision: 1, draftChangedBy: BY },
      ...{ hasUnpublishedChanges: true, active: false, published: null },
    })
  })

  for (const query of [
    'state=new',
    'method=get',
    'limit=0',
    'limit=1.5',
    'limit=',
    'colour=red',
    'text=a&text=b',
  ]) {
    it(`refuses ?${query}`, async () => {
      const reply = await admin.send('GET', `/endpoints?${query}`)
      assert.equal(reply.status, 400)
      assert.deepEqual(pathsOf(reply), [`/${query.split('=')[0]}`])
    })
  }
})

const made = () => crypto.randomUUID().slice(0, 8)

describe('a draft', () => {
  it('is replaced while callers still get the published version', async () => {
    const { id, draft: first } = await published()
    const { status, body } = await save(id, { path: 'moved' })
    assert.equal(status, 200)
    assert.equal(body.draft.path, 'moved')
    assert.equal(body.hasUnpublishedChanges, true)
    assert.equal((await reached(id))?.path, first.path)
    await admin.send('DELETE', `/endpoints/${id}`)
  })

  it('is not overwritten by a change of an older revision', async () => {
    const { id, draftRevision } = await create()
    assert.equal((await save(id, {}, `?revision=${draftRevision}`)).status, 200)
    const { status, body } = await save(id, {}, `?revision=${draftRevision}`)
    assert.equal(status, 409)
    assert.match(body.error, new RegExp(`found 2, saved by ${BY}`))
    assert.equal((await save(id, {})).status, 200)
  })
})

describe('publishing', () => {
  it('makes the draft answer as the next version, and records who, when and why', async () => {
    const { id } = await create()
    const { status, body } = await admin.send('POST', `/endpoints/${id}/publish`, { body: { note: 'Go' } })
    assert.equal(status, 200)
    const { version, publishedBy, note } = body.published
    assert.deepEqual([version, publishedBy, note, body.active], [1, BY, 'Go', true])
    assert.equal((await reached(id))?.version, 1)
  })

  it('is refused while the script has problems, with their places', async () => {
    const { id } = await create({ script: broken })
    const { status, body } = await admin.send('POST', `/endpoints/${id}/publish`)
    assert.equal(status, 409)
    assert.deepEqual(
      body.details.map(({ path, line, column }: Json) => [path, line, column]),
      [['/script', 2, 15]],
    )
    assert.equal(await reached(id), undefined)
  })

  it('is refused for another revision, without a change, and with a note that is too long', async () => {
    const { id } = await create()
    const publish = async (body?: object) =>
      (await admin.send('POST', `/endpoints/${id}/publish`, { body })).status
    assert.equal(await publish({ revision: 2 }), 409)
    assert.equal(await publish({ note: 'x'.repeat(501) }), 400)
    assert.equal(await publish({ revision: 1 }), 200)
    assert.equal(await publish(), 409)
  })
})

describe('the switch', () => {
  it('makes an endpoint unreachable and reachable again', async () => {
    const { id } = await published()
    const off = await admin.send('POST', `/endpoints/${id}/deactivate`)
    assert.deepEqual([off.status, off.body.active], [200, false])
    assert.equal(await reached(id), undefined)
    const on = await admin.send('POST', `/endpoints/${id}/activate`)
    assert.deepEqual([on.status, on.body.active], [200, true])
    assert.equal((await reached(id))?.id, id)
  })

  it('cannot be turned on while nothing is published', async () => {
    const { id } = await create()
    assert.equal((await admin.send('POST', `/endpoints/${id}/activate`)).status, 409)
  })
})

describe('versions', () => {
  it('are listed newest first without their definitions, and returned one by one with them', async () => {
    const { id } = await published({ script: 'Data._payload = 1' })
    for (const script of ['Data._payload = 2', 'Data._payload = 3']) {
      await save(id, { script })
      await admin.send('POST', `/endpoints/${id}/publish`, { body: { note: script } })
    }
    const { body } = await admin.send('GET', `/endpoints/${id}/versions?limit=2`)
    assert.deepEqual(
      body.items.map(({ version, note }: Json) => [version, note]),
      [
        [3, 'Data._payload = 3'],
        [2, 'Data._payload = 2'],
      ],
    )
    assert.deepEqual(Object.keys(body.items[0]), ['version', 'publishedAt', 'publishedBy', 'note'])
    const rest = await admin.send('GET', `/endpoints/${id}/versions?limit=2&after=${body.next}`)
    assert.deepEqual([rest.body.items.length, rest.body.items[0].version, rest.body.next], [1, 1, null])
    const first = await admin.send('GET', `/endpoints/${id}/versions/1`)
    assert.equal(first.body.definition.script, 'Data._payload = 1')
  })

  it('become the draft again, with the problems that they have now', async () => {
    const { id, draft: first } = await published()
    await save(id, {})
    const { status, body } = await admin.send('POST', `/endpoints/${id}/versions/1/restore`)
    assert.equal(status, 200)
    assert.deepEqual([body.draft, body.hasUnpublishedChanges, body.problems], [first, false, []])
  })

  it('are compared with each other and with the draft', async () => {
    const { id } = await published({ script: 'Data.a = 1\n' })
    await save(id, { script: 'Data.a = 2\n', description: 'Two' })
    const { body } = await admin.send('GET', `/endpoints/${id}/diff`)
    assert.deepEqual([body.from, body.to], [1, 'draft'])
    assert.equal(body.script, '--- version 1\n+++ draft\n@@ -1,1 +1,1 @@\n-Data.a = 1\n+Data.a = 2\n')
    assert.deepEqual(
      body.changes.find(({ path }: Json) => path === '/description'),
      {
        ...{ path: '/description', before: '', after: 'Two' },
      },
    )
    const same = await admin.send('GET', `/endpoints/${id}/diff?from=draft&to=draft`)
    assert.deepEqual(same.body, { from: 'draft', to: 'draft', script: '', changes: [] })
    assert.equal((await admin.send('GET', `/endpoints/${id}/diff?from=7`)).status, 404)
    assert.equal((await admin.send('GET', `/endpoints/${id}/diff?from=0`)).status, 400)
    assert.equal((await admin.send('GET', `/endpoints/${(await create()).id}/diff`)).status, 409)
  })
})

describe('a check', () => {
  it('returns the problems of a script, and runs nothing', async () => {
    const check = async (script: string) =>
      (await admin.send('POST', '/endpoints/check', { body: { script } })).body
    const { problems, warnings } = await check(broken)
    assert.deepEqual([problems[0].line, problems[0].column, warnings], [2, 15, []])
    assert.deepEqual(await check("Log('Information', 'x')"), { problems: [], warnings: [] })
    assert.equal((await admin.send('POST', '/endpoints/check', { body: {} })).status, 400)
  })
})

describe('a trial', () => {
  const script = [
    "Data.made = CreateOrganization('Tested', 'by a draft', null)",
    "Log('Information', Data.request.body.a)",
    'Data._statusCode = 201',
    'Data._payload = [Data.request.user.principalId, Data.request.params.id, Data.request.query.q, Data.made.name]',
  ].join('\n')

  it('answers the requests of the script from the sample, and sends nothing', async () => {
    const { id } = await create({
      script: 'Data._payload = HttpRequest({url: "https://erp.example.com/orders/7"}).json',
      allowedHosts: ['erp.example.com'],
    })
    const http = [{ url: 'https://erp.example.com/*', body: { total: 5 } }]
    const { status, body } = await admin.send('POST', `/endpoints/${id}/test`, {
      body: { request: { http } },
    })
    assert.deepEqual([status, body.response.body], [200, '{"total":5}'])
    assert.deepEqual(
      body.heldWrites.map(({ action, after }: Json) => [action, after.url]),
      [['http.request', 'https://erp.example.com/orders/7']],
    )
    assert.equal(body.execution.sent.httpRequests, 1)
    const wrong = await admin.send('POST', `/endpoints/${id}/test`, {
      body: { request: { http: [{ url: 'https://erp.example.com/', failure: 'sometimes' }] } },
    })
    assert.equal(wrong.status, 400)
  })

  it('runs the draft with a request, and returns its result and the changes that it did not make', async () => {
    const { id } = await create({ script, method: 'POST', path: `tested/${made()}/{id}` })
    const { status, body } = await admin.send('POST', `/endpoints/${id}/test`, {
      body: { request: { params: { id: '7' }, query: { q: ['x', 'y'] }, body: { a: 'hello' } } },
    })
    assert.equal(status, 200)
    assert.equal(body.response.status, 201)
    assert.deepEqual(JSON.parse(body.response.body), [BY, '7', ['x', 'y'], 'Tested'])
    assert.deepEqual(
      [body.execution.type, body.execution.version, body.execution.principalId],
      ['Test', null, BY],
    )
    assert.equal(body.execution.log[0].message, 'hello')
    assert.deepEqual(
      body.heldWrites.map(({ action }: Json) => action),
      ['organization.create'],
    )
    assert.deepEqual(await admin.store.organizations.list(), [])
    const { body: kept } = await admin.send('GET', `/executions/${body.execution.id}`)
    assert.equal(kept.type, 'Test')
  })

  it('runs an unsaved definition, as the named caller', async () => {
    const { id } = await create()
    const definition = draft({ script: 'Data._payload = Data.request.user.roles' })
    const { body } = await admin.send('POST', `/endpoints/${id}/test`, {
      body: { definition, request: { user: { principalId: 'user:bo@example.com', roles: ['finance'] } } },
    })
    assert.deepEqual(JSON.parse(body.response.body), ['finance'])
    assert.equal(body.execution.principalId, 'user:bo@example.com')
  })

  it('runs with an empty request when none is given', async () => {
    const { id } = await create()
    const { status, body } = await admin.send('POST', `/endpoints/${id}/test`)
    assert.deepEqual([status, body.response.body], [200, '1'])
  })

  it('is refused with an impossible request, or a script that has problems', async () => {
    const { id } = await create({ path: `refused/${made()}/{id}`, script: broken })
    const trial = (body: object) => admin.send('POST', `/endpoints/${id}/test`, { body })
    const unfit = await trial({ request: {} })
    assert.deepEqual([unfit.status, pathsOf(unfit)], [400, ['/request/params/id']])
    const unknown = await trial({ request: { cookies: {} } })
    assert.deepEqual([unknown.status, pathsOf(unknown)], [400, ['/request/cookies']])
    const header = await trial({ request: { headers: { 'a b': 'x' } } })
    assert.equal(header.status, 400)
    const bad = await trial({ request: { params: { id: '1' } } })
    assert.deepEqual([bad.status, pathsOf(bad)], [409, ['/script']])
  })
})

describe('every change', () => {
  it('is in the trail with its author, the old and the new values, but no script', async () => {
    await admin.newAudit()
    const { id } = await create({ script: 'Data._payload = "a-script"' })
    await save(id, { script: 'Data._payload = 2' })
    await admin.send('POST', `/endpoints/${id}/publish`)
    await admin.send('POST', `/endpoints/${id}/deactivate`)
    await admin.send('POST', `/endpoints/${id}/deactivate`)
    await admin.send('POST', `/endpoints/${id}/activate`)
    await save(id, {})
    await admin.send('POST', `/endpoints/${id}/versions/1/restore`)
    await admin.send('POST', `/endpoints/${id}/test`)
    await admin.send('GET', `/endpoints/${id}`)
    await admin.send('DELETE', `/endpoints/${id}`)
    const trail = await admin.newAudit()
    assert.deepEqual(
      trail.map(({ actor, action }) => [actor, action]),
      [
        ...['create', 'draft', 'publish', 'deactivate', 'activate', 'draft', 'restore', 'test'].map(
          (action) => [BY, `endpoint.${action}`],
        ),
        [BY, 'execution.read'],
        [BY, 'endpoint.delete'],
      ],
    )
    assert.ok(!JSON.stringify(trail).includes('a-script'))
    assert.equal((await admin.send('GET', `/endpoints/${id}`)).status, 404)
  })

  it('leaves no entry when it is refused', async () => {
    const { id } = await create({ script: broken })
    await admin.newAudit()
    await admin.send('POST', `/endpoints/${id}/publish`)
    await admin.send('POST', `/endpoints/${id}/test`)
    await save(id, { name: '' })
    assert.deepEqual(await actionsOf(), [])
  })
})

const routes = [
  ['GET', '/endpoints'],
  ['POST', '/endpoints', draft()],
  ['POST', '/endpoints/check', { script: '' }],
  ['GET', '/endpoints/:id'],
  ['PUT', '/endpoints/:id', draft()],
  ['DELETE', '/endpoints/:id'],
  ['POST', '/endpoints/:id/publish'],
  ['POST', '/endpoints/:id/activate'],
  ['POST', '/endpoints/:id/deactivate'],
  ['POST', '/endpoints/:id/test'],
  ['GET', '/endpoints/:id/versions'],
  ['GET', '/endpoints/:id/versions/1'],
  ['POST', '/endpoints/:id/versions/1/restore'],
  ['GET', '/endpoints/:id/diff'],
] as const

describe('each route of endpoints', () => {
  for (const [method, path, body] of routes) {
    it(`${method} ${path} is for holders of the role only`, async () => {
      const address = path.replace(':id', nobody)
      for (const [token, status] of [
        [null, 401],
        ['wrong', 401],
        ['user', 403],
        ['keyless', 503],
      ] as const) {
        const reply = await admin.send(method, address, { token, body })
        assert.equal(reply.status, status, String(token))
        assert.ok(reply.body.error)
        assert.equal(reply.headers.has('www-authenticate'), status === 401)
      }
    })

    if (path.includes(':id')) {
      it(`${method} ${path} returns 404 for an unknown endpoint and for a malformed id`, async () => {
        const missing = await admin.send(method, path.replace(':id', nobody), { body })
        assert.equal(missing.status, 404)
        assert.match(missing.body.error, new RegExp(nobody))
        const wrong = await admin.send(method, path.replace(':id', 'no-id'), { body })
        assert.equal(wrong.status, 404)
      })
    }
  }
})

describe('GET /endpoints/functions', () => {
  it('has every function that a script can call, with what an editor shows of it', async () => {
    const { status, body } = await admin.send('GET', '/endpoints/functions', { token: 'viewer' })
    assert.equal(status, 200)
    const items: readonly Json[] = body.items
    const names = items.map(({ name }) => name)
    assert.deepEqual(names, [...new Set(names)].sort())
    assert.equal(body.total, items.length)
    const byName = new Map(items.map((item) => [item.name, item]))
    assert.deepEqual(byName.get('PadLeft'), {
      name: 'PadLeft',
      subject: 'Text',
      isLibrary: true,
      parameters: [
        { name: 'text', kind: 'text', optional: false },
        { name: 'length', kind: 'number', optional: false },
        { name: 'padChar', kind: 'text', optional: true },
      ],
      returns: 'string',
      about: byName.get('PadLeft').about,
    })
    // The service replaces the logarithm of the library.
    assert.equal(byName.get('Log').isLibrary, false)
    // A script that calls each of them has faults in its arguments only.
    const problemsOf = async (script: string): Promise<readonly Json[]> =>
      (await admin.send('POST', '/endpoints/check', { body: { script } })).body.problems
    const [unknown] = await problemsOf('NoSuchFunction()')
    const problems = await problemsOf(names.map((name) => `${name}()`).join('\n'))
    assert.ok(problems.length > 0)
    assert.deepEqual(
      problems.filter(({ code }) => code === unknown.code),
      [],
    )
  })
})
