/**
 * A second engine, for tests: it holds the records as plain objects, evaluates plans row by row, and returns rows in small
 * batches, each after a wait. It stands for an engine on a database: it has no finished bytes and no columns, and nothing in
 * it is synchronous.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Cancellation } from '../../kernel/cancellation.ts'
import { compareCodePoints } from '../../kernel/text.ts'
import { datasetsByName, type StoredName, type Version2Stored } from '../../schema/datasets.ts'
import { keyMembers } from '../../snapshot/changes/step.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { Engine, RecordKind, RecordRow } from '../engine.ts'
import { checkGroups, defaultGroupLimits } from '../group-set.ts'
import type { KeyedRecords } from '../keyed-records.ts'
import { throwIfCancelled } from '../watched-cancellation.ts'
import { encodeRows } from '../writers/encode-rows.ts'
import { evaluateAggregation } from './evaluate-aggregation.ts'
import { evaluatePlan } from './evaluate-plan.ts'
import { type HeldRow, readRows, selectedRows } from './read-rows.ts'

/** Does not divide any of the sizes that writers count in. */
const BATCH_ROWS = 7

export function createRowsEngine(): Engine<Snapshot> {
  return {
    open: async (snapshot, clientNumber, dataset) => {
      const { stored } = datasetsByName[dataset]
      const { partition, snapshotId, extractedAt, hold } = await snapshot.partition(clientNumber, stored)
      const { version, labels } = partition
      const rows = readRows(partition, dataset)
      return {
        version,
        labels,
        snapshotId,
        extractedAt,
        hold,
        keyed: () => keyedByScan(rows, partition.stored, { dataset, clientNumber, labels, shape: null }),
        remembers: () => false,
        aggregate: async (plan, cancellation) => {
          await nextTurn()
          if (cancellation?.aborted) throw cancellation.reason
          const found = evaluateAggregation(rows, plan)
          checkGroups({ groups: found.total, members: 0, distinct: 0 }, defaultGroupLimits)
          return { dataset, clientNumber, ...found }
        },
        execute: async (plan, cancellation) => {
          const { total, page } = evaluatePlan(rows, plan)
          const shape = plan.select
          const selected = selectedRows(page, { dataset, labels, shape })
          const batches = () => inBatches(selected, cancellation)
          const records = { kind: 'rows', batches } as const
          return { dataset, clientNumber, labels, shape, total, count: page.length, records }
        },
      }
    },
  }
}

/** Finds identities by looking at every row. */
function keyedByScan(rows: readonly HeldRow[], stored: StoredName, of: RecordKind): KeyedRecords {
  const { fields } = datasetsByName[of.dataset]
  const places = keyMembers[stored as Version2Stored].map((name) =>
    fields.findIndex((field) => field.name === name),
  )
  const keys = rows.map(({ row }) => places.map((place) => String(row.values[place])))
  return {
    rowsByKey: async () =>
      Int32Array.from(rows.keys()).sort((one, other) => {
        const orders = keys[one]?.map((text, i) => compareCodePoints(text, keys[other]?.[i] ?? ''))
        return orders?.find((order) => order !== 0) ?? 0
      }),
    rowsOf: async (wanted) =>
      wanted.map((key) => keys.findIndex((own) => own.every((text, i) => text === key[i]))),
    read: async (wanted) => {
      await nextTurn()
      const own = wanted.map((row) => (rows[row] as HeldRow).row)
      const { collection, rows: numbers } = encodeRows(own, of)
      return { json: collection.json, rows: numbers }
    },
  }
}

async function* inBatches(
  rows: readonly RecordRow[],
  cancellation: Cancellation | undefined,
): AsyncGenerator<readonly RecordRow[], void, undefined> {
  for (let from = 0; from < rows.length; from += BATCH_ROWS) {
    await nextTurn()
    throwIfCancelled(cancellation)
    yield rows.slice(from, from + BATCH_ROWS)
  }
}
