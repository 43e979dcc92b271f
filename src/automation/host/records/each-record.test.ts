import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { QueryProblem } from '../../../kernel/problem.ts'
import { type Asked, openRuns } from '../../testing/open-runs.ts'
import type { QueryRecords, RecordsQuestion } from '../query-records.ts'

type Found = { readonly chunks: () => Iterable<string> | AsyncIterable<string> }

/** Runs scripts over records that come in these chunks, and tells what was asked and how many readings are open. */
async function reading(t: TestContext, { chunks }: Found) {
  const questions: RecordsQuestion[] = []
  const seen = { open: 0, chunks: 0 }
  async function* counted() {
    seen.open++
    try {
      for await (const chunk of chunks()) {
        seen.chunks++
        yield Buffer.from(chunk)
      }
    } finally {
      seen.open--
    }
  }
  const query: QueryRecords = async (question) => {
    questions.push(question)
    return { count: 0, meta: null, chunks: counted }
  }
  const runs = await openRuns({ query })
  t.after(runs.close)
  const run = async (script: string, asked?: Asked) => {
    const { response, execution } = await runs.run(script, asked)
    const error = execution?.error ?? null
    return { body: error === null ? JSON.parse(response.body ?? 'null') : null, error }
  }
  return { run, questions, seen }
}

const few: Found = { chunks: () => ['{"n":1},{"n":2}', ',{"n":3}', ',{"n":4},{"n":5}'] }

/** As many as there are readers for. */
const endless: Found = {
  *chunks() {
    yield '{"n":1}'
    for (;;) yield ',{"n":1}'
  },
}

const sum = (collection: string) => `
  var sum = 0
  foreach item in ${collection} do sum += item.n end
  Data._payload = sum`

describe('foreach over Each functions', () => {
  const scripts: readonly (readonly [title: string, script: string, expected: unknown])[] = [
    ['goes over all records', sum('EachBooking("C1")'), 15],
    ['takes the sequence from a variable', `var all = EachInvoice("C1") ${sum('all')}`, 15],
    ['takes it from an object', `var x = {all: EachInvoice("C1")} ${sum('x.all')}`, 15],
    ['takes it from an expression', sum('(true ? EachItinerary("C1") : [])'), 15],
    [
      'takes it from the parameter of a function, which may be given an array as well',
      `func count(records)
        var n = 0
        foreach record in records do n += 1 end
        return n
      end
      Data._payload = [count(EachBooking("C1")), count([1, 2])]`,
      [5, 2],
    ],
    [
      'begins anew in each loop',
      'var all = EachBooking("C1") var n = 0 for i in 0 to 3 do foreach b in all do n += 1 end end Data._payload = n',
      15,
    ],
    [
      'nests',
      'var n = 0 foreach a in EachBooking("C1") do foreach b in EachBooking("C1") do n += 1 end end Data._payload = n',
      25,
    ],
    [
      'continues and breaks',
      `var seen = []
      foreach b in EachBooking("C1") do
        if b.n == 2 then continue end
        if b.n == 4 then break end
        seen.add(b.n)
      end
      Data._payload = seen`,
      [1, 3],
    ],
    [
      'lets lambdas capture the record of their round',
      `var lambdas = []
      foreach b in EachBooking("C1") do lambdas.add(x => x + b.n) end
      Data._payload = lambdas.length`,
      5,
    ],
    [
      'runs inside lambdas of the library',
      `func sumOf(times)
        var n = 0
        foreach b in EachBooking("C1") do n += b.n * times end
        return n
      end
      Data._payload = [1, 2].map(times => sumOf(times))`,
      [15, 30],
    ],
    ['finds members in any letter case', 'foreach b in EachBooking("C1") do Data._payload = b.N end', 5],
  ]
  for (const [title, script, expected] of scripts) {
    it(title, async (t) => {
      const { run, seen } = await reading(t, few)
      assert.deepEqual(await run(script), { body: expected, error: null })
      assert.equal(seen.open, 0)
    })
  }

  it('goes over nothing when there are no records', async (t) => {
    const { run } = await reading(t, { chunks: () => [] })
    assert.equal((await run(sum('EachBooking("C1")'))).body, 0)
  })

  it('asks once, when the loop begins', async (t) => {
    const { run, questions } = await reading(t, few)
    await run(
      'var all = EachBooking("C1", {filter: "a eq 1", OrderBy: "a", "$select": "n"}) Data._payload = 1',
    )
    assert.deepEqual(questions, [])
    await run(sum('EachInvoice(42, {filter: "a eq 1", OrderBy: "a", "$select": "n", unknownLabels: "null"})'))
    assert.deepEqual(questions, [
      {
        list: 'invoices',
        clientNumber: '42',
        parameters: [
          ['$filter', 'a eq 1'],
          ['$orderby', 'a'],
          ['$select', 'n'],
        ],
        unknownLabels: 'null',
      },
    ])
  })

  const refused: readonly (readonly [call: string, code: string, message: RegExp])[] = [
    ['EachBooking(null)', 'JM5104', /a text as client number/],
    ['EachBooking("C1", {page: 1})', 'JM5920', /filter, orderBy, select and unknownLabels, but not 'page'/],
    ['EachBooking("C1", {apply: "x"})', 'JM5920', /not 'apply'/],
    ['EachBooking("C1").sum()', 'JM5104', /Sum expects Array; it was given Sequence\. What EachBooking/],
    ['EachBooking("C1").map(b => b)', 'JM5104', /Map expects Array.* only foreach goes over it/],
    ['EachBooking("C1").length', 'JM5002', /What EachBooking returns is read part by part: only foreach/],
    ['Length(EachBooking("C1"))', 'JM5002', /only foreach goes over it/],
    ['EachBooking("C1").bookings', 'JM5002', /only foreach goes over it/],
    ['EachBooking("C1")[0]', 'JM5002', /only foreach goes over it/],
    ['"" + EachInvoice("C1")', 'JM5002', /What EachInvoice returns/],
    ['ToJson([EachInvoice("C1")])', 'JM5002', /What EachInvoice returns/],
  ]
  for (const [call, code, message] of refused) {
    it(`is the only way to read: ${call} fails`, async (t) => {
      const { run, questions } = await reading(t, few)
      const { error } = await run(`\nvar x = ${call}`)
      assert.deepEqual([error?.code, error?.line, questions], [code, 2, []])
      assert.match(error?.message ?? '', message)
    })
  }

  it('refuses a sequence as the answer', async (t) => {
    const { run } = await reading(t, few)
    assert.match((await run('Data._payload = EachBooking("C1")')).error?.message ?? '', /What EachBooking/)
  })

  it('tells a sequence by its type, and compares it with nothing but itself', async (t) => {
    const { run } = await reading(t, few)
    const script =
      'var a = EachBooking("C1") Data._payload = [TypeOf(a), a == a, a == EachBooking("C1"), a is array]'
    assert.deepEqual((await run(script)).body, ['sequence', true, false, false])
  })

  it('fails where the loop is when the query is refused', async (t) => {
    const query: QueryRecords = async () => {
      throw new QueryProblem(
        'QRY101',
        { parameter: '$filter', column: 2, input: 'a' },
        'Expected an operator',
      )
    }
    const runs = await openRuns({ query })
    t.after(runs.close)
    const { execution } = await runs.run(
      'var all = EachBooking("C1")\n\nforeach b in all do\n  var x = 1\nend',
    )
    assert.deepEqual(
      [execution?.error?.code, execution?.error?.line, execution?.error?.message],
      ['JM5920', 3, 'EachBooking: Invalid $filter at column 2: Expected an operator'],
    )
  })

  it('fails in the loop when a later part cannot be read', async (t) => {
    const { run } = await reading(t, {
      *chunks() {
        yield '{"n":1}'
        throw new Error('a defect')
      },
    })
    const { error } = await run(sum('EachBooking("C1")'))
    assert.match(error?.message ?? '', /^EachBooking failed in the service/)
    assert.equal(error?.line, 3)
  })
})

describe('what a loop over records uses', () => {
  const THOUSAND = Array.from({ length: 1000 }, (_, n) => `{"n":${n},"text":"${'x'.repeat(40)}"}`).join()

  /** A million records. */
  const many: Found = {
    *chunks() {
      for (let chunk = 0; chunk < 1000; chunk++) yield chunk === 0 ? THOUSAND : `,${THOUSAND}`
    },
  }

  it('is memory for a part of a million records, and a round for each', async (t) => {
    const { run } = await reading(t, many)
    const counted = (last: number) =>
      `var n = 0 foreach b in EachBooking("C1") do n += 1 if n == ${last} then break end end Data._payload = n`
    const long = { statements: 1e7, milliseconds: 60_000 }
    // Nothing is kept but one part, for which a sixtieth of the default limit is enough.
    const whole = await run(counted(0), { limits: long })
    assert.deepEqual(whole, { body: 1_000_000, error: null })
    const tight = await run(counted(100_000), { limits: { ...long, memoryBytes: 2 ** 20 } })
    assert.deepEqual(tight, { body: 100_000, error: null })
    const { error } = await run(counted(0), { limits: { ...long, loops: 49_999 } })
    assert.deepEqual([error?.code, error?.limit], ['JM5901', 'loops'])
  })

  it('includes the records that the script keeps', async (t) => {
    const { run, seen } = await reading(t, many)
    const script = 'var kept = [] foreach b in EachBooking("C1") do kept.add(b) end'
    const { error } = await run(script, { limits: { milliseconds: 60_000 } })
    assert.deepEqual([error?.code, error?.limit], ['JM5910', 'memoryBytes'])
    assert.ok(seen.chunks < 1000, `${seen.chunks} chunks`)
    assert.equal(seen.open, 0)
  })

  it('includes sequences that the script keeps, with their options', async (t) => {
    const { run } = await reading(t, few)
    const script = 'var kept = [] while true do kept.add(EachBooking("C1", {filter: Repeat("x", 1000)})) end'
    const kept = script.replace('Repeat("x", 1000)', `"${'x'.repeat(1000)}"`)
    const { error } = await run(kept, { limits: { milliseconds: 60_000 } })
    assert.equal(error?.limit, 'memoryBytes')
  })

  const leaving: readonly (readonly [title: string, script: string, asked?: Asked])[] = [
    ['break', 'foreach b in EachBooking("C1") do break end while Data.x != 9 do Data.x = 9 end'],
    [
      'return, from two loops at once',
      `func first()
        foreach a in EachBooking("C1") do foreach b in EachBooking("C1") do return b end end
      end
      for i in 0 to 100 do first() end`,
    ],
    ['exit', 'foreach b in EachBooking("C1") do exit "done" end'],
    ['fail', 'foreach b in EachBooking("C1") do fail "no" end'],
    ['an error', 'foreach b in EachBooking("C1") do var x = b.n.foo[1] + {} end'],
    ['a limit', 'foreach b in EachBooking("C1") do var x = 1 end', { limits: { loops: 10 } }],
  ]
  for (const [title, script, asked] of leaving) {
    it(`is released when the loop is left by ${title}`, async (t) => {
      const { run, seen } = await reading(t, endless)
      await run(script, asked)
      await new Promise(setImmediate)
      assert.ok(seen.chunks > 0)
      assert.equal(seen.open, 0)
    })
  }

  const endings: readonly (readonly [title: string, script: string, more?: Asked['limits']])[] = [
    ['its time', 'foreach b in EachBooking("C1") do end'],
    [
      'its time inside a part',
      'foreach b in EachBooking("C1") do while true do end end',
      { loops: 1e9, statements: 1e9 },
    ],
  ]
  for (const [title, script, more] of endings) {
    it(`is released when the loop is left by the end of ${title}`, async (t) => {
      const { run, seen } = await reading(t, endless)
      // A busy machine may need longer than that to come to the loop.
      for (let milliseconds = 20; seen.chunks === 0; milliseconds *= 2) {
        const { error } = await run(script, { limits: { ...more, milliseconds } })
        assert.equal(error?.limit, 'milliseconds')
        await new Promise(setImmediate)
        assert.equal(seen.open, 0)
      }
    })
  }

  it('is released as soon as the loop is left, not only at the end of the run', async (t) => {
    const { run } = await reading(t, endless)
    // More than may be read at once.
    const script =
      'var n = 0 for i in 0 to 100 do foreach b in EachBooking("C1") do n += 1 break end end Data._payload = n'
    assert.equal((await run(script)).body, 100)
  })

  it('is limited to 16 loops at once', async (t) => {
    const { run, seen } = await reading(t, endless)
    const nested = `func nest(depth)
      foreach b in EachBooking("C1") do if depth > 1 then nest(depth - 1) end return 1 end
      end
      nest(DEPTH) Data._payload = 1`
    assert.equal((await run(nested.replace('DEPTH', '16'))).body, 1)
    const { error } = await run(nested.replace('DEPTH', '17'))
    assert.match(error?.message ?? '', /at most 16 sequences of records at once/)
    await new Promise(setImmediate)
    assert.equal(seen.open, 0)
  })

  it('ends when the run is cancelled while a part is being read', async (t) => {
    const cancelling = new AbortController()
    const { run, seen } = await reading(t, {
      async *chunks() {
        yield '{"n":1}'
        cancelling.abort()
        await new Promise(() => undefined)
      },
    })
    const { error } = await run('foreach b in EachBooking("C1") do end', { cancellation: cancelling.signal })
    assert.equal(error?.code, 'END107')
    assert.equal(seen.chunks, 1)
  })

  it('ends when the run is cancelled between two records of a part', async (t) => {
    const cancelling = new AbortController()
    const { run, seen } = await reading(t, {
      *chunks() {
        setTimeout(() => cancelling.abort(), 5)
        yield '{"n":1},{"n":2}'
      },
    })
    const script = 'foreach b in EachBooking("C1") do while true do end end'
    const limits = { loops: 1e12, statements: 1e12, milliseconds: 60_000 }
    const { error } = await run(script, { cancellation: cancelling.signal, limits })
    await new Promise(setImmediate)
    assert.deepEqual([error?.code, seen.open], ['END107', 0])
  })
})
