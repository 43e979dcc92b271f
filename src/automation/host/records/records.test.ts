import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Problem, QueryProblem } from '../../../kernel/problem.ts'
import { openRuns, type RunOptions, type Runs } from '../../testing/open-runs.ts'
import type { QueryRecords, RecordsQuestion } from '../query-records.ts'

async function withRuns<T>(options: RunOptions, use: (runs: Runs) => Promise<T>): Promise<T> {
  const runs = await openRuns(options)
  try {
    return await use(runs)
  } finally {
    await runs.close()
  }
}

/** The query of a call, and the end of the run. */
async function asked(call: string) {
  const questions: RecordsQuestion[] = []
  const query: QueryRecords = async (question) => {
    questions.push(question)
    return { count: 0, meta: null, chunks: () => [] }
  }
  const { execution } = await withRuns({ query }, (runs) => runs.run(`Data._payload = ${call}`))
  return { questions, error: execution?.error }
}

describe('the query of Query functions', () => {
  const rows: readonly (readonly [call: string, question: RecordsQuestion])[] = [
    ['QueryBookings("C1")', { list: 'bookings', clientNumber: 'C1', parameters: [] }],
    ['QueryInvoices("C1", null)', { list: 'invoices', clientNumber: 'C1', parameters: [] }],
    ['QueryItineraries(42, {})', { list: 'itineraries', clientNumber: '42', parameters: [] }],
    [
      'QueryBookings("C1", {filter: "a eq 1", orderBy: "a desc", page: 2, pageSize: 500})',
      {
        list: 'bookings',
        clientNumber: 'C1',
        parameters: [
          ['$filter', 'a eq 1'],
          ['$orderby', 'a desc'],
          ['$page', '2'],
          ['$pageSize', '500'],
        ],
      },
    ],
    [
      'QueryInvoices("C1", {select: "a,b", "$Apply": "groupby((a))"})',
      {
        list: 'invoices',
        clientNumber: 'C1',
        parameters: [
          ['$select', 'a,b'],
          ['$apply', 'groupby((a))'],
        ],
      },
    ],
    [
      'QueryBookings("C1", {filter: "a eq 1", unknownLabels: "null"})',
      { list: 'bookings', clientNumber: 'C1', parameters: [['$filter', 'a eq 1']], unknownLabels: 'null' },
    ],
    ...([' C1', 'C1 ', 'c1', '\ufeffC1', 'C1\u3000', 'Ｃ1'] as const).map(
      (clientNumber) =>
        [`QueryBookings("${clientNumber}")`, { list: 'bookings', clientNumber, parameters: [] }] as const,
    ),
    [
      'QueryBookings("C1", {unknownLabels: null})',
      { list: 'bookings', clientNumber: 'C1', parameters: [], unknownLabels: 'null' },
    ],
    [
      'QueryBookings("C1", {UNKNOWNLABELS: "refuse"})',
      { list: 'bookings', clientNumber: 'C1', parameters: [], unknownLabels: 'refuse' },
    ],
    [
      'QueryBookings("C1", {"$FILTER": "", OrderBy: null, PAGESIZE: "7", page: 1.5})',
      {
        list: 'bookings',
        clientNumber: 'C1',
        parameters: [
          ['$filter', ''],
          ['$pageSize', '7'],
          ['$page', '1.5'],
        ],
      },
    ],
  ]
  for (const [call, question] of rows) {
    it(`follows from ${call}`, async () => {
      assert.deepEqual(await asked(call), { questions: [question], error: null })
    })
  }

  const refused: readonly (readonly [call: string, code: string, message: RegExp])[] = [
    ['QueryBookings(null)', 'JM5104', /a text as client number; it was given Null/],
    ['QueryBookings({})', 'JM5104', /client number/],
    ['QueryBookings("C1", "a eq 1")', 'JM5104', /Object/],
    ['QueryBookings("C1", {filter: 1})', 'JM5104', /a text as filter/],
    ['QueryBookings("C1", {select: ["a"]})', 'JM5104', /a text as select/],
    ['QueryBookings("C1", {page: true})', 'JM5104', /a number as page/],
    ['QueryBookings("C1", {filer: "a eq 1"})', 'JM5920', /not 'filer'/],
    [
      'QueryBookings("C1", {top: 5})',
      'JM5920',
      /filter, orderBy, select, apply, page, pageSize and unknownLabels/,
    ],
    ['QueryBookings("C1", {unknownLabels: "ignore"})', 'JM5104', /refuse or null as unknownLabels/],
  ]
  for (const [call, code, message] of refused) {
    it(`is not run by ${call}`, async () => {
      const { questions, error } = await asked(call)
      assert.deepEqual([questions, error?.code], [[], code])
      assert.match(error?.message ?? '', message)
    })
  }
})

const bytes = (text: string): Uint8Array => Buffer.from(text)

describe('the answer of Query functions', () => {
  it('is the envelope of version 2, for any number of chunks', async () => {
    const meta = { page: 1, pageSize: 3, total: 9, totalPages: 3, filteredCount: 9 }
    const chunks = () => [bytes('{"a":"ü 👋, a text of some length"}'), bytes(',{"a":2},{"a":[]}')]
    const answer = await withRuns({ query: async () => ({ count: 3, meta, chunks }) }, (runs) =>
      runs.run('Data._payload = QueryInvoices("C1", {page: 1})'),
    )
    assert.equal(
      answer.response.body,
      '{"clientNumber":"C1","count":3,"invoices":[{"a":"ü 👋, a text of some length"},{"a":2},{"a":[]}],' +
        '"_meta":{"page":1,"pageSize":3,"total":9,"totalPages":3,"filteredCount":9}}',
    )
  })

  it('has groups instead of records when the query has apply', async () => {
    const meta = { total: 1, filteredCount: 1 }
    const chunks = () => [bytes('{"a":null,"n":2}')]
    const answer = await withRuns({ query: async () => ({ count: 1, meta, chunks }) }, (runs) =>
      runs.answer('QueryBookings("C1", {apply: "groupby((a),aggregate($count as n))"})'),
    )
    assert.deepEqual(answer, { clientNumber: 'C1', count: 1, groups: [{ a: null, n: 2 }], _meta: meta })
  })

  it('has no _meta when the query has no parameters', async () => {
    const query: QueryRecords = async () => ({ count: 0, meta: null, chunks: () => [] })
    const answer = await withRuns({ query }, (runs) => runs.answer('QueryBookings("C1")'))
    assert.deepEqual(answer, { clientNumber: 'C1', count: 0, bookings: [] })
  })

  /** An endless list of records. */
  const endless = (read: { chunks: number }) =>
    function* () {
      for (;;) {
        read.chunks++
        yield bytes(`${read.chunks > 1 ? ',' : ''}{"a":"${'x'.repeat(1000)}"}`)
      }
    }

  it('reads no more than fits into the memory of the run', async () => {
    const read = { chunks: 0 }
    const { execution } = await withRuns(
      { query: async () => ({ count: 1e9, meta: null, chunks: endless(read) }) },
      (runs) => runs.run('\n\nQueryBookings("C1")', { limits: { memoryBytes: 2 ** 20 } }),
    )
    assert.deepEqual(
      [execution?.error?.code, execution?.error?.limit, execution?.error?.line],
      ['JM5910', 'memoryBytes', 3],
    )
    assert.ok(read.chunks < 1000, `${read.chunks} chunks`)
  })

  it('counts towards the memory of the run until the script drops it', async () => {
    const chunks = () => [bytes(`{"a":"${'x'.repeat(100_000)}"}`)]
    const script = 'for i in 0 to 50 do QueryBookings("C1") end Data._payload = 1'
    const { execution } = await withRuns({ query: async () => ({ count: 1, meta: null, chunks }) }, (runs) =>
      runs.run(script, { limits: { memoryBytes: 2 ** 20 } }),
    )
    assert.equal(execution?.status, 'Success', JSON.stringify(execution?.error))
  })

  it('is cut off when the time of the run is over while it is read', async () => {
    const read = { chunks: 0 }
    const few = function* () {
      for (;;) {
        read.chunks++
        yield bytes(read.chunks > 1 ? ',1' : '1')
      }
    }
    const { execution } = await withRuns(
      { query: async () => ({ count: 1e9, meta: null, chunks: few }) },
      (runs) => runs.run('QueryBookings("C1")', { limits: { milliseconds: 50 } }),
    )
    assert.deepEqual([execution?.error?.code, execution?.error?.limit], ['JM5903', 'milliseconds'])
  })

  it('is not waited for when the time is over, and the query is cancelled', async () => {
    const told = Promise.withResolvers<unknown>()
    const query: QueryRecords = async (_, cancellation) => {
      while (!cancellation.aborted) await new Promise((resolve) => setTimeout(resolve, 5))
      told.resolve(cancellation.reason)
      throw cancellation.reason
    }
    const { execution } = await withRuns({ query }, (runs) =>
      runs.run('QueryBookings("C1")', { limits: { milliseconds: 50 } }),
    )
    assert.equal(execution?.error?.limit, 'milliseconds')
    assert.ok((await told.promise) instanceof Error)
  })

  const problems: readonly (readonly [problem: Error, message: string])[] = [
    [
      new QueryProblem(
        'QRY101',
        { parameter: '$filter', column: 5, input: 'a xx 1' },
        'Expected an operator',
      ),
      'QueryBookings: Invalid $filter at column 5: Expected an operator',
    ],
    [
      new QueryProblem('QRY301', { parameter: '$page' }, 'Expected a number'),
      'QueryBookings: Invalid $page: Expected a number',
    ],
    [new Problem('SRV201', 'The data is not ready yet'), 'QueryBookings: The data is not ready yet'],
    [
      new TypeError('x.y is not a function'),
      'QueryBookings failed in the service; the log of the service says why',
    ],
  ]
  for (const [problem, message] of problems) {
    it(`fails the script at the call: ${message}`, async () => {
      await withRuns({ query: () => Promise.reject(problem) }, async ({ run, observations }) => {
        const { response, execution } = await run('var a = 1\nvar b = QueryBookings("C1")')
        assert.equal(response.status, 500)
        const place = { line: 2, column: 9, limit: null }
        assert.deepEqual(execution?.error, { code: 'JM5920', message, ...place })
        const defects = observations.filter(({ kind }) => kind === 'script-defect')
        assert.equal(defects.length, problem instanceof Problem ? 0 : 1)
      })
    })
  }
})
