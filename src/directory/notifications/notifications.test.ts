import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import type { ControlStore } from '../control-store.ts'
import { BY, changesOf, makeStores, refusedWith } from '../testing/people-store.ts'
import type { NotificationDraft } from './notifications.ts'

const files = makeStores()
let store: ControlStore
let other: ControlStore
before(async () => {
  store = await files.open()
  other = await files.open()
})
after(() => files.remove())

let readers = 0
/** A reader to whom no notification was sent. */
const newReader = () => `user:reader${++readers}@example.com`
const UNKNOWN = '00000000-0000-4000-8000-000000000000'

const draft = (members: Partial<NotificationDraft> = {}): NotificationDraft => ({
  title: 'Title',
  message: 'Message',
  type: 'Info',
  link: null,
  audience: null,
  ...members,
})
const send = (members: Partial<NotificationDraft> = {}, through = store) =>
  through.notifications.send(draft(members), BY)
const sequences = (all: readonly { readonly sequence: number }[]) => all.map(({ sequence }) => sequence)

describe('a notification', () => {
  it('is returned with all given members, its number, its author and its moment', async () => {
    const audience = newReader()
    const given = draft({
      title: ' T ',
      message: 'two\nlines',
      type: 'Warning',
      link: '/app/x?y=1',
      audience,
    })
    const sent = await store.notifications.send(given, BY)
    const { id, sequence, createdAt, ...rest } = sent
    assert.deepEqual(rest, { ...given, title: 'T', createdBy: BY, readAt: null })
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.match(createdAt, /^\d{4}-.*Z$/)
    assert.equal(sequence, await store.notifications.newestSequence())
    assert.deepEqual(await store.notifications.list(audience, { limit: 1 }), [sent])
  })

  it('is seen by all readers, or by its own reader, without regard to case', async () => {
    const [ann, ben] = [newReader(), newReader()]
    const all = await send()
    const forAnn = await send({ audience: ann.replace('reader', 'READER') })
    const forBen = await send({ audience: ben })
    const seenBy = async (reader: string) =>
      sequences(await store.notifications.after(reader, all.sequence - 1, 10))
    assert.deepEqual(await seenBy(ann), [all.sequence, forAnn.sequence])
    assert.deepEqual(await seenBy(ann.toUpperCase()), [all.sequence, forAnn.sequence])
    assert.deepEqual(await seenBy(ben), [all.sequence, forBen.sequence])
    assert.deepEqual(await seenBy('service:export'), [all.sequence])
  })

  it('is for one person, when identities that are no addresses differ in letter case only', async () => {
    const subject = `user:${crypto.randomUUID()}-aB`
    const [own, other] = [
      await send({ audience: subject }),
      await send({ audience: subject.replace('aB', 'Ab') }),
    ]
    const seen = sequences(await store.notifications.list(subject, { limit: 1000 }))
    assert.ok(seen.includes(own.sequence) && !seen.includes(other.sequence))
    const prefixed = await send({ audience: subject.replace('user:', 'USER:') })
    assert.ok(sequences(await store.notifications.list(subject, { limit: 1000 })).includes(prefixed.sequence))
  })

  it('is marked as read by each reader alone, and the first time counts', async () => {
    const [ann, ben] = [newReader(), newReader()]
    const { id, sequence } = await send()
    const seenBy = async (reader: string) =>
      (await store.notifications.after(reader, sequence - 1, 1))[0]?.readAt ?? null
    assert.equal(await store.notifications.markRead(id, ann.toUpperCase()), true)
    const readAt = await seenBy(ann)
    assert.notEqual(readAt, null)
    assert.equal(await store.notifications.markRead(id.toUpperCase(), ann), true)
    assert.equal(await seenBy(ann), readAt)
    assert.equal(await seenBy(ben), null)
    const unread = await store.notifications.list(ann, { unreadOnly: true, limit: 1000 })
    assert.ok(!sequences(unread).includes(sequence))
    assert.ok(sequences(await store.notifications.list(ben, { unreadOnly: true })).includes(sequence))
  })

  it('cannot be marked as read by a reader who may not see it, or when it does not exist', async () => {
    const { id } = await send({ audience: newReader() })
    assert.equal(await store.notifications.markRead(id, newReader()), false)
    assert.equal(await store.notifications.markRead(UNKNOWN, newReader()), false)
  })

  it('is removed for all readers, once, with the marks of its readers', async () => {
    const reader = newReader()
    const { id, sequence } = await send()
    await store.notifications.markRead(id, reader)
    assert.equal(await store.notifications.remove(id.toUpperCase(), BY), true)
    assert.equal(await store.notifications.remove(id, BY), false)
    assert.deepEqual(await store.notifications.after(reader, sequence - 1, 1), [])
    assert.equal(await store.notifications.markRead(id, reader), false)
  })

  it('leaves a trail of its sending and removal, without its message', async () => {
    const { id } = await send({ message: 'canary' })
    await store.notifications.remove(id, BY)
    const told = { audience: null, title: 'Title', type: 'Info' }
    assert.deepEqual(await changesOf(store, id), [
      { action: 'notification.send', before: null, after: told },
      { action: 'notification.delete', before: told, after: null },
    ])
  })
})

describe('a notification is refused', () => {
  const wrong: readonly (readonly [string, Partial<NotificationDraft>, string])[] = [
    ['without a title', { title: ' ' }, 'DIR630'],
    ['with a title that is too long', { title: 'x'.repeat(201) }, 'DIR630'],
    ['without a message', { message: '' }, 'DIR630'],
    ['with a message that is too long', { message: 'x'.repeat(10_001) }, 'DIR630'],
    ['with another type', { type: 'Information' as 'Info' }, 'DIR631'],
    ['for a malformed reader', { audience: 'ann@example.com' }, 'DIR632'],
    ['for a reader without a name', { audience: 'user:' }, 'DIR632'],
    ['with a link that runs code', { link: 'javascript:alert(1)' }, 'DIR633'],
    ['with a link that hides its scheme', { link: 'java\tscript:alert(1)' }, 'DIR633'],
    ['with a link that holds data', { link: 'data:text/html,x' }, 'DIR633'],
    ['with a link that leaves the site by two slashes', { link: '//elsewhere.example' }, 'DIR633'],
    ['with a link that leaves the site by a backslash', { link: '/\\elsewhere.example' }, 'DIR633'],
    ['with a link that leads nowhere', { link: 'app' }, 'DIR633'],
    ['with a link of two lines', { link: '/a\nb' }, 'DIR633'],
    ['with a link that is too long', { link: `/${'x'.repeat(2000)}` }, 'DIR633'],
  ]
  for (const [what, members, code] of wrong) {
    it(`${what} (${code})`, async () => {
      const before = await store.notifications.newestSequence()
      await assert.rejects(send(members), refusedWith(code))
      assert.equal(await store.notifications.newestSequence(), before)
    })
  }

  it('but not for links to pages', async () => {
    for (const link of ['https://example.com/a?b=c#d', 'HTTP://example.com', '/', '/app/1', ' /trimmed ']) {
      assert.equal((await send({ link })).link, link.trim())
    }
    assert.equal((await send({ link: ' ' })).link, null)
  })
})

describe('numbers of notifications', () => {
  it('grow by one with each notification, through every store', async () => {
    const first = await store.notifications.newestSequence()
    const sent = await Promise.all(
      Array.from({ length: 20 }, (_, i) => send({}, i % 2 === 0 ? store : other)),
    )
    const expected = Array.from({ length: 20 }, (_, i) => first + 1 + i)
    assert.deepEqual(
      sequences(sent).sort((a, b) => a - b),
      expected,
    )
  })

  it('are not given a second time when the newest one is removed', async () => {
    const removed = await send()
    await store.notifications.remove(removed.id, BY)
    assert.ok((await send()).sequence > removed.sequence)
  })

  it('let a follower see every notification exactly once, in order, during other sends', async () => {
    const reader = newReader()
    let seen = await store.notifications.newestSequence()
    const followed: number[] = []
    let isSending = true
    const sending = Promise.all([
      ...Array.from({ length: 15 }, () => send()),
      ...Array.from({ length: 15 }, () => send({ audience: reader }, other)),
    ]).finally(() => {
      isSending = false
    })
    for (let isLast = false; !isLast; ) {
      await nextTurn()
      isLast = !isSending
      for (const { sequence } of await store.notifications.after(reader, seen, 4)) {
        followed.push(sequence)
        seen = sequence
        isLast = false
      }
    }
    const sent = sequences(await sending).sort((a, b) => a - b)
    assert.deepEqual(followed, sent)
  })

  it('page a list without gaps and repetitions, whatever the size of a page', async () => {
    const reader = newReader()
    for (let i = 0; i < 12; i++) await send({ audience: i % 3 === 0 ? newReader() : reader })
    const all = sequences(await store.notifications.list(reader, { limit: 10_000 }))
    assert.deepEqual(
      all,
      all.toSorted((a, b) => b - a),
    )
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), async (limit) => {
        const paged: number[] = []
        for (let before: number | undefined; ; before = paged.at(-1)) {
          const page = await store.notifications.list(
            reader,
            before === undefined ? { limit } : { limit, before },
          )
          paged.push(...sequences(page))
          if (page.length < limit) break
        }
        assert.deepEqual(paged, all)
      }),
      { numRuns: 10 },
    )
    assert.equal((await store.notifications.list(reader)).length, Math.min(50, all.length))
  })

  it('begin with 1, and the newest is 0 before', async () => {
    const empty = makeStores()
    const { notifications } = await empty.open()
    assert.equal(await notifications.newestSequence(), 0)
    assert.equal((await notifications.send(draft(), BY)).sequence, 1)
    await empty.remove()
  })
})
