import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { ObjectContent, ObjectStore } from './object-store.ts'
import { openSharedStorage } from './shared-storage.ts'
import { type S3Server, takeS3 } from './testing/s3-server.ts'

let s3: S3Server
let folder: string
before(async () => {
  s3 = await takeS3()
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-objects-'))
})
after(async () => {
  await s3.stop()
  await rm(folder, { recursive: true })
})

const contentOf = (...chunks: readonly Uint8Array[]): ObjectContent => ({
  chunks,
  bytes: chunks.reduce((sum, { byteLength }) => sum + byteLength, 0),
  sha256: createHash('sha256').update(Buffer.concat(chunks)).digest('hex'),
})

async function read(store: ObjectStore, key: string): Promise<Buffer | null> {
  const body = await store.get(key, new AbortController().signal)
  return body === null ? null : buffer(body)
}

async function keysOf(store: ObjectStore, prefix: string): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { key, bytes } of store.list(prefix)) found.push(`${key} ${bytes}`)
  return found.sort()
}

const places: Readonly<Record<string, () => string>> = {
  S3: () => s3.location(),
  'a shared folder': () => join(folder, crypto.randomUUID()),
}

for (const [name, place] of Object.entries(places)) {
  describe(`objects in ${name}`, () => {
    let store: ObjectStore
    before(() => {
      store = openSharedStorage(place())
    })
    after(() => store.close())

    it('are read as they were written, in whatever pieces', async () => {
      const content = contentOf(Buffer.from('one '), Buffer.alloc(0), Buffer.from('two'))
      await store.put('a/one', content)
      assert.equal(String(await read(store, 'a/one')), 'one two')
      await store.put('a/empty', contentOf())
      assert.equal((await read(store, 'a/empty'))?.byteLength, 0)
    })

    it('may be larger than one request sends', async () => {
      const chunks = [randomBytes(10 * 2 ** 20), randomBytes(17 * 2 ** 20), randomBytes(1)]
      await store.put('b/large', contentOf(...chunks))
      assert.ok(Buffer.concat(chunks).equals((await read(store, 'b/large')) ?? Buffer.alloc(0)))
    })

    it('are listed with their sizes below a prefix', async () => {
      await store.put('c/x/1', contentOf(Buffer.from('1')))
      await store.put('c/y/22', contentOf(Buffer.from('22')))
      await store.put('cc/z', contentOf(Buffer.from('z')))
      assert.deepEqual(await keysOf(store, 'c/'), ['c/x/1 1', 'c/y/22 2'])
      assert.deepEqual(await keysOf(store, 'none/'), [])
    })

    it('are there until they are deleted; a missing one counts as deleted', async () => {
      await store.put('d/1', contentOf(Buffer.from('1')))
      await store.put('d/2', contentOf(Buffer.from('2')))
      assert.deepEqual([await store.exists('d/1'), await store.exists('d/3')], [true, false])
      await store.delete(['d/1', 'd/3'])
      assert.deepEqual([await store.exists('d/1'), await store.exists('d/2')], [false, true])
      assert.equal(await read(store, 'd/1'), null)
      await store.delete([])
    })
  })
}

describe('objects in a shared folder', () => {
  it('are away, and not missing, while the folder is not mounted', async () => {
    const place = join(folder, crypto.randomUUID())
    const store = openSharedStorage(place)
    await store.put('installation/1/one', contentOf(Buffer.from('one')))
    assert.equal(await read(store, 'installation/1/other'), null)
    await rename(place, `${place}-elsewhere`)
    await mkdir(place)
    await assert.rejects(read(store, 'installation/1/one'), /is it mounted/)
  })
})

describe('objects in S3', () => {
  it('are refused when the server stored something else than was sent', async () => {
    const store = openSharedStorage(s3.location())
    s3.breaks = ({ method }) => (method === 'PUT' ? { kind: 'altered' } : null)
    await assert.rejects(store.put('small', contentOf(Buffer.from('small'))), /not stored as it was sent/)
    s3.breaks = () => null
    store.close()
  })

  it('are written and read although requests fail for a moment', async () => {
    const store = openSharedStorage(s3.location())
    let failures = 0
    s3.breaks = () => (failures++ % 3 < 2 ? { kind: 'status', status: failures % 2 ? 500 : 503 } : null)
    await store.put('x', contentOf(Buffer.from('x')))
    assert.equal(String(await read(store, 'x')), 'x')
    s3.breaks = () => null
    store.close()
  })

  it('leave no connection open when the store is closed', async () => {
    const store = openSharedStorage(s3.location())
    const keys = Array.from({ length: 40 }, (_, number) => `${number}`)
    await Promise.all(keys.map((key) => store.put(key, contentOf(Buffer.from(key)))))
    await Promise.all(keys.map((key) => read(store, key)))
    store.close()
    while (s3.connections() > 0) await new Promise(setImmediate)
  })
})

describe('a shared folder', () => {
  it('has no file left of an object that was not stored', async () => {
    const root = join(folder, 'left')
    const store = openSharedStorage(root)
    // As if the file system had stored other bytes.
    const wrong = { ...contentOf(Buffer.from('right')), sha256: contentOf(Buffer.from('wrong')).sha256 }
    await assert.rejects(store.put('k/1', wrong), /not stored as it was sent/)
    assert.deepEqual(await readdir(join(root, 'k')), [])
  })
})
