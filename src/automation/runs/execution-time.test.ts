/** What a run is recorded to have taken, while other runs hold its thread. Compared within one run of the test, never with a clock. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openRuns, type Runs } from '../testing/open-runs.ts'

let runs: Runs
before(async () => {
  runs = await openRuns()
})
after(() => runs.close())

const limits = { milliseconds: 300_000, statements: 1e9, loops: 1e9 }

describe('the execution time of a run', () => {
  it('is the time that its own script took, not the time that other runs held the thread', async () => {
    const control = { aborted: false, reason: { kind: 'stopping' } }
    const burning = ['1', '2', '3', '4'].map((nth) =>
      runs.run('while true do var a = 1 end', {
        limits,
        cancellation: control,
        endpointId: `00000000-0000-4000-8000-00000000010${nth}`,
      }),
    )
    // Long enough for many turns; waits for the store in between.
    const work = 'for i in 0 to 300000 do var a = i end GetAllOrganizations() Data._payload = 1'
    const { execution } = await runs.run(work, { limits })
    control.aborted = true
    assert.ok(execution)
    const elapsed = Date.parse(execution.completedAt) - Date.parse(execution.startedAt)
    assert.equal(execution.status, 'Success')
    assert.ok(
      execution.executionTimeMs < 0.6 * elapsed,
      `${execution.executionTimeMs} of ${elapsed} ms, with four others on the thread`,
    )
    const others = (await Promise.all(burning)).map((run) => run.execution?.executionTimeMs ?? 0)
    const all = others.reduce((sum, each) => sum + each, execution.executionTimeMs)
    const began = Date.parse((await burning[0])?.execution?.startedAt ?? '')
    const ended = Date.parse((await burning[0])?.execution?.completedAt ?? '')
    assert.ok(all <= 1.1 * (ended - began) + 10, `${all} ms together, in ${ended - began} ms`)
  })

  it('has the time that a script waits for a function', async () => {
    const { execution } = await runs.run('Sleep(50) Data._payload = 1', { limits })
    assert.ok((execution?.executionTimeMs ?? 0) >= 49, String(execution?.executionTimeMs))
  })
})
