/**
 * A storage of shared snapshots that answers, and lies: with the objects of others, with other bytes, and without an end. Nodes
 * refuse what is not the object, and are right again when the storage is.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFile, mkdir, readdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { openShared } from '../../src/snapshot/objects/open-shared.ts'
import { openSharedStorage } from '../../src/snapshot/objects/shared-storage.ts'
import { verifyShared } from '../../src/snapshot/objects/stored-objects.ts'
import { type Fault, type S3Server, takeS3 } from '../../src/snapshot/objects/testing/s3-server.ts'
import { locatorOf } from '../../src/snapshot/testing/data-folder.ts'
import { openInstallation } from './shared-installation.ts'

let s3: S3Server
before(async () => {
  s3 = await takeS3()
})
after(() => s3.stop())

const open = (t: TestContext) => openInstallation(t, () => s3.location())

type Body = (Fault & { readonly kind: 'replaced' })['body']

const as = (body: Body, more: { readonly status?: number; readonly headers?: Record<string, string> } = {}) =>
  ({ kind: 'replaced', body, ...more }) as const

function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(65_536, '<a>')
}
const half = (stored: Buffer) => stored.length >> 1

const ERROR = '<Error><Code>NoSuchBucket</Code><Message>It is gone</Message></Error>'

/** What the storage sends instead of an object. */
const lies: Readonly<Record<string, Fault>> = {
  nothing: as(() => []),
  'half of it': as((stored) => [stored.subarray(0, half(stored))]),
  'more than it': as((stored) => [stored, Buffer.from('x')]),
  'its halves in the other order': as((stored) => [
    stored.subarray(half(stored)),
    stored.subarray(0, half(stored)),
  ]),
  'its first half twice': as((stored) => [
    stored.subarray(0, half(stored)),
    stored.subarray(0, half(stored)),
  ]),
  'zeros of its length': as((stored) => [Buffer.alloc(stored.length)]),
  'it compressed': as((stored) => [gzipSync(stored)], { headers: { 'content-encoding': 'gzip' } }),
  'a part with 206': as((stored) => [stored.subarray(0, 10)], {
    status: 206,
    headers: { 'content-range': 'bytes 0-9/10' },
  }),
  'an error with 200': as(() => [Buffer.from(ERROR)]),
  'an endless body': as(endless),
  'an endless error': as(endless, { status: 500 }),
  'an endless error with 404': as(endless, { status: 404 }),
  'a redirect': as(() => [], { status: 307, headers: { location: 'http://127.0.0.1:1/' } }),
  'a redirect to another bucket': as(() => [Buffer.from(ERROR)], { status: 301 }),
  'a checksum that fits what it sends': as(() => [Buffer.from('other')], {
    headers: { 'x-amz-checksum-sha256': '2aCL4U1wWnF8ZcG8ckULrMDjDNRlOa2t5bRi9Zk7fSs=' },
  }),
}

/** The contents of all objects by their keys. */
async function contentsOf(keys: readonly string[], location: string): Promise<ReadonlyMap<string, Buffer>> {
  const store = openSharedStorage(location)
  const contents = new Map<string, Buffer>()
  for (const key of keys) {
    const chunks: Buffer[] = []
    for await (const chunk of (await store.get(key, new AbortController().signal)) ?? [])
      chunks.push(chunk as Buffer)
    contents.set(key, Buffer.concat(chunks))
  }
  store.close()
  return contents
}

describe('a node whose storage sends', () => {
  for (const [what, lie] of Object.entries(lies)) {
    it(`${what} serves nothing of it, says that the storage does not work, and recovers`, async (t) => {
      const shared = await open(t)
      await shared.publish({ LOADED: 'L1', COLD: 'C1' })
      const { catalogue, seen } = await shared.node()
      assert.equal(await locatorOf(catalogue, 'LOADED'), 'L1')
      s3.breaks = ({ method }) => (method === 'GET' ? lie : null)
      await assert.rejects(locatorOf(catalogue, 'COLD'), { code: 'SNP311', kind: 'unavailable' })
      assert.equal(await locatorOf(catalogue, 'LOADED'), 'L1')
      assert.ok(!seen.some(({ kind }) => kind === 'snapshot-damaged'), 'a storage that lies is no damage')
      const waited = seen.filter((each) => 'reason' in each && /nothing arrived/.test(String(each.reason)))
      assert.deepEqual(waited, [], 'a lie is found out when it arrives')
      s3.breaks = () => null
      assert.equal(await locatorOf(catalogue, 'COLD'), 'C1')
    })
  }

  it('any other object it has - of other clients, of older versions, manifests of other snapshots - serves none of it', async (t) => {
    const shared = await open(t)
    await shared.publish({ ONE: 'one-1', TWO: 'two-1' })
    await shared.publish({ ONE: 'one-2', TWO: 'two-2' })
    const contents = await contentsOf(await shared.keys(), shared.location)
    assert.ok(contents.size >= 8)
    for (const other of contents.values()) {
      const { catalogue } = await shared.node().catch(() => ({ catalogue: null }))
      s3.breaks = ({ method, path }) =>
        method === 'GET' && path.length > '/tripfolio/'.length ? as(() => [other]) : null
      for (const client of ['ONE', 'TWO']) {
        const found = catalogue === null ? null : await locatorOf(catalogue, client).catch(() => null)
        assert.ok(found === null || found === `${client.toLowerCase()}-2`, `${client} got ${found}`)
      }
      // A node that starts meanwhile does not start with another manifest.
      const started = await shared.node().catch(() => null)
      const current = started === null ? null : await locatorOf(started.catalogue, 'ONE').catch(() => null)
      assert.ok(current === null || current === 'one-2', `ONE got ${current}`)
      s3.breaks = () => null
    }
    const { catalogue } = await shared.node()
    assert.deepEqual(
      [await locatorOf(catalogue, 'ONE'), await locatorOf(catalogue, 'TWO')],
      ['one-2', 'two-2'],
    )
  })
})

describe('a list of the storage', () => {
  const page = (keys: readonly string[]) =>
    as((): readonly Buffer[] => [
      Buffer.from(
        `<ListBucketResult>${keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('')}
        <IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken></ListBucketResult>`,
      ),
    ])
  const isList = ({ query }: { readonly query: string }) => query.includes('list-type')
  const refused: Readonly<Record<string, readonly [Fault, RegExp]>> = {
    'that goes in a circle': [page([]), /The list does not end/],
    'with what was not asked for': [
      page(['another-prefix/x']),
      /The list has 'another-prefix\/x', which was not asked for/,
    ],
    'whose page has no end': [as(endless), /The answer has more than \d+ bytes/],
  }
  for (const [what, [lie, reason]] of Object.entries(refused)) {
    it(`${what} ends the refresh, and the snapshot stays`, async (t) => {
      const shared = await open(t)
      const { id } = await shared.publish({ A: 'A1' })
      s3.breaks = (request) => (isList(request) ? lie : null)
      t.after(() => {
        s3.breaks = () => null
      })
      await assert.rejects(shared.publish({ A: 'A2' }), { code: 'SNP401', message: reason })
      s3.breaks = () => null
      assert.equal((await shared.control.snapshots.current())?.id, id)
      await shared.publish({ A: 'A3' })
    })
  }
})

it('A check of all objects reads no endless one to its end, and names it', async (t) => {
  const shared = await open(t)
  await shared.publish({ A: 'A1' })
  const place = { location: shared.location, dataFolder: (await shared.node()).data, cacheBytes: 1e9 }
  const { store, reader, close } = openShared(place, () => undefined)
  t.after(close)
  const { id: installation } = await shared.control.tenant()
  s3.breaks = ({ method }) => (method === 'GET' ? as(endless) : null)
  const [found] = await verifyShared({ store, reader, index: shared.control.snapshots, installation })
  s3.breaks = () => null
  assert.match(found?.damaged.join() ?? '', /it has more than \d+ bytes/)
})

describe('the cache of a node that another process has changed', () => {
  type Change = (paths: readonly string[], path: string) => Promise<unknown>
  const other = (paths: readonly string[], path: string) =>
    paths.find((each) => each !== path) ?? assert.fail()
  const changes: Readonly<Record<string, Change>> = {
    'puts the files of other clients in their places': (paths, path) => copyFile(other(paths, path), path),
    'links to the files of other clients': async (paths, path) => {
      const elsewhere = `${path}.moved`
      await copyFile(other(paths, path), elsewhere)
      await rm(path)
      await symlink(elsewhere, path)
    },
    'puts folders in their places': async (_, path) => {
      await rm(path)
      await mkdir(path)
    },
    'puts pipes in their places': async (_, path) => {
      await rm(path)
      execFileSync('mkfifo', [path])
    },
    'puts endless files in their places': async (_, path) => {
      await rm(path)
      await symlink('/dev/zero', path)
    },
  }
  for (const [what, change] of Object.entries(changes)) {
    it(`is not believed when it ${what}`, async (t) => {
      const shared = await open(t)
      await shared.publish({ ONE: 'one', TWO: 'two', THREE: 'three' })
      const { data, catalogue } = await shared.node()
      for (const client of ['ONE', 'TWO', 'THREE']) await locatorOf(catalogue, client)
      const entries = await readdir(join(data, 'snapshot-cache'), { recursive: true, withFileTypes: true })
      const paths = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
      for (const path of paths) await change(paths, path)
      const again = await shared.node({ data })
      assert.equal(await locatorOf(again.catalogue, 'ONE'), 'one')
      assert.equal(await locatorOf(again.catalogue, 'TWO'), 'two')
    })
  }
})
