import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Observation } from '../../observe/observation.ts'
import { DiskCache } from './disk-cache.ts'

let root: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'tripfolio-cache-'))
})
after(() => rm(root, { recursive: true }))

const file = (bytes: number) => {
  const content = randomBytes(bytes)
  return { content, entry: { bytes, sha256: createHash('sha256').update(content).digest('hex') } }
}

function open(name: string, limitBytes: number) {
  const seen: Observation[] = []
  const cache = new DiskCache(join(root, name), { limitBytes, observe: (o) => void seen.push(o) })
  return { cache, seen }
}

/** As if it had been used so many seconds ago. */
const aged = (cache: DiskCache, entry: { readonly sha256: string }, seconds: number) =>
  utimes(cache.pathOf(entry), Date.now() / 1000 - seconds, Date.now() / 1000 - seconds)

describe('DiskCache', () => {
  it('gives back what it was given, also to another process', async () => {
    const { content, entry } = file(1000)
    const { cache } = open('kept', 1e6)
    assert.equal(await cache.load(entry), null)
    await cache.keep(entry, content)
    for (const each of [cache, open('kept', 1e6).cache]) {
      assert.deepEqual(Buffer.from((await each.load(entry)) ?? []), content)
    }
  })

  it('removes what was not used for longest, and stays within its limit', async () => {
    const { cache, seen } = open('limited', 1000)
    const files = Array.from({ length: 3 }, () => file(300))
    for (const [number, { entry, content }] of files.entries()) {
      await cache.keep(entry, content)
      await cache.makeRoom()
      await aged(cache, entry, 100 - number)
    }
    // The first one is used again, so the second one is the oldest.
    await cache.load(files[0]?.entry ?? assert.fail())
    const last = file(300)
    await cache.keep(last.entry, last.content)
    await cache.makeRoom()
    const there = await Promise.all(
      [...files, last].map(async ({ entry }) => (await cache.load(entry)) !== null),
    )
    assert.deepEqual(there, [true, false, true, true])
    assert.deepEqual(seen.at(-1), { kind: 'snapshot-cache-held', bytes: 900 })
  })

  it('counts what other processes have put there', async () => {
    const [one, other] = [open('two', 1000).cache, open('two', 1000).cache]
    for (const cache of [one, other, one, other]) {
      const { entry, content } = file(400)
      await cache.keep(entry, content)
      await cache.makeRoom()
    }
    const names = await readdir(join(root, 'two'), { recursive: true })
    assert.ok(names.filter((name) => name.length > 2).length <= 3)
  })

  it('keeps no file that is larger than all it may hold', async () => {
    const { cache } = open('large', 100)
    const { entry, content } = file(101)
    await cache.keep(entry, content)
    assert.equal(await cache.load(entry), null)
  })

  it('removes what a killed process was writing', async () => {
    const { cache } = open('killed', 1e6)
    const { entry, content } = file(10)
    await cache.keep(entry, content)
    const unfinished = join(root, 'killed', '.unfinished-1')
    await writeFile(unfinished, 'half')
    await utimes(unfinished, 0, 0)
    const next = file(10)
    const later = open('killed', 1e6).cache
    await later.keep(next.entry, next.content)
    await later.makeRoom()
    assert.ok(!(await readdir(join(root, 'killed'))).includes('.unfinished-1'))
  })
})
