import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openRuns, type Runs } from '../testing/open-runs.ts'

let runs: Runs
before(async () => {
  runs = await openRuns()
})
after(() => runs.close())

const failure = async (script: string) => (await runs.run(script)).execution?.error?.message ?? null

describe('the state of an endpoint, in scripts', () => {
  it('keeps values from run to run, and tells endpoints apart', async () => {
    assert.equal(await runs.answer('GetState("seen")'), null)
    const version = await runs.answer('SetState("seen", {ids: [1, null]})')
    assert.deepEqual(await runs.answer('GetState("seen")'), { value: { ids: [1, null] }, version })
    assert.equal(await runs.answer('GetState("seen")', { endpointId: crypto.randomUUID() }), null)
    assert.equal(await runs.answer('DeleteState("seen", 0)'), false)
    assert.equal(await runs.answer('DeleteState("seen")'), true)
    assert.equal(await runs.answer('DeleteState("seen")'), false)
  })

  it('sets a value only if it has the version that was read; null expects none', async () => {
    const { response } = await runs.run(`
      var before = GetState("cas")
      var first = SetState("cas", 1, before.version)
      var again = SetState("cas", 2, before.version)
      var second = SetState("cas", 3, first)
      Data._payload = [before, first is number, again, second > first, GetState("cas").value]`)
    assert.equal(response.body, '[null,true,null,true,3]')
  })

  it('keeps values as deep as any that can be written', async () => {
    const nest = 'var a = [] for i in 0 to 300 do a = [a] end'
    await runs.run(`${nest} SetState("deep", a)`)
    assert.equal(await runs.answer('ToJson(GetState("deep").value).length'), 602)
  })

  it('adds up exactly when runs count at the same time', async () => {
    const script = 'for i in 0 to 5 do IncrementState("hits") IncrementState("sum", -0.5) end'
    await Promise.all(Array.from({ length: 8 }, () => runs.run(script)))
    assert.deepEqual(await runs.answer('[GetState("hits").value, GetState("sum").value]'), [40, -20])
  })

  const failures: readonly (readonly [script: string, message: RegExp])[] = [
    ['SetState("", 1)', /^SetState: Expected a key of 1 to 200 characters, found one of 0/],
    ['SetState("..", 1)', /^SetState: Expected a key other than \. and \.\., found '\.\.'/],
    ['IncrementState(".")', /^IncrementState: Expected a key other than/],
    ['SetState(null, 1)', /SetState expects a text as key/],
    ['SetState("a", 1, "x")', /SetState expects a number as expectedVersion/],
    ['SetState("a", PadLeft("", 70000, "x"))', /^SetState: Expected a value of at most 65536 bytes/],
    ['SetState("t", "1") IncrementState("t")', /^IncrementState: Expected a number in the state 't'/],
  ]
  for (const [script, message] of failures) {
    it(`fails the run: ${script}`, async () => assert.match((await failure(script)) ?? '', message))
  }

  it('is held back in a dry run, which reads what it wrote', async () => {
    await runs.run('SetState("dry", 1) SetState("gone", 1)')
    const { response, dryRunWrites } = await runs.run(
      `var v = GetState("dry").version
      var kept = [SetState("dry", 2, v) is number, SetState("dry", 9, v), IncrementState("dry", 3), DeleteState("gone")]
      Data._payload = [kept, GetState("dry").value, GetState("gone")]`,
      { type: 'Test' },
    )
    assert.equal(response.body, '[[true,null,5,true],5,null]')
    assert.deepEqual(dryRunWrites, [
      { action: 'state.set', subjectId: 'dry', before: 1, after: 2 },
      { action: 'state.set', subjectId: 'dry', before: 2, after: 5 },
      { action: 'state.delete', subjectId: 'gone', before: 1, after: null },
    ])
    assert.deepEqual(await runs.answer('[GetState("dry").value, GetState("gone").value]'), [1, 1])
  })
})
