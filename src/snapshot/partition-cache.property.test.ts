/**
 * Compares the partition cache with a short model in random sequences of requests, damage, announcements, evictions and
 * readers. The files are stand-ins: their loads wait until the sequence continues, so that anything can happen meanwhile.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { RecordBatchFileWriter } from 'apache-arrow'
import fc from 'fast-check'
import type { FileState, NextState, OpenPartition } from './cached-file.ts'
import type { CollectionFile, CollectionFiles, HeldFile } from './files/collection-files.ts'
import { CollectionBuilder } from './format/collection-builder.ts'
import { PartitionCache } from './partition-cache.ts'

/** One client's file in three snapshots, from new to old. */
const checksums = ['c', 'b', 'a'] as const
type Checksum = (typeof checksums)[number]

const olderThan = (file: Checksum) => checksums.slice(checksums.indexOf(file) + 1)

const bytes = (() => {
  const writer = new RecordBatchFileWriter()
  writer.write(new CollectionBuilder('invoices', 'C1', []).finish())
  writer.finish()
  return writer.toUint8Array(true)
})()

const fileOf = (sha256: string): CollectionFile => ({
  snapshot: sha256,
  clientNumber: 'C1',
  stored: 'invoices',
  entry: { path: sha256, bytes: bytes.byteLength, sha256, rows: 0, elements: 0 },
})

const reader = { stalledFor: () => 0, cutOff: () => undefined }

/** Opens the cache over files that load when the test says so, and records its calls. */
function openCache() {
  const damaged = new Set<string>()
  const pending: (() => void)[] = []
  const seen = { loads: [] as string[], kept: [] as readonly string[], held: 0, garbage: 0 }
  let evict: (sha256: string) => void = assert.fail
  const files: CollectionFiles = {
    load: ({ entry: { sha256 } }) => {
      seen.loads.push(sha256)
      const { promise, resolve, reject } = Promise.withResolvers<HeldFile>()
      pending.push(() =>
        damaged.has(sha256) ? reject(new Error('damaged')) : resolve({ bytes, place: 1, copy: 1 }),
      )
      return promise
    },
    use: () => undefined,
    hold: () => {
      seen.held++
      return () => {
        seen.held--
      }
    },
    keepOnly: (kept) => {
      seen.kept = kept
    },
  }
  const open = (told: (sha256: string) => void) => {
    evict = told
    return files
  }
  const cache = new PartitionCache(
    () => undefined,
    open,
    (released) => {
      seen.garbage += released
    },
  )
  const settle = async () => {
    do {
      await setImmediate()
      for (const finish of pending.splice(0)) finish()
      await setImmediate()
    } while (pending.length > 0)
  }
  return { cache, damaged, seen, settle, evict: (sha256: string) => evict(sha256) }
}

/** What the cache should hold: an opened file, or the one that replaces a damaged file. */
type Model = Map<Checksum, { readonly file: Checksum; isEvicted: boolean }>

type Opened = { readonly file: Checksum; isEvicted: boolean }

const file = fc.constantFrom(...checksums)
const meanwhile = fc.option(
  fc.oneof(
    fc.record({ kind: fc.constant('evict' as const), file }),
    fc.record({ kind: fc.constant('announce' as const), used: fc.uniqueArray(file) }),
  ),
)
const step = fc.oneof(
  fc.record({
    kind: fc.constant('ask' as const),
    file,
    wants: fc.constantFrom('itself', 'or-older', 'beside'),
    meanwhile,
  }),
  fc.record({ kind: fc.constantFrom('damage' as const, 'mend' as const), file }),
  fc.record({ kind: fc.constant('evict' as const), file }),
  fc.record({ kind: fc.constant('announce' as const), used: fc.uniqueArray(file) }),
  fc.record({ kind: fc.constantFrom('hold' as const, 'release' as const), at: fc.nat() }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function replay(damagedAtFirst: readonly Checksum[], steps: readonly Step[]): Promise<void> {
  const { cache, damaged, seen, settle, evict } = openCache()
  for (const sha256 of damagedAtFirst) damaged.add(sha256)
  const model: Model = new Map()
  /** The expected loads, the expected garbage in bytes, and the readers. */
  const expected = { loads: [] as Checksum[], garbage: 0 }
  const answers: { readonly partition: OpenPartition; readonly opened: Opened }[] = []
  const readers: { readonly release: () => void; readonly opened: Opened }[] = []

  const evictFromModel = (sha256: Checksum) => {
    const opened = model.get(sha256)
    model.delete(sha256)
    if (opened?.file !== sha256) return
    opened.isEvicted = true
    expected.garbage += bytes.byteLength
  }
  const happens = (change: NonNullable<Extract<Step, { kind: 'ask' }>['meanwhile']>) => {
    if (change.kind === 'evict') {
      evict(change.file)
      evictFromModel(change.file)
      for (const [replaced, { file }] of model) if (file === change.file) model.delete(replaced)
      return
    }
    cache.keepOnly(new Set(change.used))
    for (const [sha256, { file }] of [...model]) {
      if (file !== sha256 || !change.used.includes(sha256)) evictFromModel(sha256)
    }
  }
  /** @param isKept for a later request */
  const loadInModel = (sha256: Checksum, isKept: boolean): Opened | null => {
    expected.loads.push(sha256)
    if (damaged.has(sha256)) return null
    const opened = { file: sha256, isEvicted: false }
    if (isKept) model.set(sha256, opened)
    return opened
  }
  const ownInModel = (sha256: Checksum): Opened | null => {
    const known = model.get(sha256)
    return known?.file === sha256 ? known : loadInModel(sha256, known === undefined)
  }
  const ask = async ({ file: sha256, wants, meanwhile }: Extract<Step, { kind: 'ask' }>) => {
    const older = async () => {
      for (const candidate of olderThan(sha256)) {
        const found = await cache.own(fileOf(candidate))
        if (found !== null) return found
      }
      throw new Error('no file is intact')
    }
    const known = model.get(sha256)
    const answer = (
      wants === 'or-older'
        ? cache.ownOrOlder(fileOf(sha256), older)
        : wants === 'itself'
          ? cache.own(fileOf(sha256))
          : cache.openBeside(fileOf(sha256))
    ).catch(() => null)
    const isLoading = wants !== 'beside' && known === undefined
    let isCutShort = false
    if (isLoading && meanwhile !== null) {
      happens(meanwhile)
      isCutShort =
        meanwhile.kind === 'evict'
          ? meanwhile.file === sha256
          : wants === 'or-older' && !meanwhile.used.includes(sha256)
      assert.equal(cache.has(sha256), !isCutShort)
    }
    await settle()
    let opened: Opened | null
    if (wants === 'beside') opened = loadInModel(sha256, false)
    else if (wants === 'or-older' && known !== undefined) opened = known
    else if (!isLoading) opened = ownInModel(sha256)
    else {
      opened = loadInModel(sha256, !isCutShort)
      if (opened !== null && isCutShort) {
        opened.isEvicted = true
        expected.garbage += bytes.byteLength
      }
      if (opened === null && wants === 'or-older') {
        for (const candidate of olderThan(sha256)) opened ??= ownInModel(candidate)
        if (opened !== null && !isCutShort) model.set(sha256, opened)
      }
    }
    const partition = await answer
    assert.equal(partition?.partition.version ?? null, opened?.file ?? null)
    if (partition !== null && opened !== null) answers.push({ partition, opened })
  }

  for (const next of steps) {
    if (next.kind === 'ask') await ask(next)
    else if (next.kind === 'damage') damaged.add(next.file)
    else if (next.kind === 'mend') damaged.delete(next.file)
    else if (next.kind === 'evict' || next.kind === 'announce') {
      happens(next)
      if (next.kind === 'announce') assert.deepEqual([...seen.kept].sort(), [...model.keys()].sort())
    } else if (next.kind === 'hold' && answers.length > 0) {
      const { partition, opened } = answers[next.at % answers.length] ?? assert.fail()
      readers.push({ release: partition.hold(reader), opened })
    } else if (next.kind === 'release' && readers.length > 0) {
      const [{ release, opened } = assert.fail()] = readers.splice(next.at % readers.length, 1)
      release()
      if (opened.isEvicted) expected.garbage += bytes.byteLength
    }
    await settle()
    for (const sha256 of checksums) assert.equal(cache.has(sha256), model.has(sha256), sha256)
    assert.deepEqual(seen.loads, expected.loads)
    assert.equal(seen.garbage, expected.garbage)
    assert.equal(seen.held, readers.length)
  }
}

describe('the partition cache', () => {
  it('holds, loads and releases the same files as the model', () =>
    fc.assert(
      fc.asyncProperty(fc.uniqueArray(file), fc.array(step, { minLength: 1, maxLength: 25 }), replay),
      { numRuns: 200 },
    ))

  it('lets a file go through its states in one direction only', () => {
    type Kind = FileState['kind']
    type Follows<From extends Kind, To extends Kind> = [Extract<NextState[From], { kind: To }>] extends [
      never,
    ]
      ? false
      : true
    // This table compiles only while it agrees with the type.
    const follows: { readonly [From in Kind]: { readonly [To in Kind]: Follows<From, To> } } = {
      loading: { loading: false, open: true, replaced: true, evicted: true },
      open: { loading: false, open: false, replaced: false, evicted: true },
      replaced: { loading: false, open: false, replaced: false, evicted: true },
      evicted: { loading: false, open: false, replaced: false, evicted: false },
    }
    assert.deepEqual(Object.keys(follows), ['loading', 'open', 'replaced', 'evicted'])
  })
})
