import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fillStores } from '../../directory/testing/filled-stores.ts'
import { testDatabase } from '../../postgres/testing/postgres-server.ts'
import { callCli } from '../testing/call-cli.ts'

let data: string
before(async () => {
  data = await mkdtemp(join(tmpdir(), 'tripfolio-store-commands-'))
  await fillStores(data)
})
after(() => rm(data, { recursive: true }))

describe('tripfolio store copy', () => {
  it('prints what it has copied, and that the secrets need their key', async (test) => {
    const { url } = await testDatabase(test)
    const target = `${new URL(url).host}${new URL(url).pathname}`
    const copied = await callCli(['store', 'copy', '--from', data, '--to', url])
    assert.equal(copied.stderr, '')
    assert.equal(copied.code, 0)
    const [first, second] = copied.stdout.split('\n') as [string, string]
    assert.match(first, /^Copied \d+ rows of 43 tables from /)
    assert.ok(first.endsWith(` to ${target}. Every row was read again and is the same.`), first)
    assert.match(second, /^It has 1 secret: give every node the key .*secretKey/)
    const again = await callCli(['store', 'copy', '--from', data, '--to', url])
    assert.match(again.stdout, /already: every row was compared\. Nothing was changed\.$/m)
  })

  it('prints JSON with the rows and the hash of each table, into the database of the settings', async (test) => {
    const { url } = await testDatabase(test)
    const env = { TRIPFOLIO_DATA: data, TRIPFOLIO_STORE: url }
    const { code, stdout } = await callCli(['store', 'copy', '--json'], { env })
    assert.equal(code, 0)
    const { from, copied, tables } = JSON.parse(stdout)
    assert.deepEqual([from, copied], [data, true])
    assert.deepEqual(Object.keys(tables[0]), ['store', 'table', 'rows', 'sha256'])
    assert.equal(tables.find(({ table }: { table: string }) => table === 'accounts').rows, 2)
  })

  it('refuses to guess the database', async () => {
    const { code, stderr } = await callCli(['store', 'copy', '--from', data, '--json'])
    assert.equal(code, 2)
    assert.equal(JSON.parse(stderr).error.code, 'DIR468')
  })

  it('refuses what is no URL of a database, without showing it', async () => {
    const { code, stderr } = await callCli(['store', 'copy', '--from', data, '--to', 'mysql://u:hush@h/d'])
    assert.equal(code, 2)
    assert.ok(!stderr.includes('hush'), stderr)
  })
})
