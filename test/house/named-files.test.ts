/** Comments, messages and titles name files that exist: a name that was moved or renamed away sends its reader searching. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'
import { filesOfProject } from './project-files.ts'

const root = join(import.meta.dirname, '../..')

/** A source file or page, with or without folders in front. Patterns such as `*-server.ts` name no single file. */
const FILE_NAME = /(?<![\w./*>}$-])(?:\.{1,2}\/)*\w[\w.-]*(?:\/[\w.-]+)*\.(?:ts|cjs|md)\b/g

/** Its cases are made of names that were invented for them. */
const INVENTS_NAMES = 'test/runner/areas.test.ts'

const files = await filesOfProject()
const baseNames = new Set(Array.from(files, (file) => file.slice(file.lastIndexOf('/') + 1)))

/** A name with folders goes from the root, from `src/`, from the folder of the area or from the file. A bare name may lie anywhere. */
function exists(name: string, source: string): boolean {
  if (!name.includes('/')) return baseNames.has(name)
  const area = source.split('/').slice(0, 2).join('/')
  return [name, join('src', name), join(area, name), join(dirname(source), name)].some((place) =>
    files.has(normalize(place)),
  )
}

describe('source files', () => {
  for (const folder of ['src', 'test', 'bench']) {
    it(`name only files that exist: ${folder}`, async () => {
      const sources = [...files].filter(
        (file) => file.startsWith(`${folder}/`) && file.endsWith('.ts') && file !== INVENTS_NAMES,
      )
      const texts = await Promise.all(sources.map((source) => readFile(join(root, source), 'utf8')))
      const missing = sources.flatMap((source, index) =>
        Array.from(texts[index]?.matchAll(FILE_NAME) ?? [], ([name]) => name)
          .filter((name) => !exists(name, source))
          .map((name) => `${source}: ${name}`),
      )
      assert.deepEqual(missing, [])
    })
  }
})
