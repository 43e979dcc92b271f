/** The import check knows every folder, and none that does not exist: a rule for nothing holds nothing. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { builtinModules, createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { filesOfProject } from './project-files.ts'

type Rules = { readonly forbidden: readonly Rule[] }
type Rule = { readonly name: string; readonly from: Condition; readonly to: Condition }
type Condition = { readonly path?: string | readonly string[]; readonly pathNot?: string | readonly string[] }

const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as Rules
const files = [...(await filesOfProject())]

describe('the rules of the import check', () => {
  it('give every folder of src its level', () => {
    const folders = new Set(files.flatMap((file) => /^src\/([^/]+)\//.exec(file)?.[1] ?? []))
    const prefix = 'down-only-from-'
    const known = forbidden.flatMap(({ name }) =>
      name.startsWith(prefix) ? [name.slice(prefix.length)] : [],
    )
    assert.deepEqual(known.toSorted(), [...folders].toSorted())
  })

  for (const { name, from, to } of forbidden) {
    it(`are about files that exist: ${name}`, () => {
      const patterns = [from.path, from.pathNot, to.path, to.pathNot].flatMap((some) => some ?? [])
      const isInstalled = (pattern: string) => existsSync(join('node_modules', pattern))
      const names = [...files, ...builtinModules]
      const idle = patterns.filter(
        (pattern) => !isInstalled(pattern) && !names.some((name) => new RegExp(pattern).test(name)),
      )
      assert.deepEqual(idle, [])
    })
  }
})
