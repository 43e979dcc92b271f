import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { areas, everyTest, filesOf } from './areas.ts'
import { groupsOf } from './groups.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const every = filesOf(everyTest, root)

describe('the areas', () => {
  it('have every test file between them', () => {
    const reached = new Set(Object.values(areas).flatMap((patterns) => filesOf(patterns, root)))
    assert.deepEqual(
      every.filter((file) => !reached.has(file)),
      [],
    )
  })

  it('have no pattern of test/ that finds nothing', () => {
    const patterns = Object.values(areas)
      .flat()
      .filter((pattern) => pattern.startsWith('test/'))
    assert.deepEqual(
      patterns.filter((pattern) => filesOf([pattern], root).length === 0),
      [],
    )
  })

  it('have a name for each folder of src that has tests', () => {
    const folders = readdirSync(new URL('../../src/', import.meta.url), { withFileTypes: true })
    const tested = folders.filter(({ name }) => filesOf([`src/${name}/**/*.test.ts`], root).length > 0)
    assert.deepEqual(
      tested.map(({ name }) => name).filter((name) => areas[name] === undefined),
      [],
    )
  })
})

describe('the groups', () => {
  it('run each file once', () => {
    const grouped = groupsOf(every).flatMap(({ files }) => files)
    assert.deepEqual(grouped.toSorted(), every)
  })

  it('give a process of its own to each test that starts processes', () => {
    const groups = groupsOf([
      'src/script/a.test.ts',
      'test/process/b.test.ts',
      'src/script/c/d.test.ts',
      'test/process/a.test.ts',
    ])
    assert.deepEqual(groups, [
      { name: 'test/process/a', files: ['test/process/a.test.ts'] },
      { name: 'test/process/b', files: ['test/process/b.test.ts'] },
      { name: 'src/script', files: ['src/script/a.test.ts', 'src/script/c/d.test.ts'] },
    ])
  })
})
