/** A snapshot of another version of the program is not treated as damaged: the service says so, and how to correct it. */
import assert from 'node:assert/strict'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { FORMAT_VERSION } from '../../src/snapshot/format/file-format.ts'
import { readCurrentId } from '../../src/snapshot/format/layout.ts'
import { rewriteFormat } from '../../src/snapshot/testing/rewrite-format.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { makeFolders, refresh } from './ingest-fixture.ts'
import { whileServingHere } from './service-in-process.ts'

/** A data folder with two snapshots; each test changes a copy. */
let prepared: string
let ids: { readonly older: string; readonly newest: string }
let root: string
let source: string

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'tripfolio-format-'))
  prepared = join(root, 'data')
  source = join(root, 'extract')
  await publishExtract({ source, data: prepared }, fixtureExtract)
  const older = (await readCurrentId(prepared)) ?? ''
  ids = { older, newest: (await refresh({ source, data: prepared })).snapshot }
})
after(() => rm(root, { recursive: true, force: true }))

async function prepare(t: TestContext) {
  const { data } = await makeFolders(t)
  await cp(prepared, data, { recursive: true })
  return { data, ...ids }
}

const readiness = async (address: string) => {
  const response = await fetch(`${address}/readyz`, { headers: { connection: 'close' } })
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, string>> }
}

for (const [age, format, threads] of [
  ['an older', FORMAT_VERSION - 1, 1],
  ['a newer', FORMAT_VERSION + 1, 2],
] as const) {
  describe(`a snapshot of ${age} format`, () => {
    const named = (id: string) =>
      new RegExp(
        `Snapshot ${id} has format ${format}; this version reads format ${FORMAT_VERSION}\\. ` +
          'Run `tripfolio ingest --source FOLDER`',
      )

    it('that is the only one keeps the service from being ready, named with the command that mends it', async (t) => {
      const { data } = await makeFolders(t)
      await publishExtract({ data }, fixtureExtract)
      const id = (await readCurrentId(data)) ?? ''
      await rewriteFormat(data, id, format)
      await whileServingHere(
        data,
        async ({ address, output, until }) => {
          const { status, body } = await readiness(address)
          assert.equal(status, 503)
          assert.match(body.error ?? '', named(id))
          assert.doesNotMatch(body.error ?? '', new RegExp(data))
          await until(/snapshot skipped/)
          assert.match(output(), named(id))
          assert.doesNotMatch(output(), /damaged/)
        },
        { threads },
      )
    })

    it('is passed over for an older snapshot, named while it is the newest, and forgotten after the next', async (t) => {
      const { data, older, newest: id } = await prepare(t)
      await rewriteFormat(data, id, format)
      await whileServingHere(data, async ({ address, until }) => {
        await until(new RegExp(`"snapshot":"${older}".*snapshot announced`))
        const before = await readiness(address)
        assert.equal(before.status, 200)
        assert.equal(before.body.status, 'ready')
        assert.match(before.body.skipped ?? '', named(id))
        const { snapshot: next } = await refresh({ source, data })
        await until(new RegExp(`"snapshot":"${next}".*snapshot announced`))
        assert.deepEqual(await readiness(address), { status: 200, body: { status: 'ready' } })
      })
    })
  })
}

describe('a damaged manifest that names another format', () => {
  it('is reported as damage, and an older snapshot is served', async (t) => {
    const { data, older, newest: id } = await prepare(t)
    await rewriteFormat(data, id, FORMAT_VERSION + 1, { isIntact: false })
    await whileServingHere(data, async ({ address, output, until }) => {
      await until(new RegExp(`"snapshot":"${older}".*snapshot announced`))
      await until(new RegExp(`"snapshot":"${id}".*checksum does not match.*snapshot damaged`))
      assert.deepEqual(await readiness(address), { status: 200, body: { status: 'ready' } })
      assert.doesNotMatch(output(), /snapshot skipped/)
    })
  })
})
