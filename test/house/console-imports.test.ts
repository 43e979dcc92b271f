/**
 * Import directions of the web applications, which the import check cannot read. The browser speaks to the service over its
 * APIs; what both share is the languages, whose code is pure.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { describe, it } from 'node:test'
import { filesOfProject } from './project-files.ts'

const root = join(import.meta.dirname, '../..')

/** A folder of console/src, and what it may import besides itself. Importing is allowed downwards only. */
const lower: Readonly<Record<string, readonly string[]>> = {
  texts: [],
  format: ['texts'],
  api: ['texts'],
  parts: ['texts', 'format', 'api'],
  app: ['texts', 'format', 'api', 'parts'],
  explorer: ['texts', 'format', 'api', 'parts', 'app'],
  console: ['texts', 'format', 'api', 'parts', 'app'],
}

const shared = /^src\/(kernel|schema|query|script)\//
const own = /^console\/src\/([^/]+)\//

const imports: readonly (readonly [file: string, target: string])[] = (
  await Promise.all(
    [...(await filesOfProject())]
      .filter((file) => /^console\/src\/.*(?<!\.test)\.tsx?$/.test(file))
      .map(async (file) => {
        const text = await readFile(join(root, file), 'utf8')
        const specifiers = [...text.matchAll(/(?:from|import|import\() ?'(\.[^'?]*)/g)].map(
          ([, path]) => path as string,
        )
        return specifiers.map((path) => [file, posix.join(posix.dirname(file), path)] as const)
      }),
  )
).flat()

describe('a file of console/src', () => {
  it('imports of the service the languages and nothing else', () => {
    assert.ok(imports.length > 50)
    const others = imports.filter(
      ([, target]) => !/^console\/(src|generated)\//.test(target) && !shared.test(target),
    )
    assert.deepEqual(others, [])
  })

  it('imports from its own folder and lower ones', () => {
    const upwards = imports.filter(([file, target]) => {
      const from = own.exec(file)?.[1]
      const to = own.exec(target)?.[1]
      if (from === undefined || to === undefined || from === to) return false
      return !lower[from]?.includes(to)
    })
    assert.deepEqual(upwards, [])
  })
})
