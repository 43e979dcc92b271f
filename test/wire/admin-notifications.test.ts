/** Notifications over the admin API: a reader sees their own and those for all readers, as a list and as a stream. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assertProblem } from '../../src/http/testing/answered-problem.ts'
import type { Json } from '../fixtures/json.ts'
import { type Admin, startAdmin } from './start-admin.ts'

const BY = 'user:admin@example.com'
const BEN = 'user:ben@example.com'
const NOTHING = '00000000-0000-4000-8000-000000000000'

let admin: Admin
before(async () => {
  admin = await startAdmin()
})
after(() => admin.close())

async function sent(members: object): Promise<Json> {
  const body = { title: 'Title', message: 'Message', ...members }
  const answer = await admin.send('POST', '/notifications', { body })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

const titles = (body: Json): string[] => body.items.map(({ title }: Json) => title)

describe('notifications', () => {
  it('are sent to all readers or to one, and the trail says by whom', async () => {
    await admin.newAudit()
    const toAll = await sent({ title: 'To all' })
    assert.deepEqual(
      [toAll.type, toAll.link, toAll.audience, toAll.createdBy, toAll.readAt],
      ['Info', null, null, BY, null],
    )
    await sent({ title: 'To Ben', audience: BEN, type: 'Warning' })
    const list = async (token: string) => titles((await admin.send('GET', '/notifications', { token })).body)
    assert.deepEqual(await list('admin'), ['To all'])
    assert.deepEqual(await list('ben'), ['To Ben', 'To all'])
    assert.deepEqual(
      (await admin.newAudit()).map(({ actor, action }) => [actor, action]),
      [
        [BY, 'notification.send'],
        [BY, 'notification.send'],
      ],
    )
  })

  it('are marked as read by each reader alone', async () => {
    const { id } = await sent({ title: 'To be read' })
    const unread = async (token: string) =>
      titles((await admin.send('GET', '/notifications?unreadOnly=true', { token })).body).includes(
        'To be read',
      )
    assert.deepEqual([await unread('admin'), await unread('ben')], [true, true])
    assert.equal((await admin.send('POST', `/notifications/${id}/read`)).status, 204)
    assert.deepEqual([await unread('admin'), await unread('ben')], [false, true])
    const { body } = await admin.send('GET', '/notifications')
    assert.notEqual(body.items.find((one: Json) => one.id === id).readAt, null)
  })

  it('are returned newest first, in pages', async () => {
    for (const title of ['One', 'Two', 'Three']) await sent({ title })
    const first = (await admin.send('GET', '/notifications?limit=2')).body
    assert.deepEqual(titles(first), ['Three', 'Two'])
    const second = (await admin.send('GET', `/notifications?limit=1&after=${first.next}`)).body
    assert.deepEqual(titles(second), ['One'])
    assert.equal((await admin.send('GET', '/notifications?limit=500')).body.next, null)
  })

  it('are removed for all readers', async () => {
    const { id } = await sent({ title: 'To be removed' })
    await admin.newAudit()
    assert.equal((await admin.send('DELETE', `/notifications/${id}`)).status, 204)
    for (const token of ['admin', 'ben']) {
      const { body } = await admin.send('GET', '/notifications', { token })
      assert.ok(!titles(body).includes('To be removed'))
    }
    assert.deepEqual(
      (await admin.newAudit()).map(({ actor, action }) => [actor, action]),
      [[BY, 'notification.delete']],
    )
  })

  it('are read by every user with a token, each their own, whatever the roles', async () => {
    const send = (method: string, path: string, token: string | null) =>
      admin.send(method, `/../../notifications/v1${path}`, { token })
    const { id } = await sent({ title: 'To the user', audience: 'user:user@example.com' })
    await sent({ title: 'To another', audience: BEN })
    assert.equal((await admin.send('GET', '/notifications', { token: 'user' })).status, 403)
    const { body } = await send('GET', '?unreadOnly=true&text=TO%20THE', 'user')
    assert.deepEqual([titles(body), body.total, body.next], [['To the user'], 1, null])
    assert.equal((await send('POST', `/${id}/read`, 'ben')).status, 404)
    assert.equal((await send('POST', `/${id}/read`, 'user')).status, 204)
    assert.deepEqual(titles((await send('GET', '?unreadOnly=true&text=TO%20THE', 'user')).body), [])
    assert.equal((await send('GET', '', null)).status, 401)
    assert.equal((await send('DELETE', `/${id}`, 'admin')).status, 404)
  })

  it('are not found when they do not exist or are for another reader', async () => {
    const { id } = await sent({ audience: BEN })
    assert.equal((await admin.send('POST', `/notifications/${id}/read`)).status, 404)
    assert.equal((await admin.send('POST', `/notifications/${NOTHING}/read`)).status, 404)
    assert.equal((await admin.send('DELETE', `/notifications/${NOTHING}`)).status, 404)
  })

  for (const body of [
    {},
    { title: 'A' },
    { title: '', message: 'B' },
    { title: 'A', message: 'B', type: 'Fatal' },
    { title: 'A', message: 'B', audience: 'ben' },
    { title: 'A', message: 'B', link: 'javascript:alert(1)' },
    { title: 'A', message: 'B', to: BEN },
  ]) {
    it(`refuse ${JSON.stringify(body)}`, async () => {
      assert.equal((await admin.send('POST', '/notifications', { body })).status, 400)
    })
  }

  for (const query of ['unreadOnly=maybe', 'limit=0', 'before=1', 'after=x']) {
    it(`refuse ?${query}`, async () => {
      assert.equal((await admin.send('GET', `/notifications?${query}`)).status, 400)
    })
  }
})

describe('GET /notifications/stream', () => {
  const open = (from: Admin, token = 'admin', headers: Record<string, string> = {}) =>
    fetch(`${from.url}/notifications/stream`, { headers: { authorization: `Bearer ${token}`, ...headers } })

  /** Reads until the text has arrived; the stream stays open. */
  async function until(reader: ReadableStreamDefaultReader<Uint8Array>, expected: string): Promise<string> {
    let text = ''
    while (!text.includes(expected)) {
      const { done, value } = await reader.read()
      assert.ok(!done, `The stream ended without '${expected}': ${text}`)
      text += Buffer.from(value)
    }
    return text
  }
  const readerOf = ({ body }: Response) => (body as ReadableStream<Uint8Array>).getReader()

  it('delivers new notifications to their readers', async () => {
    const [mine, bens] = [await open(admin), await open(admin, 'ben')]
    assert.deepEqual([mine.status, mine.headers.get('content-type')], [200, 'text/event-stream'])
    assert.equal(mine.headers.get('cache-control'), 'no-store')
    assert.ok(mine.headers.get('x-request-id'))
    const [reader, bensReader] = [readerOf(mine), readerOf(bens)]
    const [toBen, toAll] = [await sent({ audience: BEN }), await sent({ title: 'All' })]
    const event = `id: ${toAll.sequence}\nevent: notification\ndata: ${JSON.stringify(toAll)}\n\n`
    const text = await until(reader, event)
    assert.ok(text.startsWith('retry: 3000\n'))
    assert.ok(!text.includes(toBen.id))
    assert.ok((await until(bensReader, toAll.id)).includes(toBen.id))
    await Promise.all([reader.cancel(), bensReader.cancel()])
  })

  it('continues after Last-Event-ID', async () => {
    const [first, second, third] = [await sent({}), await sent({}), await sent({})]
    const reader = readerOf(await open(admin, 'admin', { 'last-event-id': String(first.sequence) }))
    const text = await until(reader, third.id)
    assert.ok(text.includes(second.id) && !text.includes(first.id))
    await reader.cancel()
  })

  it('refuses a malformed Last-Event-ID', async () => {
    const response = await open(admin, 'admin', { 'last-event-id': 'seven' })
    assert.equal(response.status, 400)
    await response.body?.cancel()
  })

  it('ends when the token does', async () => {
    const response = await open(admin, 'admin:50')
    assert.ok((await response.text()).startsWith('retry:'))
  })

  it('answers HEAD without a stream', async () => {
    const { status, body } = await admin.send('HEAD', '/notifications/stream')
    assert.deepEqual([status, body], [200, null])
  })

  it('is refused when a hundred are open, with a hint and no error in the log', async () => {
    const full = await startAdmin()
    try {
      await Promise.all(Array.from({ length: 100 }, () => open(full)))
      const refused = await open(full)
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '30'])
      assert.match(await refused.text(), /100 streams/)
      await assertProblem(full.observations, refused, 'ADM123')
      assert.ok(full.observations.every(({ kind }) => kind !== 'request-failed'))
    } finally {
      await full.close()
    }
  })

  it('does not keep the server from closing', async () => {
    const closing = await startAdmin()
    const responses = await Promise.all([open(closing), open(closing)])
    const ends = responses.map((response) => response.text())
    await closing.close()
    await Promise.all(ends)
  })
})
