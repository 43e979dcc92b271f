import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { type RecordedRun, runReport } from './run-states.ts'

describe('the drawing of the states of a run', () => {
  const source = readFileSync(new URL('run-states.ts', import.meta.url), 'utf8')
  const drawing = source.slice(0, source.indexOf('*/'))

  it('names files that exist', () => {
    const files = [...drawing.matchAll(/[\w./-]+\.ts\b/g)].map(([file]) => file)
    assert.ok(files.length > 4)
    const missing = files.filter(
      (file) => ![file, `../${file}`].some((path) => existsSync(new URL(path, import.meta.url))),
    )
    assert.deepEqual(missing, [])
  })

  it('names types that the file or the problems declare', () => {
    const types = new Set([...drawing.matchAll(/\b(?:[A-Z][a-z]+)?Run[A-Z]?\w*\b/g)].map(([name]) => name))
    const problems = readFileSync(new URL('../problems.ts', import.meta.url), 'utf8')
    const undeclared = [...types].filter(
      (name) => !new RegExp(`^export (?:type|class) ${name}\\b`, 'm').test(source + problems),
    )
    assert.ok(types.has('RunJob') && types.has('RecordedRun'))
    assert.deepEqual(undeclared, [])
  })
})

describe('the report of a run', () => {
  it('keeps the public names of its members, in their order', () => {
    const write = { action: 'person.create', subjectId: '1', before: null, after: { name: 'Ada' } }
    const run: RecordedRun = {
      status: 'Success',
      response: { status: 200, headers: {}, body: null },
      execution: null,
      dryRunWrites: [write],
    }
    assert.equal(
      JSON.stringify(runReport(run)),
      `{"response":{"status":200,"headers":{},"body":null},"execution":null,"heldWrites":[${JSON.stringify(write)}]}`,
    )
  })
})
