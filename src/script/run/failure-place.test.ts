import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compileScript, runScript } from '../script.ts'
import { placeAt, pointOf } from '../script-problem.ts'

describe('a problem of a run', () => {
  /** The text has a caret before the expression that the problem points at, and no other. */
  const rows: readonly (readonly [marked: string, code: string, nullPart: string | null])[] = [
    ['var booking = {}\n^booking.traveller.name = 1', 'JM5306', "'traveller' of 'booking' is null"],
    ['var b = {a: [1]}\nb.a[0] = ^b.rate * 2', 'JM5206', "'rate' of 'b' is null"],
    ['Data.r = 1 + ^Data.request.query.page', 'JM5206', "'page' of 'Data.request.query' is null"],
    ['var n\nData.r = 1 + 2 * ^n', 'JM5206', "'n' is null"],
    ['var l = [{}]\n^l[0].x.y = 1', 'JM5306', "'x' of 'l[0]' is null"],
    ['^Data.list[0] = 1', 'JM5307', "'list' of 'Data' is null"],
    ['^Data.hits++', 'JM5206', "'hits' of 'Data' is null"],
    ['^Data.hits += 1', 'JM5206', "'hits' of 'Data' is null"],
    ['foreach b in ^Data.bookings do end', 'JM5402', "'bookings' of 'Data' is null"],
    ['Data.r = -^Data.x', 'JM5207', "'x' of 'Data' is null"],
    ['delete ^Data.x.y', 'JM5306', "'x' of 'Data' is null"],
    ['if true and ^Data.x < 2 then end', 'JM5206', "'x' of 'Data' is null"],
    ['Data.r = 1 + Round(2.5, ^Data.digits)', 'JM5104', "'digits' of 'Data' is null"],
    ['^Data.list.add(1)', 'JM5104', "'list' of 'Data' is null"],
    ['var n: number = ^Data.n', 'JM5100', "'n' of 'Data' is null"],
    ['func f(n: number) return n end\nData.r = f(^Data.n)', 'JM5100', "'n' of 'Data' is null"],
    ['Data.r = Map([{}], b => ^b.price * 2)', 'JM5206', "'price' of 'b' is null"],
    ['func f(b)\n  return 1 + ^b.price\nend\nData.r = f({})', 'JM5206', "'price' of 'b' is null"],
    ['for i in 0 to ^Data.n do end', 'JM5206', "'n' of 'Data' is null"],
    ['Data.r = [1, ^First([]) - 1]', 'JM5206', "'First([])' is null"],
    ['Data.r = 1 + (2 / ^Data.request.zero)', 'JM5206', "'zero' of 'Data.request' is null"],
    ['Data.r = [1,\n  ^1 / 0]', 'JM5200', null],
    ['Data.r = [1,\n  ^"a" * 2]', 'JM5206', null],
  ]
  for (const [marked, code, nullPart] of rows) {
    it(`is at the expression, and names what is null: ${marked.replaceAll('\n', ' ')}`, async () => {
      const { program } = compileScript(marked.replace('^', ''))
      assert.ok(program !== null)
      const { problem } = await runScript(program, { input: '{"request": {"query": {}}}' })
      assert.ok(problem !== null)
      assert.equal(problem.code, code)
      assert.equal(problem.message.match(/; ('[^;]* is null)$/)?.[1] ?? null, nullPart, problem.message)
      const at = pointOf(problem)
      assert.ok(at !== null)
      assert.deepEqual(placeAt(program.text, at), placeAt(marked, marked.indexOf('^')))
    })
  }

  it('has no expression when a limit is reached, and keeps the message of fail', async () => {
    for (const [text, message] of [
      ['while true do end', /1000/],
      ['fail "Null " + Data.x', /^Null null$/],
    ] as const) {
      const { program } = compileScript(text)
      assert.ok(program !== null)
      const { problem } = await runScript(program, { limits: {} })
      assert.equal(problem?.expressionAt, undefined)
      assert.match(problem?.message ?? '', message)
    }
  })
})
