import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { everyTest, filesOf } from './areas.ts'
import { groupsOf } from './groups.ts'

const groups = groupsOf(filesOf(everyTest, fileURLToPath(new URL('../../', import.meta.url))))
const filesOfGroup = (name: string) => groups.find((group) => group.name === name)?.files ?? []

describe('groups of test files', () => {
  for (const subject of [
    'checks',
    'refreshes',
    'scripts',
    'callers',
    'guides',
    'nodes',
    'runs',
    'warehouses',
    'commands',
    'postgres',
    'shared',
  ]) {
    it(`has files of test/process that are about ${subject}`, () =>
      assert.ok(filesOfGroup(`test/process/${subject}`).length > 2))
  }

  it('has files of small folders', () => {
    const folders = new Set(
      filesOfGroup('small folders').map((file) => file.split('/').slice(0, 2).join('/')),
    )
    assert.ok(folders.has('src/kernel') && folders.has('src/query') && folders.has('console/src'))
  })

  for (const name of ['ingest-kill', 'serve', 'stopping', 'unwritable-disk']) {
    it(`has a process for test/process/${name} alone`, () =>
      assert.deepEqual(filesOfGroup(`test/process/${name}`), [`test/process/${name}.test.ts`]))
  }

  it('has two processes for test/browser, which load each file as a suite', () => {
    const inBrowser = groups.filter(({ name }) => name.startsWith('test/browser/'))
    assert.deepEqual(
      inBrowser.map(({ name }) => name),
      ['operator', 'others'].map((name) => `test/browser/${name}`),
    )
    for (const { loader } of inBrowser) assert.equal(loader, 'test/browser/in-turn.ts')
    const furnished = ['console-directory', 'console-executions', 'every-page']
    for (const name of furnished) {
      assert.ok(filesOfGroup('test/browser/operator').includes(`test/browser/${name}.test.ts`))
    }
  })

  for (const file of [
    'src/directory/postgres/every-store-test.test.ts',
    'test/wire/records-on-postgres.test.ts',
  ]) {
    it(`has a process for ${file} alone, which runs the tests of other files again`, () =>
      assert.deepEqual(groups.find((group) => group.files.includes(file))?.files, [file]))
  }
})
