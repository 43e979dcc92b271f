/**
 * Tests whole requests over random extracts: writes rows to files, ingests and publishes them, sends random queries as text,
 * and compares every JSON answer with the naive evaluator over the same rows. A failure prints its seed: run again with
 * SEED set to it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { QueryProblem } from '../../src/kernel/problem.ts'
import type { Expr, ParsedQuery } from '../../src/query/ast.ts'
import { campaignSeed, repeated } from '../campaign.ts'
import { arbitraryExtract, arbitraryLargeExtract } from '../fixtures/arbitrary-extract.ts'
import { expectedLabels } from '../fixtures/expected-records.ts'
import type { ExtractTables } from '../fixtures/extract-rows.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import type { JsonRecord } from '../fixtures/json-record.ts'
import { queriedRecords } from '../fixtures/queried-records.ts'
import type { ExtractFormat } from '../fixtures/write-extract.ts'
import {
  arbitraryFilter,
  arbitraryLabelComparison,
  arbitraryOrderBy,
  arbitraryQuery,
  arbitrarySlips,
  pageOf,
} from './arbitrary-query.ts'
import { all, and, any, not, or } from './build-query.ts'
import { refusalOf, type Scope } from './naive-evaluator.ts'
import { expectedAnswer, parametersOf } from './query-parameters.ts'
import { type ServedExtract, serveExtract } from './serve-extract.ts'

const seed = campaignSeed

type Case = {
  readonly name: string
  readonly tables: ExtractTables
  readonly format: ExtractFormat
  /** How many queries the main property sends; the others send a fraction of it. */
  readonly queries: number
}

const cases: readonly Case[] = [
  { name: 'the fixture extract', tables: fixtureExtract, format: 'csv', queries: repeated(160, 1000) },
  ...fc.sample(arbitraryExtract(), { numRuns: repeated(3, 60), seed }).map(
    (tables, index): Case => ({
      name: `random extract ${index + 1}`,
      tables,
      format: index % 2 === 0 ? 'ndjson' : 'csv',
      queries: repeated(120, 1000),
    }),
  ),
  ...fc.sample(arbitraryLargeExtract(), { numRuns: 1, seed }).map(
    (tables): Case => ({
      name: 'a large random extract',
      tables,
      format: 'csv',
      queries: repeated(32, 400),
    }),
  ),
]

/** One client and one dataset: the names that its queries may use, and its records. */
type Subject = {
  readonly clientNumber: string
  readonly scope: Scope
  readonly records: readonly JsonRecord[]
}

for (const { name, tables, format, queries } of cases) {
  describe(`${name}, read from ${format}`, () => {
    const subjects = subjectsOf(tables)
    let served: ServedExtract
    before(async () => {
      served = await serveExtract(tables, format)
    })
    after(() => served.close())

    it('answers whole collections', async () => {
      for (const subject of subjects) await assertAnswer(subject, everything)
    })

    it('answers every query like the naive evaluator', async () => {
      await holdsFor(subjects, arbitraryQuery, queries, assertAnswer)
    })

    it('compares the texts of a label with a number as it is written', async () => {
      const labelled = subjects.filter(({ scope }) => scope.labels.length > 0)
      if (labelled.length === 0) return
      await holdsFor(labelled, arbitraryLabelComparison, queries, assertAnswer)
    })

    it('refuses exactly the queries with a literal that does not fit, or with an unknown label', async () => {
      await holdsFor(subjects, arbitrarySlips, queries / 2, async (subject, query) => {
        const refusal = refusalOf(query, subject.scope)
        if (refusal === null) return assertAnswer(subject, query)
        await assert.rejects(ask(subject.clientNumber, subject.scope, query), (problem) => {
          assert.ok(problem instanceof QueryProblem, String(problem))
          assert.match(problem.code, refusal === 'label' ? /^QRY335$/ : /^QRY(?:33[1-4]|520)$/)
          return true
        })
      })
    })

    it('gives the same answer and validator to a repeated query', async () => {
      await holdsFor(subjects, arbitraryQuery, queries / 8, async ({ clientNumber, scope }, query) => {
        assert.deepEqual(await ask(clientNumber, scope, query), await ask(clientNumber, scope, query))
      })
    })

    it('answers pages that together are the whole', async () => {
      await holdsFor(subjects, arbitraryPagedQuery, queries / 8, async ({ clientNumber, scope }, query) => {
        const pageSize = query.paging.limit
        const whole = await recordsOf(clientNumber, scope, { ...query, paging: null })
        const pages: string[] = []
        const last = Math.min(Math.ceil(whole.length / pageSize) + 1, 40)
        for (let page = 1; page <= last; page++) {
          pages.push(...(await recordsOf(clientNumber, scope, { ...query, paging: pageOf(page, pageSize) })))
        }
        assert.deepEqual(pages, whole.slice(0, last * pageSize))
      })
    })

    it('answers ne, nin and not with exactly the records that eq, in and the condition leave out', async () => {
      await holdsFor(subjects, arbitraryFilterOnly, queries / 4, async ({ clientNumber, scope }, query) => {
        const whole = await recordsOf(clientNumber, scope, everything)
        const found = await recordsOf(clientNumber, scope, query)
        const selected = new Set(found)
        const rest = whole.filter((record) => !selected.has(record))
        for (const filter of oppositesOf(query.filter)) {
          assert.deepEqual(await recordsOf(clientNumber, scope, { ...query, filter }), rest)
        }
      })
    })

    it("never answers another client's record", async () => {
      const everyone = [...new Set(subjects.map(({ clientNumber }) => clientNumber)), 'nobody']
      await holdsFor(subjects, arbitraryQuery, queries / 8, async ({ scope }, query) => {
        for (const asking of everyone) {
          const answered = await recordsOf(asking, scope, query).catch(refusedLabel)
          for (const record of answered) assert.equal(JSON.parse(record).clientNumber, asking)
        }
      })
    })

    async function assertAnswer(
      { clientNumber, scope, records }: Subject,
      query: ParsedQuery,
    ): Promise<void> {
      const { etag, ...answer } = await ask(clientNumber, scope, query)
      assert.match(etag, /^"[^"]+"$/)
      const expected = expectedAnswer(records, query, scope)
      if (JSON.stringify(answer) === JSON.stringify(expected)) return
      assert.deepEqual(answer, expected) // shows where the two differ
      assert.fail('The members of a record are in another order')
    }

    function ask(clientNumber: string, scope: Scope, query: ParsedQuery) {
      return served.ask(clientNumber, scope.dataset, parametersOf(query))
    }

    /** Each record as text, so that records can be compared. */
    async function recordsOf(
      clientNumber: string,
      scope: Scope,
      query: ParsedQuery,
    ): Promise<readonly string[]> {
      const { records } = await ask(clientNumber, scope, query)
      return records.map((record) => JSON.stringify(record))
    }
  })
}

/** A label of one client may be unknown to another, or ambiguous among the labels of that one. */
function refusedLabel(problem: unknown): readonly string[] {
  assert.ok(problem instanceof QueryProblem && /^(?:QRY202|QRY335)$/.test(problem.code), String(problem))
  return []
}

const everything: ParsedQuery = { filter: null, orderBy: [], paging: null, select: null }

function subjectsOf(tables: ExtractTables): readonly Subject[] {
  return tables.clients.flatMap(({ client_number }) => {
    const clientNumber = client_number ?? ''
    const labels = expectedLabels(tables, clientNumber)
    return (['bookings', 'invoices', 'itineraries'] as const).map((dataset) => ({
      clientNumber,
      scope: { dataset, labels },
      records: queriedRecords(tables, clientNumber, dataset),
    }))
  })
}

/** Draws a subject and a query for it. Prints a counterexample as a request. */
async function holdsFor<Query extends ParsedQuery>(
  subjects: readonly Subject[],
  arbitraryFor: (records: readonly JsonRecord[], scope: Scope) => fc.Arbitrary<Query>,
  numRuns: number,
  check: (subject: Subject, query: Query) => Promise<void>,
): Promise<void> {
  const requests = subjects.map((subject) =>
    arbitraryFor(subject.records, subject.scope).map((query) => ({
      subject,
      query,
      [fc.toStringMethod]: () => printRequest(subject, query),
    })),
  )
  await fc.assert(
    fc.asyncProperty(fc.oneof(...requests), ({ subject, query }) => check(subject, query)),
    { numRuns, seed },
  )
}

const printRequest = ({ clientNumber, scope }: Subject, query: ParsedQuery): string =>
  [`${scope.dataset} of ${clientNumber}`, ...parametersOf(query).map((pair) => pair.join('='))].join('\n  ')

const arbitraryFilterOnly = (records: readonly JsonRecord[], scope: Scope) =>
  fc.record({
    filter: arbitraryFilter(records, scope),
    orderBy: fc.constant([]),
    paging: fc.constant(null),
    select: fc.constant(null),
  })

const arbitraryPagedQuery = (records: readonly JsonRecord[], scope: Scope) =>
  fc.record({
    filter: fc.option(arbitraryFilter(records, scope)),
    orderBy: fc.oneof(fc.constant([]), arbitraryOrderBy(records, scope)),
    paging: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(500)).map((pageSize) => pageOf(1, pageSize)),
    select: fc.constant(null),
  })

/** Filters that must select exactly the records that the given filter leaves out. */
function oppositesOf(filter: Expr): readonly Expr[] {
  switch (filter.kind) {
    case 'compare':
      if (filter.operator === 'eq') return [not(filter), { ...filter, operator: 'ne' }]
      if (filter.operator === 'ne') return [not(filter), { ...filter, operator: 'eq' }]
      return [not(filter)]
    case 'in':
      return [not(filter), { ...filter, negated: !filter.negated }]
    case 'quantifier': {
      const { condition, collection } = filter
      if (condition === null) return [not(filter)]
      const other = filter.quantifier === 'any' ? all : any
      return [not(filter), other(collection, not(condition))]
    }
    case 'and':
      return [not(filter), or(...filter.operands.map(not))]
    case 'or':
      return [not(filter), and(...filter.operands.map(not))]
    case 'not':
      return [not(filter), filter.operand]
    case 'match':
      return [not(filter)]
  }
}
