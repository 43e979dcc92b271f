/**
 * The engine on PostgreSQL: compiles a plan to one statement, and sends the finished JSON that the tables of records hold. A
 * page with its total is one round trip. A whole collection comes in batches: ranges of row numbers when it is neither filtered
 * nor sorted, so that a slow reader holds no connection, and else from a cursor.
 */

import type { Cancellation } from '../../kernel/cancellation.ts'
import { TrialCache } from '../../kernel/trial-cache.ts'
import { sqlStateOf } from '../../postgres/problems.ts'
import type { Paging } from '../../query/ast.ts'
import { planKey } from '../../query/plan/plan-key.ts'
import type { QueryPlan } from '../../query/plan/plan-nodes.ts'
import { datasetsByName } from '../../schema/datasets.ts'
import type { PlacedData, PlacedSnapshot } from '../../snapshot/postgres/placed-data.ts'
import { isUnavailable, notReadableNow, snapshotRetired } from '../../snapshot/problems.ts'
import type { Engine, FinishedBatch, ResultSet } from '../engine.ts'
import { defaultGroupLimits, type GroupLimits } from '../group-set.ts'
import { aggregatePlaced } from './aggregate-placed.ts'
import { batchOf, joinedRows } from './batches.ts'
import { type Selection, selectionOf } from './selections.ts'
import { openRecordServer, type RecordServer, type ServerOptions } from './server.ts'
import { everyRecordStatement, pageStatement, rangeStatement } from './statements.ts'

export type PostgresEngine = Engine<PlacedSnapshot> & { readonly close: () => Promise<void> }

/** Records per batch of a whole collection. */
const BATCH_RECORDS = 256

/** Characters of plans whose totals are remembered. */
const TOTALS_WEIGHT = 1 << 20

export function openPostgresEngine(
  options: ServerOptions & { readonly groupLimits?: GroupLimits },
): PostgresEngine {
  const { groupLimits = defaultGroupLimits } = options
  const server = openRecordServer(options)
  /** A total of a plan never changes, because its data never does. */
  const totals = new TrialCache<number>(TOTALS_WEIGHT)
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
          const { total, count, batches } = await execute(plan, data, { server: told, totals, cancellation })
          const records = { kind: 'finished', batches } as const
          return { dataset, clientNumber, labels: data.labels, total, count, records } satisfies ResultSet
        },
        aggregate: (plan, cancellation) =>
          aggregatePlaced(plan, data, { server: told, groupLimits, cancellation }),
        remembers: () => false,
        hold: () => () => undefined,
      }
    },
    close: server.close,
  }
}

/** The server with failures as callers may see them, without its name. */
const tellingServer = (
  server: RecordServer,
  tell: (cause: unknown) => unknown,
): Pick<RecordServer, 'ask' | 'read'> => ({
  ask: (...asked) =>
    server.ask(...asked).catch((cause: unknown) => {
      throw tell(cause)
    }),
  read: async function* (...asked) {
    try {
      yield* server.read(...asked)
    } catch (cause) {
      throw tell(cause)
    }
  },
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

type Tools = {
  readonly server: Pick<RecordServer, 'ask' | 'read'>
  readonly totals: TrialCache<number>
  readonly cancellation: Cancellation | undefined
}

type Result = {
  readonly total: number
  readonly count: number
  readonly batches: () => Iterable<FinishedBatch> | AsyncIterable<FinishedBatch>
}

async function execute(plan: QueryPlan, data: PlacedData, tools: Tools): Promise<Result> {
  const selection = selectionOf(plan, data)
  const { where, orderBy, paging } = plan
  if (data.rows === 0) return present(0, null)
  const isPlain = where === null && orderBy.length === 0
  if (paging === null) {
    return isPlain ? wholeInRanges(data, selection, tools) : whole(plan, data, selection, tools)
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
function present(total: number, records: string | null): Result {
  if (records === null) return { total, count: 0, batches: () => [] }
  const batch = batchOf(records)
  return { total, count: batch.count, batches: () => [batch] }
}

async function page(
  plan: QueryPlan,
  data: PlacedData,
  selection: Selection,
  paging: Paging,
  { server, totals, cancellation }: Tools,
): Promise<Result> {
  const { where } = plan
  const key = `${data.version} ${where === null ? '' : planKey({ ...plan, orderBy: [], paging: null })}`
  const known = where === null ? data.rows : totals.get(key)
  if (known !== undefined && paging.offset >= known) return present(known, null)
  const found = await server.ask(pageStatement(selection, paging, known !== undefined), cancellation)
  const total = known ?? Number(found.total)
  if (where !== null) totals.keep(key, total, key.length)
  return present(total, found.records)
}

/** Without a filter and in the default order. */
function wholeInRanges(data: PlacedData, selection: Selection, { server, cancellation }: Tools): Result {
  const read = (from: number) =>
    server.ask(rangeStatement(data, selection, { from, to: from + BATCH_RECORDS }), cancellation)
  return {
    total: data.rows,
    count: data.rows,
    async *batches() {
      let next = read(0)
      for (let from = 0; from < data.rows; from += BATCH_RECORDS) {
        const { records } = await next
        // The server reads the next batch while this one is being written.
        if (from + BATCH_RECORDS < data.rows) {
          next = read(from + BATCH_RECORDS)
          next.catch(() => undefined)
        }
        if (records !== null) yield batchOf(records)
      }
    },
  }
}

/** Counts first, together with the records if they are few. */
async function whole(plan: QueryPlan, data: PlacedData, selection: Selection, tools: Tools): Promise<Result> {
  const first = await page(plan, data, selectionOf(plan, data), { offset: 0, limit: BATCH_RECORDS }, tools)
  if (first.total === first.count) return first
  return {
    total: first.total,
    count: first.total,
    async *batches() {
      const statement = everyRecordStatement(selection)
      for await (const rows of tools.server.read(statement, BATCH_RECORDS, tools.cancellation)) {
        yield batchOf(joinedRows(rows))
      }
    },
  }
}
