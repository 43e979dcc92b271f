import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Observation } from '../../observe/observation.ts'
import { DiskCache } from './disk-cache.ts'
import { openObjectReader } from './object-reader.ts'
import type { ObjectStore } from './object-store.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-reader-'))
})
after(() => rm(folder, { recursive: true }))

const text = 'the content of an object'
const object = {
  key: 'a/b/c',
  bytes: text.length,
  sha256: createHash('sha256').update(text).digest('hex'),
}

/** A storage that answers one request after another with these. */
const open = (...answers: readonly ObjectStore['get'][]) => openRetrying(60_000, ...answers)

function openRetrying(retryMs: number, ...answers: readonly ObjectStore['get'][]) {
  const seen: Observation[] = []
  const observe = (observation: Observation) => void seen.push(observation)
  const asked = [...answers]
  const store: ObjectStore = {
    name: 'test',
    get: (key, signal) => (asked.shift() ?? assert.fail('It is asked once more'))(key, signal),
    put: async () => undefined,
    list: async function* () {},
    delete: async () => undefined,
    exists: async () => false,
    close: () => undefined,
  }
  const cache = new DiskCache(join(folder, crypto.randomUUID()), { limitBytes: 1e6, observe })
  return { reader: openObjectReader(store, cache, observe, { idleMs: 20, retryMs }), seen, asked }
}

const whole: ObjectStore['get'] = async () => Readable.from([Buffer.from(text)])
const sends =
  (content: string): ObjectStore['get'] =>
  async () =>
    Readable.from([Buffer.from(content)])

/** Ends when it is aborted, as a connection does on which nothing arrives. */
const hangs: ObjectStore['get'] = (_key, signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))

const stalls: ObjectStore['get'] = async () => {
  const body = new Readable({ read: () => undefined })
  body.push(text.slice(0, 5))
  return body
}

describe('an object', () => {
  it('is fetched once, and then read from the local disk', async () => {
    const { reader, seen, asked } = open(whole)
    assert.equal(String(Buffer.from(await reader.load(object))), text)
    assert.equal(String(Buffer.from(await reader.load(object))), text)
    assert.equal(asked.length, 0)
    assert.equal(seen.filter(({ kind }) => kind === 'object-fetched').length, 1)
  })

  const wrong: Readonly<Record<string, string>> = {
    'is shorter': text.slice(1),
    'is longer': `${text}.`,
    'has other bytes': text.toUpperCase(),
    'is empty': '',
  }
  for (const [how, content] of Object.entries(wrong)) {
    it(`that ${how} is fetched once more, and refused when that is no better`, async () => {
      assert.equal(String(Buffer.from(await open(sends(content), whole).reader.load(object))), text)
      const { reader, seen } = open(sends(content), sends(content))
      await assert.rejects(reader.load(object), { code: 'SNP401' })
      assert.deepEqual(
        seen.map(({ kind }) => kind),
        ['object-fetch-failed'],
      )
    })
  }

  for (const [how, answer] of Object.entries({ hangs, stalls })) {
    it(`whose storage ${how} is given up after a while`, async () => {
      await assert.rejects(open(answer).reader.load(object), {
        code: 'SNP401',
        message: /nothing arrived for 20 ms/,
      })
    })
  }

  it('whose storage sends a byte now and then is given up after a while as well', async () => {
    async function* drip() {
      for (;;) {
        yield Buffer.alloc(0)
        await nextTurn()
      }
    }
    const { reader } = open(async () => Readable.from(drip()))
    await assert.rejects(reader.load(object), { code: 'SNP401', message: /did not arrive within 81 ms/ })
  })

  it('that is not there is damage of the snapshot, and no fault of the storage', async () => {
    const { reader } = open(async () => null)
    await assert.rejects(reader.load(object), { code: 'SNP301' })
  })

  it('that could not be fetched is fetched again until it can be, though nobody asks', async () => {
    const away: ObjectStore['get'] = () => Promise.reject(new Error('away'))
    const { reader, seen, asked } = openRetrying(1, away, away, away, whole)
    await assert.rejects(reader.load(object), { code: 'SNP401' })
    while (!seen.some(({ kind }) => kind === 'snapshot-cache-held')) await nextTurn()
    assert.equal(asked.length, 0)
    assert.equal(seen.filter(({ kind }) => kind === 'object-fetch-failed').length, 3)
    assert.equal(String(Buffer.from(await reader.load(object))), text, 'from the local disk')
  })
})
