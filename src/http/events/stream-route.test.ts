/** The stream of changes over HTTP, with a real store. */
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { createAuthenticator } from '../../auth/authenticate.ts'
import type { ControlStore } from '../../directory/control-store.ts'
import { openStorePair, type StorePair } from '../../directory/testing/store-pair.ts'
import { assertProblem } from '../testing/answered-problem.ts'
import { startServer } from '../testing/server.ts'

const BY = 'operator:test'

let pair: StorePair
let store: ControlStore
before(async () => {
  pair = await openStorePair()
  store = pair.here
})
after(() => pair.close())

/** @param on the store of the node that streams */
async function start(test: TestContext, clientNumber = crypto.randomUUID().slice(0, 20), on = store) {
  const { apiKey } = await store.accounts.create({ name: clientNumber, clientNumber }, BY)
  const events = { webhooks: on.webhooks, dataChanges: on.dataChanges, mayRegister: false }
  const { get, observations } = await startServer(test, {
    authenticate: createAuthenticator(on.accounts),
    events,
  })
  const open = async (last?: string, method = 'GET') => {
    const stop = new AbortController()
    test.after(() => stop.abort())
    const headers = { 'X-API-Key': apiKey, ...(last !== undefined && { 'Last-Event-ID': last }) }
    const response = await get('/api/events/v1/stream', { method, headers, signal: stop.signal })
    return { response, end: () => stop.abort(), until: reader(response) }
  }
  return { clientNumber, open, observations }
}

/** Reads on until the text is there, and returns everything that was read. */
function reader(response: Response) {
  const chunks = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return async (wanted: string) => {
    while (!text.includes(wanted)) {
      const next = await chunks?.read()
      if (next === undefined || next.done) assert.fail(`The stream ended without ${wanted}: ${text}`)
      text += next.value
    }
    return text
  }
}

const idsIn = (text: string): readonly string[] =>
  [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id as string)

/** @returns the number of the change among those of the client */
async function publish(clientNumber: string): Promise<number> {
  const snapshotId = crypto.randomUUID()
  const lists = { bookings: { added: 1, changed: 0, removed: 0, changes: '/api/v2/bookings/changes' } }
  const from = await store.dataChanges.recordedUpTo()
  await store.dataChanges.record({ from, to: snapshotId }, [{ clientNumber, snapshotId, lists }])
  return store.dataChanges.newestOf(clientNumber)
}

describe('the stream of changes', () => {
  it("tells of the client's changes as they are recorded, and of nobody else's", async (test) => {
    const { clientNumber, open } = await start(test)
    const { response, until } = await open()
    assert.deepEqual(
      [response.status, response.headers.get('content-type'), response.headers.get('cache-control')],
      [200, 'text/event-stream', 'no-store'],
    )
    await publish('another client')
    const sequence = await publish(clientNumber)
    const text = await until(`id: c${sequence}\nevent: data.changed\n`)
    assert.doesNotMatch(text, /another client/)
    const data = JSON.parse((await until('"snapshotId"')).split('data: ').at(-1)?.split('\n')[0] as string)
    assert.deepEqual(
      [data.type, data.data.clientNumber, data.data.lists.bookings.added],
      ['data.changed', clientNumber, 1],
    )
  })

  it('continues after the event that Last-Event-ID names', async (test) => {
    const { clientNumber, open } = await start(test)
    const first = await publish(clientNumber)
    const second = await publish(clientNumber)
    const third = await publish(clientNumber)
    const { until } = await open(`c${first}`)
    const text = await until(`id: c${third}\n`)
    assert.ok(text.includes(`id: c${second}\nevent: data.changed`))
    assert.ok(!text.includes(`id: c${first}\nevent`))
    assert.ok(!text.includes('event: missed'))
  })

  it('says when events after the last one are gone', async (test) => {
    const { clientNumber, open } = await start(test)
    const first = await publish(clientNumber)
    await publish(clientNumber)
    await store.dataChanges.prune(new Date(Date.now() + 1000))
    const { until } = await open(`c${first}`)
    const told = await until('event: missed\n')
    // Who reconnects from there is not told again.
    const [, position] = /id: (c\d+)\nevent: missed/.exec(told) as RegExpExecArray
    const again = await open(position)
    const third = await publish(clientNumber)
    await until(`id: c${third}\nevent: data.changed`)
    assert.ok(!(await again.until(`id: c${third}\nevent: data.changed`)).includes('event: missed'))
  })

  it('says so when the last event is of a store that was replaced', async (test) => {
    const { clientNumber, open } = await start(test)
    const newest = await publish(clientNumber)
    const { until } = await open(`c${newest + 1000}`)
    await until(`id: c${newest}\nevent: missed\n`)
  })

  it('tells nothing of how many other clients changed', async (test) => {
    const { clientNumber, open } = await start(test, '\ufeffA1')
    const told: string[] = []
    for (const others of [0, 3, 0, 7, 1]) {
      for (let i = 0; i < others; i++) await publish(i % 2 === 0 ? 'A1' : `other ${i}`)
      told.push(...idsIn(await (await open()).until('\n\n')))
      const { until } = await open(`c${told.length === 1 ? 0 : told.at(-1)?.slice(1)}`)
      await publish(clientNumber)
      told.push(...idsIn(await until('data: ')).slice(1))
    }
    assert.deepEqual(told, ['c0', 'c1', 'c1', 'c2', 'c2', 'c3', 'c3', 'c4', 'c4', 'c5'])
  })

  it('loses nothing after an id of an earlier version, and answers each of them alike', async (test) => {
    const { clientNumber, open } = await start(test)
    await publish('another client')
    const first = await publish(clientNumber)
    const second = await publish(clientNumber)
    await publish('another client')
    const global = await store.dataChanges.newestSequence()
    // Whatever the number, the reader is told to read the changes, and not which of them it lacks.
    for (const number of [0, first, second, global - 1, global, global + 1]) {
      const { until } = await open(`${number}`)
      const text = await until('event: missed\n')
      assert.deepEqual(idsIn(text), [`c${second}`, `c${second}`])
      assert.ok(!text.includes('event: data.changed'))
    }
    const { until } = await open(`${first}`)
    await until('event: missed\n')
    const third = await publish(clientNumber)
    await until(`id: c${third}\nevent: data.changed`)
  })

  it('continues on another node', async (test) => {
    const here = await start(test)
    const { clientNumber } = here
    await publish('another client')
    const first = await publish(clientNumber)
    const elsewhere = await start(test, clientNumber, pair.elsewhere)
    const { until } = await elsewhere.open(`c${first - 1}`)
    await until(`id: c${first}\nevent: data.changed`)
    const second = await publish(clientNumber)
    const text = await until(`id: c${second}\nevent: data.changed`)
    assert.deepEqual(idsIn(text), [`c${first - 1}`, `c${first}`, `c${second}`])
  })

  it('ends after a minute for each account, and one that was locked meanwhile does not get another', async (test) => {
    const [locked, other] = [await start(test), await start(test)]
    test.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: Date.now() })
    const streams = [await locked.open(), await other.open()]
    const account = await store.accounts.find(locked.clientNumber)
    await store.accounts.setLocked(account.id, true, BY)
    test.mock.timers.tick(59_999)
    // The beats of 15, 30 and 45 seconds, and no end: the stream is read until then.
    for (const { until } of streams) await until(':\nid: ')
    test.mock.timers.tick(1)
    // A stream that went on would tell of these.
    for (const { clientNumber } of [locked, other]) await publish(clientNumber)
    for (let i = 0; i < 5; i++) {
      await new Promise(setImmediate)
      test.mock.timers.tick(400)
    }
    for (const { until } of streams) await assert.rejects(until('event: data.changed'), /The stream ended/)
    assert.deepEqual(
      [(await locked.open()).response.status, (await other.open()).response.status],
      [401, 200],
    )
  })

  it('has as many streams as an account may have for each account', async (test) => {
    const [one, other] = [await start(test), await start(test)]
    const statuses = async (opened: readonly { readonly response: Response }[]) =>
      opened.map(({ response }) => response.status)
    const tenOf = async ({ open }: typeof one) =>
      statuses(await Promise.all(Array.from({ length: 10 }, () => open())))
    assert.deepEqual(new Set([...(await tenOf(one)), ...(await tenOf(other))]), new Set([200]))
    assert.deepEqual([(await one.open()).response.status, (await other.open()).response.status], [429, 429])
  })

  it('answers HEAD without a stream', async (test) => {
    const { open } = await start(test)
    for (let i = 0; i < 12; i++) {
      const { response } = await open('c0', 'HEAD')
      assert.deepEqual(
        [response.status, response.headers.get('content-type'), await response.text()],
        [200, 'text/event-stream', ''],
      )
    }
  })

  it('refuses a malformed Last-Event-ID, and more streams than an account may have', async (test) => {
    const { open, observations } = await start(test)
    for (const id of ['x', 'c', 'cc1', 'c-1', 'c1.5', `c${'9'.repeat(16)}`]) {
      const malformed = (await open(id)).response
      assert.equal(malformed.status, 400)
      await assertProblem(observations, malformed, 'SRV138')
    }
    // Also when they are opened at the same time.
    const opened = await Promise.all(Array.from({ length: 12 }, () => open('c0')))
    const streams = opened.filter(({ response }) => response.status === 200)
    assert.equal(streams.length, 10)
    const refused = await open()
    assert.deepEqual([refused.response.status, refused.response.headers.get('retry-after')], [429, '10'])
    await assertProblem(observations, refused.response, 'SRV139')
    streams[0]?.end()
    while ((await open()).response.status !== 200);
  })
})

describe('the number of streams', () => {
  it('is limited for an account, for all accounts of a client, and in all, also when all open at once', async (test) => {
    const [one, other] = [crypto.randomUUID().slice(0, 20), crypto.randomUUID().slice(0, 20)]
    const keyOf = async (clientNumber: string) =>
      (await store.accounts.create({ name: clientNumber, clientNumber }, BY)).apiKey
    const events = {
      ...{ webhooks: store.webhooks, dataChanges: store.dataChanges, mayRegister: false },
      streamLimits: { ofAccount: 2, ofClient: 3, streams: 5 },
    }
    const { get, observations } = await startServer(test, {
      authenticate: createAuthenticator(store.accounts),
      events,
    })
    const stops: AbortController[] = []
    test.after(() => stops.forEach((stop) => void stop.abort()))
    const open = async (apiKey: string) => {
      const stop = new AbortController()
      stops.push(stop)
      return get('/api/events/v1/stream', { headers: { 'X-API-Key': apiKey }, signal: stop.signal })
    }
    const openAll = async (...keys: string[]) => {
      const answers = await Promise.all(keys.map(open))
      const refused = answers.filter(({ status }) => status === 429)
      for (const each of refused) await assertProblem(observations, each, 'SRV139')
      const reasons = await Promise.all(
        refused.map(async (each) => ((await each.json()) as { error: string }).error),
      )
      return [
        answers.length - refused.length,
        ...new Set(reasons.map((text) => /at most .* may/.exec(text)?.[0])),
      ]
    }
    const [first, second, third, fourth] = [
      await keyOf(one),
      await keyOf(one),
      await keyOf(other),
      await keyOf(other),
    ]
    assert.deepEqual(await openAll(first, first, first, first), [2, 'at most 2 of an account may'])
    assert.deepEqual(await openAll(second, second), [1, 'at most 3 of a client may'])
    // The streams of one client are no reason to refuse another.
    assert.deepEqual(await openAll(third, third), [2])
    assert.deepEqual(await openAll(fourth), [0, 'at most 5 in all may'])
    stops[0]?.abort()
    stops[1]?.abort()
    stops[2]?.abort()
    stops[3]?.abort()
    for (;;) {
      const again = await open(fourth)
      if (again.status === 200) break
      await again.text()
    }
  })
})
