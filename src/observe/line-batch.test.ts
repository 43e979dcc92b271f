import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { batchLines } from './line-batch.ts'

describe('lines of a thread', () => {
  it('are handed on at the end of the turn, in order, with those that could have waited', async () => {
    const sent: string[] = []
    const { write } = batchLines((lines) => sent.push(lines))
    write('a\n', true)
    await turn()
    await turn()
    assert.deepEqual(sent, [])
    write('b\n')
    write('c\n', true)
    assert.deepEqual(sent, [])
    await turn()
    assert.deepEqual(sent, ['a\nb\nc\n'])
  })

  it('do not wait for others when they are many', async () => {
    const sent: string[] = []
    const { write } = batchLines((lines) => sent.push(lines))
    const line = `${'x'.repeat(1023)}\n`
    for (let i = 0; i < 64; i++) write(line, true)
    await turn()
    assert.deepEqual(sent, [line.repeat(64)])
  })

  it('do not wait for ever', async (t) => {
    // The batch alone does not keep a thread alive.
    const alive = setInterval(() => undefined, 1000)
    t.after(() => clearInterval(alive))
    const { promise, resolve } = Promise.withResolvers<string>()
    batchLines(resolve).write('a\n', true)
    assert.equal(await promise, 'a\n')
  })
})
