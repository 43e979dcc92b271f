/** Folders and files stay small enough to be taken in. What is larger stands here, with the reason. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { filesOfProject } from './project-files.ts'

const MOST_FILES = 20
const MOST_LINES = 400

/** Folder or file -> why it may be larger. */
const largeFolders: Readonly<Record<string, string>> = {
  'console/src/texts': 'a file for each area, so that a translation finds its texts in one place',
}
const largeFiles: Readonly<Record<string, string>> = {
  'src/script/run/machine.ts': 'one switch over all instructions, which the engine turns into a jump table',
  'src/script/run/machine-state.ts':
    'the fields of one run that all instructions share, with what keeps them within limits',
}

/** Tests and their helpers are counted neither as files of a folder nor by their lines. */
const productFiles = [...(await filesOfProject())].filter(
  (file) =>
    /^(src|console\/src)\//.test(file) &&
    /\.tsx?$/.test(file) &&
    !file.endsWith('.test.ts') &&
    !file.includes('/testing/'),
)

describe('a folder of src and console/src', () => {
  it(`holds at most ${MOST_FILES} product files, but for those that are listed with a reason`, () => {
    const folders = Map.groupBy(productFiles, dirname)
    const large = [...folders].filter(([, inside]) => inside.length > MOST_FILES)
    assert.deepEqual(large.map(([folder]) => folder).toSorted(), Object.keys(largeFolders).toSorted())
  })
})

describe('a product file', () => {
  it(`has at most ${MOST_LINES} lines, but for those that are listed with a reason`, async () => {
    const large: string[] = []
    for (const file of productFiles) {
      const text = await readFile(join(import.meta.dirname, '../..', file), 'utf8')
      if (text.split('\n').length - 1 > MOST_LINES) large.push(file)
    }
    assert.deepEqual(large.toSorted(), Object.keys(largeFiles).toSorted())
  })
})
