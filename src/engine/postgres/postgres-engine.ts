/**
 * The engine on PostgreSQL: compiles a plan to one statement, and sends the finished JSON that the tables of records hold, or the
 * values of the selected members. A page with its total is one round trip. A whole collection comes in batches
 * (`whole-collections.ts`).
 */

import type { Cancellation } from '../../kernel/cancellation.ts'
import { sqlStateOf } from '../../postgres/problems.ts'
import type { Paging } from '../../query/ast.ts'
import type { QueryPlan } from '../../query/plan/plan-nodes.ts'
import { datasetsByName } from '../../schema/datasets.ts'
import type { PlacedData, PlacedSnapshot } from '../../snapshot/postgres/placed-data.ts'
import { isUnavailable, notReadableNow, snapshotRetired } from '../../snapshot/problems.ts'
import type { Engine, FinishedBatch, RecordKind, ResultSet } from '../engine.ts'
import { defaultGroupLimits, type GroupLimits } from '../group-set.ts'
import { aggregatePlaced } from './aggregation/aggregate-placed.ts'
import { batchOf, recordsIn } from './batches.ts'
import { keyedRows } from './keyed-rows.ts'
import { readPage } from './pages.ts'
import { selectedRows } from './selected-records.ts'
import { type Selection, selectionOf } from './selections.ts'
import { openRecordServer, type RecordServer, type ServerOptions } from './server.ts'
import { rangeStatement } from './statements.ts'
import { RememberedTotals } from './totals/remembered-totals.ts'
import { batchRecords, inRanges, remaining } from './whole-collections.ts'

export type PostgresEngine = Engine<PlacedSnapshot> & { readonly close: () => Promise<void> }

export function openPostgresEngine(
  options: ServerOptions & {
    readonly groupLimits?: GroupLimits
    /** How many questions the database counts before daily counts are read for them. */
    readonly questionsBeforeReading?: number
  },
): PostgresEngine {
  const { groupLimits = defaultGroupLimits, questionsBeforeReading } = options
  const server = openRecordServer(options)
  const totals = new RememberedTotals(server, questionsBeforeReading)
  return {
    open: async (snapshot, clientNumber, dataset) => {
      const { stored } = datasetsByName[dataset]
      const data = (await snapshot.placed(clientNumber, stored)) ?? nothing(clientNumber, stored)
      const told = tellingServer(server, (cause) => {
        if (isUnavailable(cause)) return notReadableNow(`The ${stored} of client '${clientNumber}'`, cause)
        // The tables of a snapshot are dropped after it was removed.
        return sqlStateOf(cause) === UNDEFINED_TABLE
          ? snapshotRetired(snapshot.id, clientNumber, stored)
          : cause
      })
      return {
        version: data.version,
        labels: data.labels,
        snapshotId: snapshot.id,
        extractedAt: snapshot.extractedAt,
        execute: async (plan, cancellation) => {
          const kind = { dataset, clientNumber, labels: data.labels, shape: plan.select }
          const { total, count, texts } = await execute(plan, data, { server: told, totals, cancellation })
          return { ...kind, total, count, records: recordsOf(texts, kind) } satisfies ResultSet
        },
        aggregate: (plan, cancellation) =>
          aggregatePlaced(plan, data, { server: told, groupLimits, cancellation }),
        keyed: () => keyedRows(dataset, data, told),
        remembers: () => false,
        hold: () => () => undefined,
      }
    },
    close: async () => {
      await totals.close()
      await server.close()
    },
  }
}

/** The server with failures as callers may see them, without its name. */
const tellingServer = (server: RecordServer, tell: (cause: unknown) => unknown): Asked => ({
  ask: (...asked) =>
    server.ask(...asked).catch((cause: unknown) => {
      throw tell(cause)
    }),
})

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: undefined_table */
const UNDEFINED_TABLE = '42P01'

/** A client that the snapshot does not know. */
const nothing = (clientNumber: string, stored: PlacedData['stored']): PlacedData => ({
  clientNumber,
  stored,
  version: 'empty',
  labels: [],
  generation: 0,
  rows: 0,
  elements: 0,
})

type Asked = Pick<RecordServer, 'ask'>

type Tools = {
  readonly server: Asked
  readonly totals: RememberedTotals
  readonly cancellation: Cancellation | undefined
}

type Result = {
  readonly total: number
  readonly count: number
  readonly texts: Texts
}

/** The texts of the batches of a result, as statements return them. */
type Texts = () => Iterable<Buffer> | AsyncIterable<Buffer>

/** Finished JSON of whole records, or rows of the selected values. */
function recordsOf(texts: Texts, kind: RecordKind): ResultSet['records'] {
  if (kind.shape !== null) {
    return {
      kind: 'rows',
      async *batches() {
        for await (const text of texts()) yield selectedRows(kind, text)
      },
    }
  }
  return {
    kind: 'finished',
    batches: () => {
      const found = texts()
      return Symbol.asyncIterator in found ? lateBatches(found) : Array.from(found, batchOf)
    },
  }
}

async function* lateBatches(texts: AsyncIterable<Buffer>): AsyncGenerator<FinishedBatch, void, undefined> {
  for await (const text of texts) yield batchOf(text)
}

async function execute(plan: QueryPlan, data: PlacedData, tools: Tools): Promise<Result> {
  const selection = selectionOf(plan, data)
  const { where, orderBy, paging } = plan
  if (data.rows === 0) return present(0, null)
  const isPlain = where === null && orderBy.length === 0
  if (paging === null) {
    return isPlain ? unfiltered(plan, data, selection, tools) : whole(plan, data, tools)
  }
  if (!isPlain) return page(plan, data, selection, paging, tools)
  const from = Math.min(paging.offset, data.rows)
  const to = Math.min(from + paging.limit, data.rows)
  if (from === to) return present(data.rows, null)
  const { records } = await tools.server.ask(
    rangeStatement(data, selection, { from, to }),
    tools.cancellation,
  )
  return present(data.rows, records)
}

/** A result that is in memory. */
const present = (total: number, records: Buffer | null): Result =>
  records === null
    ? { total, count: 0, texts: () => [] }
    : { total, count: recordsIn(records), texts: () => [records] }

async function page(
  plan: QueryPlan,
  data: PlacedData,
  selection: Selection,
  paging: Paging,
  { server, totals, cancellation }: Tools,
): Promise<Result> {
  const { where } = plan
  const { known, keep } = totals.of(plan, data)
  if (known !== undefined && paging.offset >= known) return present(known, null)
  const wanted = { where, selection, paging, known, rows: data.rows }
  const { total, records } = await readPage(wanted, (statement) => server.ask(statement, cancellation))
  keep(total)
  return present(total, records)
}

/** Without a filter and in the default order. */
const unfiltered = (
  plan: QueryPlan,
  data: PlacedData,
  selection: Selection,
  { server, cancellation }: Tools,
): Result => ({
  total: data.rows,
  count: data.rows,
  texts: () => inRanges(plan, data, selection, (statement) => server.ask(statement, cancellation)),
})

/** Counts first, together with the first records, and reads on where there are more. */
async function whole(plan: QueryPlan, data: PlacedData, tools: Tools): Promise<Result> {
  const { server, cancellation } = tools
  const read = { offset: 0, limit: batchRecords(plan, data) }
  const first = await page(plan, data, selectionOf(plan, data), read, tools)
  const { total } = first
  if (total === first.count) return first
  return {
    total,
    count: total,
    async *texts() {
      yield* first.texts()
      const rest = { from: first.count, total }
      yield* remaining(plan, data, rest, (statement) => server.ask(statement, cancellation))
    },
  }
}
