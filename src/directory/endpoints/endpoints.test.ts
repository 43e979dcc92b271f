import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Problem } from '../../kernel/problem.ts'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import {
  BY,
  definition,
  type EndpointStore,
  makeStoreFile,
  openEndpointStore,
} from '../testing/endpoint-store.ts'
import { askControlStore } from '../testing/stores.ts'

const { path, remove } = makeStoreFile()
let store: EndpointStore
before(async () => {
  store = await openEndpointStore(path)
})
after(async () => {
  await store.close()
  remove()
})

const byHand = (sql: string, values: readonly string[]) => askControlStore(dirname(path), sql, values)
const create = (members: Partial<EndpointDefinition> = {}) => store.endpoints.create(definition(members), BY)
const publish = async (members: Partial<EndpointDefinition> = {}) =>
  store.endpoints.publish((await create(members)).id, BY)
const unknown = crypto.randomUUID()

const rejectsWith =
  (code: string, message = /./, hint = /./) =>
  (error: unknown) => {
    assert.ok(error instanceof Problem, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, message)
    assert.match(error.hint ?? '-', hint)
    return true
  }

describe('create', () => {
  it('returns an inactive endpoint with the definition as its draft, and finds it again', async () => {
    const given = definition({ signature: { style: 'github', secret: 'hook' }, limits: { depth: 3 } })
    const endpoint = await store.endpoints.create(given, BY)
    assert.match(endpoint.id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    assert.match(endpoint.createdAt, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
    assert.deepEqual(endpoint, {
      id: endpoint.id,
      draft: given,
      draftRevision: 1,
      draftChangedAt: endpoint.createdAt,
      draftChangedBy: BY,
      hasUnpublishedChanges: true,
      active: false,
      published: null,
      createdAt: endpoint.createdAt,
    })
    assert.deepEqual(await store.endpoints.find(endpoint.id), endpoint)
    assert.deepEqual(await store.endpoints.versions(endpoint.id), [])
  })

  it('keeps a script of a mebibyte with every allowed character', async () => {
    const script = '\u0000é\ud800"\\\u{1f600}\r\n'.repeat(2 ** 17).slice(0, 2 ** 20)
    const { id } = await create({ script })
    assert.equal((await store.endpoints.find(id)).draft.script, script)
    // A later endpoint is compared with every draft.
    const { path: free } = (await create({ path: 'beside/the/mebibyte' })).draft
    assert.equal(free, 'beside/the/mebibyte')
    await store.endpoints.remove(id, BY)
  })

  const faults = ['', '/a', 'a//b', '{x}/{x}', 'a b', '..']
  for (const fault of faults) {
    it(`refuses the path '${fault}'`, async () => {
      const count = (await store.endpoints.list()).length
      await assert.rejects(create({ path: fault }), rejectsWith('DIR330', /reports\/spend/, /slashes/))
      assert.equal((await store.endpoints.list()).length, count)
    })
  }
})

describe('a name', () => {
  const same: readonly (readonly [taken: string, wanted: string])[] = [
    ['Spend report', 'Spend report'],
    ['Spend by month', 'SPEND BY MONTH'],
    ['Éclair', 'éclair'],
    ['ΟΔΟΣ', 'οδος'],
  ]
  for (const [taken, wanted] of same) {
    it(`cannot be '${wanted}' when another is '${taken}'`, async () => {
      const holder = await create({ name: taken })
      const refused = rejectsWith('DIR313', new RegExp(`'${taken}' \\(${holder.id}\\)`))
      await assert.rejects(create({ name: wanted }), refused)
      const other = await create()
      await assert.rejects(store.endpoints.saveDraft(other.id, { ...other.draft, name: wanted }, BY), refused)
      assert.deepEqual(await store.endpoints.find(other.id), other)
    })
  }

  it('may change its letter case, and is free for other endpoints after a change', async () => {
    const { id, draft } = await create({ name: 'Changing' })
    await store.endpoints.saveDraft(id, { ...draft, name: 'CHANGING' }, BY)
    await store.endpoints.saveDraft(id, { ...draft, name: 'Changed' }, BY)
    assert.equal((await create({ name: 'changing' })).draft.name, 'changing')
  })
})

describe('a route', () => {
  const same: readonly (readonly [taken: string, wanted: string])[] = [
    ['taken/one', 'taken/one'],
    ['taken/Two', 'TAKEN/two'],
    ['taken/three/{a}', 'taken/Three/{b}'],
  ]
  for (const [taken, wanted] of same) {
    it(`cannot be ${wanted} when a draft or a published version has ${taken}`, async () => {
      const holder = await create({ path: taken })
      const other = await create()
      const attempts = [
        () => create({ path: wanted }),
        () => store.endpoints.saveDraft(other.id, { ...other.draft, path: wanted }, BY),
      ]
      const named = (part: string) =>
        rejectsWith('DIR310', new RegExp(`GET ${wanted}, which the ${part} of '.*' \\(${holder.id}\\)`))
      for (const attempt of attempts) await assert.rejects(attempt(), named('draft'))
      await store.endpoints.publish(holder.id, BY)
      await store.endpoints.saveDraft(holder.id, { ...holder.draft, path: `moved/${taken}` }, BY)
      for (const attempt of attempts) await assert.rejects(attempt(), named('published version'))
      assert.deepEqual(await store.endpoints.find(other.id), other)
    })
  }

  it('is different with another method, or with a text where the other has a parameter', async () => {
    await publish({ path: 'free/{a}' })
    await publish({ path: 'free/{a}', method: 'POST' })
    await publish({ path: 'free/text' })
    await publish({ path: 'free/{a}/{b}' })
  })

  it('stays with an endpoint that is switched off, and is free when the endpoint has moved or is removed', async () => {
    const { id, draft } = await publish({ path: 'kept' })
    await store.endpoints.setActive(id, false, BY)
    await assert.rejects(create({ path: 'kept' }), rejectsWith('DIR310'))
    await store.endpoints.saveDraft(id, { ...draft, path: 'kept/no/longer' }, BY)
    await assert.rejects(create({ path: 'kept' }), rejectsWith('DIR310'))
    await store.endpoints.publish(id, BY)
    const next = await create({ path: 'kept' })
    await store.endpoints.remove(next.id, BY)
    await publish({ path: 'kept' })
  })

  it('that was written into the table by hand is refused when a draft is published', async () => {
    const first = await publish({ path: 'by/hand/1' })
    const second = await create({ path: 'by/hand/2' })
    await byHand("update endpoints set path_key = 'by/hand/2' where id = ?", [first.id])
    await assert.rejects(
      byHand("update endpoints set method = 'GET', path_key = 'by/hand/2' where id = ?", [second.id]),
      /UNIQUE.*endpoints.method, endpoints.path_key|unique constraint "endpoints_route"/,
    )
    await assert.rejects(store.endpoints.publish(second.id, BY), rejectsWith('DIR310', new RegExp(first.id)))
    assert.deepEqual(await store.endpoints.versions(second.id), [])
  })
})

describe('saveDraft', () => {
  it('replaces the draft, raises its revision and says who did it', async () => {
    const { id, draft, createdAt } = await create()
    const saved = await store.endpoints.saveDraft(id, { ...draft, script: 'x' }, 'operator:kim', 1)
    assert.deepEqual(
      { ...saved, draftChangedAt: '' },
      {
        id,
        draft: { ...draft, script: 'x' },
        draftRevision: 2,
        draftChangedAt: '',
        draftChangedBy: 'operator:kim',
        hasUnpublishedChanges: true,
        active: false,
        published: null,
        createdAt,
      },
    )
  })

  it('changes nothing and leaves no audit entry for an equal draft, in any order of members', async () => {
    const endpoint = await create({ limits: { depth: 1, loops: 2 } })
    const same = Object.fromEntries(Object.entries(endpoint.draft).reverse()) as EndpointDefinition
    const saved = await store.endpoints.saveDraft(
      endpoint.id,
      { ...same, limits: { loops: 2, depth: 1 } },
      'operator:kim',
    )
    assert.deepEqual(saved, endpoint)
    assert.equal((await store.history(endpoint.id)).length, 1)
  })

  it('refuses another revision than the current one, and names who saved it and when', async () => {
    const { id, draft } = await create({ name: 'Contested' })
    const saved = await store.endpoints.saveDraft(id, { ...draft, script: 'first' }, 'operator:kim', 1)
    for (const stale of [1, 3, 0]) {
      await assert.rejects(
        store.endpoints.saveDraft(id, { ...draft, script: 'second' }, 'operator:lou', stale),
        rejectsWith(
          'DIR311',
          new RegExp(`revision ${stale} of .*'Contested'.*2.*operator:kim at ${saved.draftChangedAt}`),
          /again/,
        ),
      )
    }
    assert.deepEqual(await store.endpoints.find(id), saved)
    await store.endpoints.saveDraft(id, { ...draft, script: 'second' }, 'operator:lou', 2)
  })

  it('overwrites when no revision is given', async () => {
    const { id, draft } = await create()
    await store.endpoints.saveDraft(id, { ...draft, script: 'first' }, BY)
    const saved = await store.endpoints.saveDraft(id, { ...draft, script: 'second' }, BY)
    assert.deepEqual([saved.draft.script, saved.draftRevision], ['second', 3])
  })

  it('treats a draft that equals the published version again as unchanged', async () => {
    const { id, draft, hasUnpublishedChanges } = await publish()
    const { endpoints } = store
    assert.equal(hasUnpublishedChanges, false)
    assert.equal((await endpoints.saveDraft(id, { ...draft, script: 'x' }, BY)).hasUnpublishedChanges, true)
    assert.equal((await endpoints.saveDraft(id, draft, BY)).hasUnpublishedChanges, false)
  })
})

describe('publish', () => {
  it('makes the draft version 1, then 2, activates only the first time, and keeps both', async () => {
    const { id, draft } = await create()
    const first = await store.endpoints.publish(id, 'operator:kim', 'First try')
    assert.deepEqual([first.active, first.hasUnpublishedChanges, first.draftRevision], [true, false, 1])
    assert.deepEqual(first.published, {
      version: 1,
      publishedAt: first.published?.publishedAt,
      publishedBy: 'operator:kim',
      note: 'First try',
    })
    await store.endpoints.setActive(id, false, BY)
    await store.endpoints.saveDraft(id, { ...draft, script: 'second' }, BY)
    const second = await store.endpoints.publish(id, BY)
    assert.deepEqual([second.active, second.published?.version, second.published?.note], [false, 2, null])
    const versions = await store.endpoints.versions(id)
    assert.deepEqual(
      versions.map(({ version, note, definition }) => [version, note, definition]),
      [
        [2, null, { ...draft, script: 'second' }],
        [1, 'First try', draft],
      ],
    )
    assert.deepEqual(versions, [
      await store.endpoints.version(id, 2),
      { ...first.published, definition: draft },
    ])
  })

  it('refuses a draft that equals the published version', async () => {
    const { id } = await publish({ name: 'Unchanged' })
    await assert.rejects(store.endpoints.publish(id, BY), rejectsWith('DIR312', /'Unchanged'.*version 1/))
    assert.equal((await store.endpoints.versions(id)).length, 1)
    assert.equal((await store.history(id)).length, 2)
  })

  it('refuses a draft that has changed since it was checked', async () => {
    const { id, draft } = await create()
    await store.endpoints.saveDraft(id, { ...draft, script: 'unchecked' }, 'operator:kim')
    await assert.rejects(store.endpoints.publish(id, BY, null, 1), rejectsWith('DIR311', /operator:kim/))
    assert.equal((await store.endpoints.publish(id, BY, null, 2)).published?.version, 1)
  })

  it('refuses an endpoint whose signing secret is unknown, inactive or expired', async () => {
    const { id } = await create({ name: 'Signed', signature: { style: 'github', secret: 'Signs' } })
    const refusal = (found: string) =>
      rejectsWith('AUT107', new RegExp(`'Signs'.*'Signed', found it ${found}$`), /tripfolio secret set/)
    await assert.rejects(store.endpoints.publish(id, BY), refusal('unknown'))
    await store.secrets.set('signs', { value: 'k'.repeat(32), isActive: false }, BY)
    await assert.rejects(store.endpoints.publish(id, BY), refusal('inactive'))
    const past = ['2020-01-01T00:00:00.000Z', 'signs']
    await store.secrets.set('signs', { isActive: true }, BY)
    await byHand('update secrets set expires_at = ? where name_key = ?', past)
    await assert.rejects(store.endpoints.publish(id, BY), refusal('expired'))
    assert.equal((await store.endpoints.find(id)).published, null)
    await store.secrets.set('signs', { expiresAt: null }, BY)
    assert.equal((await store.endpoints.publish(id, BY)).published?.version, 1)
  })

  it('accepts a note of 500 characters and refuses one of 501', async () => {
    const { id } = await create()
    await assert.rejects(store.endpoints.publish(id, BY, '😀'.repeat(501)), rejectsWith('DIR331', /500.*501/))
    const { published } = await store.endpoints.publish(id, BY, '😀'.repeat(500))
    assert.equal(published?.note?.length, 1000)
  })
})

describe('setActive', () => {
  it('switches a published endpoint off and on', async () => {
    const { id } = await publish()
    assert.equal((await store.endpoints.setActive(id, false, BY)).active, false)
    assert.equal((await store.endpoints.setActive(id, true, BY)).active, true)
  })

  it('changes nothing and leaves no audit entry when the state is the same', async () => {
    const published = await publish()
    assert.deepEqual(await store.endpoints.setActive(published.id, true, BY), published)
    const draft = await create()
    assert.deepEqual(await store.endpoints.setActive(draft.id, false, BY), draft)
    assert.equal((await store.history(published.id)).length, 2)
    assert.equal((await store.history(draft.id)).length, 1)
  })

  it('refuses to activate an endpoint that was never published', async () => {
    const { id } = await create({ name: 'Only a draft' })
    await assert.rejects(store.endpoints.setActive(id, true, BY), rejectsWith('DIR315', /'Only a draft'/))
  })
})

describe('restore', () => {
  it('makes a kept version the draft, without effect for callers', async () => {
    const { id, draft } = await publish()
    await store.endpoints.saveDraft(id, { ...draft, script: 'second' }, BY)
    await store.endpoints.publish(id, BY)
    const known = await store.endpoints.current()
    const restored = await store.endpoints.restore(id, 1, 'operator:kim')
    assert.deepEqual([restored.draft, restored.draftRevision, restored.published?.version], [draft, 3, 2])
    assert.equal(restored.draftChangedBy, 'operator:kim')
    assert.equal(await store.endpoints.current(), known)
    assert.equal((await store.endpoints.publish(id, BY)).published?.version, 3)
    assert.deepEqual((await store.endpoints.version(id, 3)).definition, draft)
  })

  it('changes nothing and leaves no audit entry when the draft equals that version', async () => {
    const endpoint = await publish()
    assert.deepEqual(await store.endpoints.restore(endpoint.id, 1, 'operator:kim'), endpoint)
    assert.equal((await store.history(endpoint.id)).length, 2)
  })

  it('refuses a version whose name or route another endpoint has now', async () => {
    const { id, draft } = await publish({ name: 'Old name', path: 'old/path' })
    await store.endpoints.saveDraft(id, { ...draft, name: 'New name', path: 'new/path' }, BY)
    await store.endpoints.publish(id, BY)
    const other = await create({ name: 'old NAME' })
    await assert.rejects(store.endpoints.restore(id, 1, BY), rejectsWith('DIR313', new RegExp(other.id)))
    await store.endpoints.saveDraft(other.id, { ...other.draft, name: 'Other', path: 'OLD/path' }, BY)
    await assert.rejects(store.endpoints.restore(id, 1, BY), rejectsWith('DIR310', new RegExp(other.id)))
    await store.endpoints.remove(other.id, BY)
    assert.deepEqual((await store.endpoints.restore(id, 1, BY)).draft, draft)
  })
})

describe('remove', () => {
  it('removes the endpoint with its versions, frees its name and route, and keeps its trail', async () => {
    const { id, draft } = await publish()
    await store.endpoints.remove(id, BY)
    await assert.rejects(store.endpoints.find(id), rejectsWith('DIR301'))
    await assert.rejects(store.endpoints.version(id, 1), rejectsWith('DIR301'))
    assert.deepEqual(await byHand('select version from endpoint_versions where endpoint_id = ?', [id]), [])
    assert.notEqual((await store.endpoints.create(draft, BY)).id, id)
    assert.equal((await store.history(id)).length, 3)
  })
})

describe('an unknown endpoint or version', () => {
  const operations: readonly (readonly [name: string, (id: string) => Promise<unknown>])[] = [
    ['saveDraft', (id) => store.endpoints.saveDraft(id, definition(), BY)],
    ['publish', (id) => store.endpoints.publish(id, BY)],
    ['setActive', (id) => store.endpoints.setActive(id, false, BY)],
    ['versions', (id) => store.endpoints.versions(id)],
    ['version', (id) => store.endpoints.version(id, 1)],
    ['restore', (id) => store.endpoints.restore(id, 1, BY)],
    ['remove', (id) => store.endpoints.remove(id, BY)],
    ['find', (id) => store.endpoints.find(id)],
  ]
  for (const [name, operation] of operations) {
    it(`is refused by ${name}, and the store stays usable`, async () => {
      await assert.rejects(operation(unknown), rejectsWith('DIR301', new RegExp(unknown)))
      await create()
    })
  }

  for (const version of [0, 3, -1, 1.5]) {
    it(`is refused by version and restore: version ${version} of an endpoint with two`, async () => {
      const { id, draft } = await publish()
      await store.endpoints.saveDraft(id, { ...draft, script: 'second' }, BY)
      await store.endpoints.publish(id, BY)
      const refused = rejectsWith('DIR302', new RegExp(`found ${version},`), /Versions 1 to 2/)
      await assert.rejects(store.endpoints.version(id, version), refused)
      await assert.rejects(store.endpoints.restore(id, version, BY), refused)
    })
  }

  it('is refused by version for every version of an endpoint that was never published', async () => {
    const { id } = await create()
    await assert.rejects(store.endpoints.version(id, 1), rejectsWith('DIR302', /./, /No version/))
  })
})
