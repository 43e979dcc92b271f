/**
 * A second engine, for tests: it holds the records as plain objects, evaluates plans row by row, and returns rows in small
 * batches, each after a wait. It stands for an engine on a database: it has no finished bytes and no columns, and nothing in
 * it is synchronous.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Cancellation } from '../../kernel/cancellation.ts'
import { datasetsByName } from '../../schema/datasets.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { Engine, RecordRow } from '../engine.ts'
import { watchCancellation } from '../watched-cancellation.ts'
import { evaluatePlan } from './evaluate-plan.ts'
import { readRows, selectedRows } from './read-rows.ts'

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
        remembers: () => false,
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

async function* inBatches(
  rows: readonly RecordRow[],
  cancellation: Cancellation = new AbortController().signal,
): AsyncGenerator<readonly RecordRow[], void, undefined> {
  const { signal, release } = watchCancellation(cancellation)
  try {
    for (let from = 0; from < rows.length; from += BATCH_ROWS) {
      await nextTurn()
      signal.throwIfAborted()
      yield rows.slice(from, from + BATCH_ROWS)
    }
  } finally {
    release()
  }
}
