import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { placeControlStore } from '../../directory/testing/store-files.ts'
import { callCli } from '../testing/call-cli.ts'

const CSV =
  'resource,number,name,emailAddress,lastName,organizations\n' +
  'organization,H1,Harbour,,,\nperson,,,ada@harbour.example,Byron,H1\n'

let data: string
before(async () => {
  data = mkdtempSync(join(tmpdir(), 'tripfolio-directory-'))
  await placeControlStore(data)
})
after(() => rmSync(data, { recursive: true }))

const call = (args: readonly string[], input = '') =>
  callCli(['directory', ...args, '--data', data], { input })

describe('tripfolio directory', () => {
  it('says which file it cannot read', async () => {
    const { code, stdout, stderr } = await call(['import', join(data, 'missing.csv'), '--json'])
    assert.equal(code, 5)
    assert.equal(JSON.parse(stdout || stderr).error.code, 'DIR318')
  })

  it('says what an import would do, does it, and exports what an import leaves as it is', async () => {
    const tried = await call(['import', '-', '--dry-run'], CSV)
    assert.equal(tried.code, 0, tried.stderr)
    assert.match(tried.stdout, /2 +organization +Harbour +created/)
    assert.match(tried.stdout, /organizations: 1 created, 0 changed, 0 unchanged\n/)
    assert.match(tried.stdout, /persons: 1 created, 0 changed, 0 unchanged\n/)
    assert.match(tried.stdout, /nothing was written/)
    const file = join(data, 'people.csv')
    writeFileSync(file, `\uFEFF${CSV}`)
    const done = JSON.parse((await call(['import', file, '--json'])).stdout)
    assert.deepEqual([done.dryRun, done.persons.created], [false, 1])
    const exported = await call(['export'])
    assert.equal(exported.code, 0)
    assert.match(exported.stdout, /^resource,id,number,name.*\norganization,.*Harbour.*\nperson,.*Byron/)
    const again = await call(['import', '-'], exported.stdout)
    assert.equal(
      again.stdout,
      'organizations: 0 created, 0 changed, 1 unchanged\npersons: 0 created, 0 changed, 1 unchanged\n',
    )
  })

  it('shows nothing of a file that a terminal would act on', async () => {
    for (const csv of [
      'resource,\x1b[2Jnumber\n',
      'resource,number\n\x1b]0;title\x07,N1\n',
      'resource,parent\norganization,\x9b2J\n',
    ]) {
      const { stderr } = await call(['import', '-'], csv)
      assert.match(stderr, /^-: line [12], column .*\\u00(1b|9b)/m)
      assert.doesNotMatch(stderr, /(?!\n)\p{Cc}/u)
    }
  })

  it('names file, line and column of each fault, also as JSON', async () => {
    const csv = `${CSV}person,,,nobody,,H1\n`
    const { code, stderr } = await call(['import', '-'], csv)
    assert.notEqual(code, 0)
    assert.match(stderr, /^-: line 4, column (emailAddress|lastName): /m)
    const { error } = JSON.parse((await call(['import', '-', '--json'], csv)).stderr)
    assert.deepEqual([error.code, error.details.length], ['DIR317', 2])
    assert.match(error.details[0].path, /^line 4, column /)
  })

  it('refuses a file that it cannot read, and one that is not UTF-8', async () => {
    const missing = await call(['import', join(data, 'nowhere.csv')])
    assert.equal(missing.code, 5)
    assert.match(missing.stderr, /nowhere\.csv.*ENOENT/)
    const file = join(data, 'latin.csv')
    writeFileSync(file, Buffer.from([0x72, 0xe9, 0x0a]))
    assert.match((await call(['import', file])).stderr, /latin\.csv.*UTF-8/)
  })
})
