/** Changes over the admin API: refused when the caller has not read what it changes, and made once however often they are sent. */
import assert from 'node:assert/strict'
import { createHash, hkdfSync, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { ADMIN_PREFIX } from '../../src/admin/admin-route.ts'
import { KEY_BYTES, unseal } from '../../src/directory/secrets/sealed-box.ts'
import { definition } from '../../src/directory/testing/endpoint-store.ts'
import { assertProblem } from '../../src/http/testing/answered-problem.ts'
import type { Json } from '../fixtures/json.ts'
import { type Reply, startAdmin } from './start-admin.ts'
import { type EndpointAdmin, startEndpointAdmin } from './start-endpoint-admin.ts'

let admin: EndpointAdmin
before(async () => {
  admin = await startEndpointAdmin()
})
after(() => admin.close())

const none = {}
const post = async (path: string, body: object = {}): Promise<Json> => {
  const answer = await admin.send('POST', path, { body })
  assert.ok(answer.status < 300, JSON.stringify(answer.body))
  return answer.body
}
const etagOf = ({ headers }: Reply): string => headers.get('etag') ?? assert.fail('There is no ETag')

type Made = {
  /** Of what has the ETag. */
  readonly address: string
  /** Makes something that the change applies to. */
  readonly make: () => Promise<string>
}

const account: Made = {
  address: '/accounts/:id',
  make: async () => (await post('/accounts', { name: 'A', clientNumber: 'C1' })).account.id,
}
const organization: Made = {
  address: '/organizations/:id',
  make: async () => (await post('/organizations', { name: randomUUID() })).id,
}
const deleted: Made = {
  address: '/deleted-organizations/:id',
  make: async () => {
    const id = await organization.make()
    await admin.store.organizations.delete(id, 'endpoint:Test')
    return id
  },
}
const facet: Made = {
  address: '/facet-definitions/:id',
  make: async () =>
    (await post('/facet-definitions', { resourceType: 'Organization', category: 'A', name: randomUUID() }))
      .id,
}
const person: Made = {
  address: '/persons/:id',
  make: async () => {
    const organizationIds = [await organization.make()]
    return (await post('/persons', { lastName: 'A', emailAddress: 'a@example.com', organizationIds })).id
  },
}
const secret: Made = {
  address: '/secrets/:id',
  make: async () => {
    const name = randomUUID()
    await admin.send('PUT', `/secrets/${name}`, { body: { value: 'x' } })
    return name
  },
}
const webhook: Made = {
  address: '/webhooks/:id',
  make: async () =>
    (await post('/webhooks', { accountId: await account.make(), url: 'https://example.com/' })).webhook?.id,
}
const endpoint: Made = {
  address: '/endpoints/:id',
  make: async () => {
    const { id } = await post('/endpoints', definition())
    await post(`/endpoints/${id}/publish`)
    await admin.send('PUT', `/endpoints/${id}`, {
      body: { ...definition(), script: `Data._payload = "${id}"` },
    })
    return id
  },
}
const module: Made = {
  address: '/modules/:id',
  make: async () => {
    const name = `m-${randomUUID()}`
    await post('/modules', { name, script: 'func one() return 1 end' })
    return name
  },
}
const schedule: Made = {
  address: '/endpoints/:id/schedules/nightly',
  make: async () => {
    const schedules = [{ name: 'nightly', cron: '0 2 * * *', missedRuns: 'once' }]
    const { id } = await post('/endpoints', { ...definition(), schedules })
    await post(`/endpoints/${id}/publish`)
    return id
  },
}
const tenant: Made = { address: '/tenant', make: async () => '' }

/** A row per change of the admin API that needs If-Match. */
const changes: readonly (readonly [method: string, path: string, made: Made, body?: object])[] = [
  ['PATCH', '/accounts/:id', account, { notes: 'Changed' }],
  ['DELETE', '/accounts/:id', account],
  ['POST', '/accounts/:id/rotate', account],
  ['POST', '/accounts/:id/psk', account],
  ['DELETE', '/accounts/:id/psk', account],
  ['POST', '/accounts/:id/disable', account],
  ['POST', '/accounts/:id/enable', account],
  ['POST', '/accounts/:id/lock', account],
  ['POST', '/accounts/:id/unlock', account],
  ['PUT', '/tenant', tenant, { name: 'Changed' }],
  ['PUT', '/organizations/:id', organization, { name: 'Changed' }],
  ['DELETE', '/organizations/:id', organization],
  ['POST', '/organizations/:id/restore', deleted],
  ['PUT', '/facet-definitions/:id', facet, { resourceType: 'Organization', category: 'B', name: 'Changed' }],
  ['DELETE', '/facet-definitions/:id', facet],
  ['DELETE', '/persons/:id', person],
  ['PUT', '/secrets/:id', secret, { description: 'Changed' }],
  ['DELETE', '/secrets/:id', secret],
  ['PATCH', '/webhooks/:id', webhook, { isActive: false }],
  ['POST', '/webhooks/:id/rotate-secret', webhook],
  ['DELETE', '/webhooks/:id', webhook],
  ['PUT', '/endpoints/:id', endpoint, definition()],
  ['POST', '/endpoints/:id/publish', endpoint, {}],
  ['POST', '/endpoints/:id/activate', endpoint],
  ['POST', '/endpoints/:id/deactivate', endpoint],
  ['POST', '/endpoints/:id/versions/1/restore', endpoint],
  ['DELETE', '/endpoints/:id', endpoint],
  ['PUT', '/modules/:id', module, { script: 'func two() return 2 end' }],
  ['POST', '/modules/:id/publish', module, {}],
  ['DELETE', '/modules/:id', module],
  ['POST', '/endpoints/:id/schedules/nightly/pause', schedule],
  ['POST', '/endpoints/:id/schedules/nightly/resume', schedule],
]

describe('a change', () => {
  for (const [method, path, { address, make }, body] of changes) {
    it(`needs the ETag of what it changes: ${method} ${path}`, async () => {
      const id = await make()
      const change = (headers: Readonly<Record<string, string>>) =>
        admin.send(method, path.replace(':id', id), { headers, body })
      const before = await admin.send('GET', address.replace(':id', id))
      const missing = await change(none)
      assert.equal(missing.status, 428)
      await assertProblem(admin.observations, missing, 'ADM124')
      const stale = await change({ 'if-match': '"another"' })
      assert.equal(stale.status, 412)
      await assertProblem(admin.observations, stale, 'ADM125')
      assert.equal(
        etagOf(await admin.send('GET', address.replace(':id', id))),
        etagOf(before),
        'nothing changed',
      )
      const made = await change({ 'if-match': etagOf(before) })
      assert.ok(made.status < 300, JSON.stringify(made.body))
    })
  }

  it('answers with the next ETag, which the next change needs', async () => {
    const id = await organization.make()
    const change = (name: string, etag: string) =>
      admin.send('PUT', `/organizations/${id}`, { headers: { 'if-match': etag }, body: { name } })
    const first = etagOf(await admin.send('GET', `/organizations/${id}`))
    const changed = await change(`${id} changed`, first)
    assert.equal(changed.status, 200)
    assert.equal((await change(`${id} again`, first)).status, 412)
    assert.equal((await change(`${id} again`, `W/${etagOf(changed)}`)).status, 200)
    assert.equal((await change(`${id} over all`, '*')).status, 200)
    assert.equal((await change(`${id} refused`, 'no tag')).status, 400)
  })

  it('is made by exactly one of many that know the same version', async () => {
    const id = await organization.make()
    const etag = etagOf(await admin.send('GET', `/organizations/${id}`))
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        const options = { headers: { 'if-match': etag }, body: { name: `${id} ${i}` } }
        return (await admin.send('PUT', `/organizations/${id}`, options)).status
      }),
    )
    assert.deepEqual(statuses.toSorted(), [200, ...Array.from({ length: 7 }, () => 412)])
  })

  it('of a facet needs the ETag of its values', async () => {
    const [id, definitionId] = [await organization.make(), await facet.make()]
    const address = `/organizations/${id}/facets/${definitionId}`
    const set = (etag: string | null) =>
      admin.send('PUT', address, {
        headers: etag === null ? none : { 'if-match': etag },
        body: { values: [] },
      })
    assert.equal((await set(null)).status, 428)
    assert.equal((await set(etagOf(await admin.send('GET', address)))).status, 200)
  })

  it('of a draft may name the revision in place of an ETag', async () => {
    const id = await endpoint.make()
    const { draftRevision } = (await admin.send('GET', `/endpoints/${id}`)).body
    const save = (revision: number, headers: Readonly<Record<string, string>> = none) =>
      admin.send('PUT', `/endpoints/${id}?revision=${revision}`, { headers, body: definition() })
    assert.equal((await save(draftRevision, { 'if-match': '"another"' })).status, 412, 'both must match')
    assert.equal((await save(draftRevision)).status, 200)
    assert.equal((await save(draftRevision)).status, 409)
  })

  it('of a person needs the ETag, which its facets change too', async () => {
    const id = await person.make()
    const definitionId = (
      await post('/facet-definitions', {
        resourceType: 'Person',
        category: 'A',
        name: randomUUID(),
        allowFreeText: true,
      })
    ).id
    const before = await admin.send('GET', `/persons/${id}`)
    await admin.send('PUT', `/persons/${id}/facets/${definitionId}`, { body: { values: ['x'] } })
    const { lastName, emailAddress, organizationIds } = before.body
    const body = { lastName, emailAddress, organizationIds }
    const stale = await admin.send('PUT', `/persons/${id}`, { headers: { 'if-match': etagOf(before) }, body })
    assert.equal(stale.status, 412)
  })

  it('of every other route is one that no version could refuse', () => {
    const exempt = [
      ['POST /executions/:id/rerun', 'runs a script'],
      ['POST /endpoints/:id/test', 'runs a trial'],
      ['POST /notifications/:id/read', 'marks for the reader alone'],
      ['POST /api/notifications/v1/:id/read', 'marks for the reader alone'],
      ['DELETE /notifications/:id', 'a notification never changes'],
      ['POST /webhooks/:id/deliveries/:deliveryId/resend', 'sends a message'],
      ['POST /webhooks/:id/test', 'sends a message'],
      ['POST /executions/reruns/:id/stop', 'ends what is left of a job, however far it is'],
      ['POST /executions/live/:id/cancel', 'ends a run, however far it is'],
      ['POST /endpoints/:id/cancel-runs', 'ends runs that no answer has shown'],
      ['POST /endpoints/:id/schedules/:name/run', 'runs a script'],
      ['POST /snapshots/:id/rollback', 'names the snapshot that is to be current'],
      ['DELETE /executions', 'runs never change, and the filter chooses them'],
      ['DELETE /endpoints/:id/state', 'scripts change it while they run'],
      ['DELETE /endpoints/:id/state/:key', 'scripts change it while they run'],
    ].map(([route]) => route)
    const isChange = (route: string) =>
      !/^(GET|HEAD) /.test(route) && (/:/.test(route) || /^(PUT|PATCH|DELETE) /.test(route))
    const routes = admin.routes.filter(isChange).map((route) => route.replace(ADMIN_PREFIX, ''))
    const tested = [
      ...changes.map(
        ([method, path]) =>
          `${method} ${path
            .replace('versions/1', 'versions/:version')
            .replace('schedules/nightly', 'schedules/:name')
            .replace(/(secrets|modules)\/:id/, '$1/:name')}`,
      ),
      'PUT /persons/:id',
      'PUT /persons/:id/facets/:definitionId',
      'PUT /organizations/:id/facets/:definitionId',
    ]
    assert.deepEqual(routes.toSorted(), [...tested, ...exempt].toSorted())
  })
})

describe('Idempotency-Key', () => {
  const send = (key: string, body: object, token = 'admin') =>
    admin.send('POST', '/accounts', { headers: { 'idempotency-key': key }, body, token })
  const body = { name: 'Once', clientNumber: 'C9' }
  const count = async () => (await admin.send('GET', '/accounts?clientNumber=C9')).body.total

  it('makes a change once, and answers the same to the same request', async () => {
    const key = randomUUID()
    const first = await send(key, body)
    const before = await count()
    const second = await send(key, body)
    assert.deepEqual([second.status, second.body], [201, first.body])
    assert.equal(etagOf(second), etagOf(first))
    assert.equal(second.headers.get('idempotent-replayed'), 'true')
    assert.equal(await count(), before)
    assert.equal((await send(key, body, 'ben')).status, 201)
    assert.equal(await count(), before + 1, 'keys of another caller are others')
  })

  it('refuses another request with the same key', async () => {
    const key = randomUUID()
    await send(key, body)
    const other = await send(key, { ...body, name: 'Other' })
    assert.equal(other.status, 422)
    await assertProblem(admin.observations, other, 'ADM126')
  })

  it('makes one of many requests at once', async () => {
    const [key, before] = [randomUUID(), await count()]
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(key, body)))
    assert.equal(await count(), before + 1)
    for (const answer of answers) assert.ok([201, 409].includes(answer.status))
    const refused = answers.find(({ status }) => status === 409)
    if (refused !== undefined) await assertProblem(admin.observations, refused, 'ADM127')
  })

  it('makes one of two requests that both find nothing kept before either has begun', async () => {
    const { keptAnswers } = admin.store
    const bothHaveLooked = Promise.withResolvers<void>()
    let looks = 0
    const other = await startAdmin({
      store: {
        ...admin.store,
        keptAnswers: {
          ...keptAnswers,
          find: async (request) => {
            const found = await keptAnswers.find(request)
            if (++looks === 2) bothHaveLooked.resolve()
            await bothHaveLooked.promise
            return found
          },
        },
      },
    })
    try {
      const [key, before] = [randomUUID(), await count()]
      const options = { headers: { 'idempotency-key': key }, body }
      const answers = await Promise.all([
        other.send('POST', '/accounts', options),
        other.send('POST', '/accounts', options),
      ])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409])
      assert.equal(await count(), before + 1)
    } finally {
      await other.server.close()
    }
  })

  it('tells that a change was made whose answer is not known', async () => {
    const key = randomUUID()
    const content = `POST ${ADMIN_PREFIX}/accounts\n${JSON.stringify({ ...body, expiresAt: null, notes: null })}`
    await admin.store.keptAnswers.claim({ caller: 'user:admin@example.com', key, content })
    const answer = await send(key, body)
    assert.equal(answer.status, 409)
    await assertProblem(admin.observations, answer, 'ADM127')
  })

  it('of a request that was refused can be used again', async () => {
    const key = randomUUID()
    assert.equal((await send(key, { ...body, name: ' ' })).status, 400)
    assert.equal((await send(key, body)).status, 201)
  })

  it('is not kept, nor is a key of an account in an answer', async () => {
    const key = randomUUID()
    const { apiKey } = (await send(key, body)).body
    const files = readdirSync(admin.dataFolder).filter((name) => name.startsWith('control'))
    assert.ok(files.length > 0)
    for (const file of files) {
      const content = readFileSync(`${admin.dataFolder}/${file}`)
      assert.ok(!content.includes(apiKey) && !content.includes(key), file)
    }
  })

  it('is needed to open an answer: nothing that the store has opens it', async () => {
    const [key, caller] = [randomUUID(), 'user:admin@example.com']
    const { apiKey } = (await send(key, body)).body
    const database = new DatabaseSync(`${admin.dataFolder}/control.db`, { readOnly: true })
    try {
      const hash = createHash('sha256').update(`${caller}\0${key}`).digest('hex')
      const row = database.prepare('SELECT * FROM kept_answers WHERE key_hash = ?').get(hash)
      const { key_hash, request_hash, sealed } = row as Record<'key_hash' | 'request_hash', string> & {
        readonly sealed: Uint8Array
      }
      const opened = (secret: string | Uint8Array, salt: string) =>
        unseal(Buffer.from(hkdfSync('sha256', secret, salt, 'kept answer', KEY_BYTES)), key_hash, sealed)
      assert.ok(opened(key, caller)?.includes(apiKey))
      const known = [
        '',
        caller,
        key_hash,
        request_hash,
        Buffer.from(key_hash, 'hex'),
        Buffer.alloc(KEY_BYTES),
      ]
      for (const secret of known) {
        for (const salt of ['', caller]) assert.equal(opened(secret, salt), undefined)
      }
      for (const secret of known.filter((secret) => secret.length === KEY_BYTES)) {
        assert.equal(unseal(Buffer.from(secret), key_hash, sealed), undefined)
      }
    } finally {
      database.close()
    }
  })

  it('runs a script once, however many requests at once ask for it', async () => {
    const { id } = await post('/endpoints', { ...definition(), script: 'Data._payload = 1' })
    await post(`/endpoints/${id}/publish`)
    const executionId = await admin.call(id)
    const reruns = async () => (await admin.send('GET', '/executions?type=Rerun')).body.total
    const [key, before] = [randomUUID(), await reruns()]
    const rerun = () =>
      admin.send('POST', `/executions/${executionId}/rerun`, { headers: { 'idempotency-key': key } })
    const answers = await Promise.all(Array.from({ length: 6 }, rerun))
    for (const { status } of answers) assert.ok([200, 409].includes(status))
    assert.equal(await reruns(), before + 1)
    const again = await rerun()
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual(again.body, answers.find(({ status }) => status === 200)?.body)
    assert.equal(await reruns(), before + 1)
  })

  it('of a run that was refused can be used again', async () => {
    const [key, id] = [randomUUID(), randomUUID()]
    for (let attempt = 0; attempt < 2; attempt++) {
      const options = { headers: { 'idempotency-key': key } }
      assert.equal((await admin.send('POST', `/executions/${id}/rerun`, options)).status, 404)
    }
  })

  it('of any work that leaves the store is claimed before it begins', async () => {
    // An operation without a transaction of its own would be done by each of several requests at once.
    const claimed = new Set<string>()
    const { keptAnswers } = admin.store
    const other = await startAdmin({
      history: admin.history,
      store: {
        ...admin.store,
        keptAnswers: {
          ...keptAnswers,
          claimAlone: async (request) => {
            claimed.add(request.content.split('\n')[0]?.replace(/^POST \/api\/admin\/v1/, '') ?? '')
            return keptAnswers.claimAlone(request)
          },
        },
      },
    })
    try {
      const beyond = [
        ...['/snapshots/refresh', `/executions/${randomUUID()}/rerun`, '/executions/rerun'],
        ...[`/executions/reruns/${randomUUID()}/stop`, `/executions/live/${randomUUID()}/cancel`],
        ...[`/endpoints/${randomUUID()}/cancel-runs`, `/endpoints/${randomUUID()}/test`],
      ]
      for (const path of beyond) {
        const body = path.endsWith('/test')
          ? { request: {} }
          : path === '/executions/rerun'
            ? { filter: { text: 'x' } }
            : {}
        await other.send('POST', path, { body, headers: { 'idempotency-key': randomUUID() } })
      }
      assert.deepEqual([...claimed].toSorted(), beyond.toSorted())
    } finally {
      await other.server.close()
    }
  })

  for (const key of ['short', 'x'.repeat(201)]) {
    it(`of ${key.length} characters is refused`, async () => {
      assert.equal((await send(key, body)).status, 400)
    })
  }
})
