import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { compileScript, runScript } from '../script.ts'
import { keywords } from '../syntax/tokens.ts'

const root = new URL('../../../', import.meta.url)
const page = readFileSync(new URL('docs/reference/script-language.md', root), 'utf8')
const examples = [...page.matchAll(/```jyro\n([\s\S]*?)```/g)].map(([, text]) => text!)

describe('the page on the script language', () => {
  assert.ok(examples.length > 8)
  for (const text of examples) {
    const [, output] = /^# -> (.*)$/m.exec(text) ?? []
    const [, code, message = ''] = /^# fails (JM\d+) ?(.*)$/m.exec(text) ?? []
    it(`has an example that does what it says: ${text.split('\n', 1)[0]}`, async () => {
      assert.ok((output === undefined) !== (code === undefined), 'an example shows its output or its failure')
      const { program, problems } = compileScript(text)
      const result = program === null ? null : await runScript(program)
      if (output !== undefined) {
        assert.deepEqual([problems, result?.problem], [[], null])
        assert.deepEqual(JSON.parse(result?.output ?? ''), JSON.parse(output))
      } else {
        const problem = problems[0] ?? result?.problem
        assert.equal(problem?.code, code)
        assert.ok(problem?.message.includes(message), problem?.message)
      }
    })
  }

  it('names every keyword and every code', () => {
    const section = /## Reserved words([\s\S]*?)\n## /.exec(page)?.[1] ?? ''
    const words = new Set(section.match(/[a-z]+/g))
    for (const keyword of keywords) assert.ok(words.has(keyword), keyword)
    const listed = new Set<string>()
    for (const [, cell = ''] of page.matchAll(/^\| (JM[^|]*) \|/gm)) {
      const codes = cell.match(/\d{4}/g)!.map(Number)
      const last = cell.includes(' to ') ? codes[1]! : codes[0]!
      for (let code = codes[0]!; code <= last; code++) listed.add(`JM${code}`)
      for (const code of codes) listed.add(`JM${String(code).padStart(4, '0')}`)
    }
    const files = globSync('src/{script,automation}/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })
    const raised = files.flatMap((file) => [
      ...readFileSync(new URL(file, root), 'utf8').matchAll(/'(JM\d{4})'/g),
    ])
    const missing = new Set(raised.map(([, code]) => code!).filter((code) => !listed.has(code)))
    assert.deepEqual([...missing], [])
  })
})
