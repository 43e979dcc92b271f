import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { execution } from '../../directory/testing/executions.ts'
import type { Observation } from '../../observe/observation.ts'
import type { AnsweredRun } from '../runs/run-states.ts'
import { createExecutionRecordBatcher } from './execution-record-batcher.ts'

const response = { status: 200, headers: {}, body: null }

/** Runs with these ids; a run without an id was refused before it began. */
function start() {
  const added: string[] = []
  const observations: Observation[] = []
  const records = createExecutionRecordBatcher(
    { add: ({ id }) => void added.push(id) },
    (observation) => void observations.push(observation),
  )
  const answered = (id: string | null, size = 10): AnsweredRun => ({
    status: 'Success',
    response,
    size,
    record: async () => ({
      status: 'Success',
      response,
      execution: id === null ? null : execution({ id }),
      dryRunWrites: [],
    }),
  })
  return { records, added, observations, answered }
}

describe('records made in batches', () => {
  it('do not delay the answer, and are all made after a flush', async () => {
    const { records, added, answered } = start()
    for (const id of ['1', null, '2']) await records.add(answered(id))
    assert.deepEqual(added, [])
    await records.flush()
    assert.deepEqual(added, ['1', '2'])
    await records.flush()
    await records.add(answered('3'))
    await records.flush()
    assert.deepEqual(added, ['1', '2', '3'])
  })

  it('are made soon without a flush', async () => {
    const { records, added, answered } = start()
    for (const id of ['1', '2']) {
      await records.add(answered(id))
      while (!added.includes(id)) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    assert.deepEqual(added, ['1', '2'])
  })

  const floods: readonly (readonly [what: string, most: number, size: number])[] = [
    ['too many', 200, 10],
    ['too large', 8, 2 ** 20],
  ]
  for (const [what, most, size] of floods) {
    it(`delay further answers while they are ${what}`, async (test) => {
      test.mock.timers.enable({ apis: ['setTimeout'] })
      const { records, added, answered } = start()
      for (let i = 0; i < most; i++) await records.add(answered(String(i), size))
      assert.equal(added.length, 0)
      await records.add(answered('one more', size))
      assert.equal(added.length, most + 1)
      await records.add(answered('one of the next', size))
      for (let i = 0; i < 10; i++) await turn()
      assert.equal(added.length, most + 1)
      test.mock.timers.tick(20)
      await records.flush()
      assert.equal(added.length, most + 2)
    })
  }

  it('are made after the answers of the same turn are sent', async () => {
    const { records, added, answered } = start()
    const order: string[] = []
    const made = records.add(answered('large', 2 ** 30)).then(() => order.push('record'))
    // Answers are sent in the next turn, which is requested after the record is.
    await Promise.resolve()
    setImmediate(() => order.push(`answers, after ${added.length} records`))
    await made
    assert.deepEqual(order, ['answers, after 0 records', 'record'])
  })

  it('include those of runs that are answered while others are recorded', async () => {
    const { records, added, answered } = start()
    const began = Promise.withResolvers<void>()
    const slow = Promise.withResolvers<void>()
    await records.add({
      ...answered('slow'),
      record: async () => {
        began.resolve()
        await slow.promise
        return answered('slow').record()
      },
    })
    const made = records.flush()
    await began.promise
    await records.add(answered('next'))
    setTimeout(slow.resolve, 20)
    await made
    assert.deepEqual(added, ['slow'])
    await records.flush()
    assert.deepEqual(added, ['slow', 'next'])
  })

  it('that cannot be made are reported, and the others are made', async () => {
    const { records, added, observations, answered } = start()
    await records.add({ ...answered('lost'), record: () => Promise.reject(new Error('no room')) })
    await records.add(answered('1'))
    await records.flush()
    assert.deepEqual(added, ['1'])
    assert.deepEqual(observations, [{ kind: 'history-lost', executions: 1, reason: 'Error: no room' }])
  })
})
