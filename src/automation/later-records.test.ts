import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { execution } from '../directory/history/execution-fixture.ts'
import type { Observation } from '../observe/observation.ts'
import { createLaterRecords } from './later-records.ts'
import type { AnsweredRun } from './run-endpoint.ts'

const response = { status: 200, headers: {}, body: null }

/** The runs with these ids; a run without one was refused before it began. */
function start() {
  const added: string[] = []
  const observations: Observation[] = []
  const records = createLaterRecords(
    { add: ({ id }) => void added.push(id) },
    (observation) => void observations.push(observation),
  )
  const answered = (id: string | null): AnsweredRun => ({
    response,
    report: async () => ({ response, execution: id === null ? null : execution({ id }), heldWrites: [] }),
  })
  return { records, added, observations, answered }
}

describe('records that are made later', () => {
  it('keep nobody waiting, and are all there when that is asked for', async () => {
    const { records, added, answered } = start()
    records.make(answered('1'))
    records.make(answered(null))
    records.make(answered('2'))
    assert.deepEqual(added, [])
    await records.made()
    assert.deepEqual(added, ['1', '2'])
    await records.made()
    records.make(answered('3'))
    await records.made()
    assert.deepEqual(added, ['1', '2', '3'])
  })

  it('are made soon without being asked for', async () => {
    const { records, added, answered } = start()
    records.make(answered('1'))
    while (added.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.deepEqual(added, ['1'])
  })

  it('do not pile up until their time has come', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const { records, added, answered } = start()
    for (let i = 0; i < 200; i++) records.make(answered(String(i)))
    while (added.length < 200) await turn()
    records.make(answered('one of the next'))
    for (let i = 0; i < 10; i++) await turn()
    assert.equal(added.length, 200)
    test.mock.timers.tick(20)
    await turn()
    assert.equal(added.length, 201)
  })

  it('include those of runs that were answered while others were being recorded', async () => {
    const { records, added, answered } = start()
    let more: () => void = () => undefined
    const began = new Promise<void>((resolve) => {
      more = resolve
    })
    const slow = Promise.withResolvers<void>()
    records.make({
      response,
      report: async () => {
        more()
        await slow.promise
        return answered('slow').report()
      },
    })
    const made = records.made()
    await began
    records.make(answered('next'))
    setTimeout(slow.resolve, 20)
    await made
    assert.deepEqual(added, ['slow'])
    await records.made()
    assert.deepEqual(added, ['slow', 'next'])
  })

  it('that cannot be made are told of, and the others are made', async () => {
    const { records, added, observations, answered } = start()
    records.make({ response, report: () => Promise.reject(new Error('no room')) })
    records.make(answered('1'))
    await records.made()
    assert.deepEqual(added, ['1'])
    assert.deepEqual(observations, [{ kind: 'history-lost', executions: 1, reason: 'Error: no room' }])
  })
})
