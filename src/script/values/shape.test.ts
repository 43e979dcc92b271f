import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { noLimits } from '../run/limits.ts'
import { compileScript, type Program, runWith } from '../script.ts'
import { heapUsed } from '../testing/charged-and-taken.ts'
import { readJson } from './json-read.ts'
import { Shape } from './shape.ts'
import { ScriptObject } from './value.ts'

const withKey = (root: Shape, key: string): ScriptObject => {
  const object = new ScriptObject(root, [])
  object.set(key, 1)
  return object
}

describe('a tree of shapes', () => {
  it('gives back what runs have made when they have made much, and keeps the shapes of the script', () => {
    const root = Shape.root()
    const ofScript = root.with('literal')
    root.keep()
    const ofRun = root.with('of a run')
    root.giveBack()
    assert.equal(root.with('of a run'), ofRun)
    for (let i = 0; i < 3000; i++) withKey(root, `key ${i}`)
    assert.equal(withKey(root, 'one more').shape, null)
    root.giveBack()
    assert.equal(root.with('literal'), ofScript)
    assert.notEqual(root.with('of a run'), ofRun)
    assert.notEqual(withKey(root, 'one more').shape, null)
  })

  it('gives back those of most scripts of a thread, so that many scripts together keep few', async () => {
    const read = async (): Promise<Program> => {
      const { program } = compileScript('Data.kept = Data.body')
      assert.ok(program !== null)
      const keys = Array.from({ length: 30 }, (_, i) => `"k${i}":1`)
      const body = Array.from({ length: 30 }, (_, i) => `{"${i}":0,${keys}}`)
      await runWith(program, { limits: noLimits }, (context) => readJson(`{"body":[${body}]}`, context))
      return program
    }
    const before = await heapUsed()
    const programs: Program[] = []
    for (let i = 0; i < 200; i++) programs.push(await read())
    const bytes = ((await heapUsed()) - before) / programs.length
    assert.ok(bytes < 150_000, `a script keeps ${bytes} bytes`)
  })

  it('serves a run as if no other had filled it', async () => {
    const { program } = compileScript('Data.kept = Data.body')
    assert.ok(program !== null)
    const read = async (body: string) =>
      (await runWith(program, { limits: noLimits }, (context) => readJson(`{"body":${body}}`, context))).data
    await read(`[${Array.from({ length: 3000 }, (_, i) => `{"k${i}":1}`)}]`)
    const data = await read('{"an":1,"ordinary":2,"body":3}')
    assert.ok(data instanceof ScriptObject)
    const kept = data.get('kept')
    assert.ok(kept instanceof ScriptObject)
    assert.notEqual(kept.shape, null)
  })
})
