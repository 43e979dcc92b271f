import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openRuns, type Runs } from '../testing/open-runs.ts'

let runs: Runs
before(async () => {
  runs = await openRuns()
})
after(() => runs.close())

describe('CancelAction', () => {
  it('ends the run with 409 and the reason, which the history has as well', async () => {
    const script = `Log("Information", "before")
if true then
  CancelAction("The period is closed")
end
Log("Information", "after")
Data._statusCode = 200`
    const { response, execution } = await runs.run(script)
    assert.deepEqual(response, {
      status: 409,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({ error: 'The period is closed', executionId: execution?.id }),
    })
    assert.ok(execution !== null)
    assert.deepEqual(
      [execution.status, execution.cancellationReason, execution.responseStatus, execution.errorMessage],
      ['Cancelled', 'The period is closed', 409, 'The period is closed'],
    )
    assert.deepEqual(execution.error, {
      code: 'END160',
      message: 'The period is closed',
      line: 3,
      column: 3,
      limit: null,
    })
    assert.deepEqual(
      execution.log.map(({ message }) => message),
      ['before'],
    )
  })

  it('is not reported as a failure of the script', async () => {
    runs.observations.length = 0
    await runs.run('CancelAction("no")')
    assert.deepEqual(runs.observations, [])
    await runs.run('fail "no"')
    assert.deepEqual(
      runs.observations.map(({ kind }) => kind),
      ['script-failed'],
    )
  })

  it('keeps what the run has written before', async () => {
    await runs.run('CreateOrganization("Kept") CancelAction("no")')
    assert.equal(await runs.answer('Any(GetAllOrganizations(), o => o.name == "Kept")'), true)
  })

  const places: readonly (readonly [where: string, script: string])[] = [
    ['a function', 'func f() CancelAction("no") end f()'],
    ['a lambda', 'Data._payload = Map([1, 2], x => CancelAction("no"))'],
    ['a lambda that sorts', 'Data._payload = SortBy([2, 1], x => CancelAction("no"))'],
    ['a method call', '"no".cancelAction()'],
    ['a loop without end', 'while true do CancelAction("no") end'],
  ]
  for (const [where, script] of places) {
    it(`ends the run from ${where}`, async () => {
      const { response, execution } = await runs.run(script)
      assert.deepEqual(
        [response.status, execution?.status, execution?.cancellationReason],
        [409, 'Cancelled', 'no'],
      )
    })
  }

  const reasons: readonly (readonly [argument: string, reason: string])[] = [
    ['"  "', 'The script gave no reason'],
    ['null', 'The script gave no reason'],
    ['5', '5'],
    ['"a" + "\\uD800"', 'a\ufffd'],
    ['PadLeft("", 5000, "x")', 'x'.repeat(4096)],
  ]
  for (const [argument, reason] of reasons) {
    it(`takes ${argument} as a reason`, async () => {
      const { response } = await runs.run(`CancelAction(${argument})`)
      assert.equal(JSON.parse(response.body ?? '').error, reason)
    })
  }

  it('hides secrets of the reason in the history, as everywhere', async () => {
    await runs.store.secrets.set('key', { value: 's3cr3t-value' }, 'test')
    const { execution } = await runs.run('CancelAction("bad key " + GetSecret("key"))')
    assert.doesNotMatch(JSON.stringify(execution), /s3cr3t-value/)
    assert.equal(execution?.cancellationReason, 'bad key [redacted]')
  })

  it('ends a trial in the same way', async () => {
    const { response, execution } = await runs.run('CancelAction("no")', { type: 'Test' })
    assert.deepEqual([response.status, execution?.status], [409, 'Cancelled'])
  })
})
