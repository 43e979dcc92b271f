/**
 * A second engine, for tests: it holds the records as plain objects, answers plans row by row, and gives rows in small
 * batches, each after a wait. It stands for an engine over a database: nothing of it is finished bytes, columns or
 * synchronous.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parseDate, parseMinute } from '../../kernel/calendar.ts'
import type { Cancellation } from '../../kernel/cancellation.ts'
import { parseDecimal, scaledExactly } from '../../kernel/decimal.ts'
import { type Dataset, type DatasetName, datasetsByName } from '../../schema/datasets.ts'
import type { Field, FieldType, FieldValue } from '../../schema/field.ts'
import type { Partition } from '../../snapshot/partition.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { Engine, RecordRow } from '../engine.ts'
import { watchCancellation } from '../watched-cancellation.ts'
import { evaluatePlan, type PlainRow } from './evaluate-plan.ts'

/** No divisor of anything that writers count in. */
const BATCH_ROWS = 7

export function createRowsEngine(): Engine<Snapshot> {
  return {
    capabilities: { encodedRecords: false, remembersSelections: false },
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
          const batches = () => inBatches(page, cancellation)
          const records = { kind: 'rows', batches } as const
          return { dataset, clientNumber, labels, total, count: page.length, records }
        },
      }
    },
  }
}

type HeldRow = PlainRow & { readonly row: RecordRow }

async function* inBatches(
  rows: readonly HeldRow[],
  cancellation: Cancellation = new AbortController().signal,
): AsyncGenerator<readonly RecordRow[], void, undefined> {
  const { signal, release } = watchCancellation(cancellation)
  try {
    for (let from = 0; from < rows.length; from += BATCH_ROWS) {
      await nextTurn()
      signal.throwIfAborted()
      yield rows.slice(from, from + BATCH_ROWS).map(({ row }) => row)
    }
  } finally {
    release()
  }
}

/** What the finished JSON of the records says: neither columns nor offsets within a record are looked at. */
function readRows({ records, labels }: Partition, dataset: DatasetName): readonly HeldRow[] {
  const { bytes, offsets } = records
  const texts = Buffer.from(bytes)
  return Array.from({ length: offsets.length - 1 }, (_, row) =>
    heldRow(
      JSON.parse(texts.toString('utf8', offsets[row], offsets[row + 1])),
      datasetsByName[dataset],
      labels,
    ),
  )
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }
type JsonObject = { readonly [name: string]: Json }

function heldRow(record: JsonObject, dataset: Dataset, labels: readonly string[]): HeldRow {
  const { fields, nested } = dataset
  const found = (record.customDataFields ?? {}) as Record<string, string>
  const custom = labels.map((label) => (Object.hasOwn(found, label) ? (found[label] ?? null) : null))
  const values = valuesOf(record, fields)
  const elements = ((nested === null ? [] : record[nested.name]) as readonly JsonObject[]).map((element) =>
    valuesOf(element, nested?.fields ?? []),
  )
  return {
    fields: named(fields, values),
    custom: Object.fromEntries(labels.map((label, i) => [label, custom[i] ?? null])),
    elements: elements.map((element) => named(nested?.fields ?? [], element)),
    row: { values, custom, elements, lists: listsOf(record, dataset) },
  }
}

const named = (fields: readonly Field[], values: readonly FieldValue[]) =>
  Object.fromEntries(fields.map(({ name }, i) => [name, values[i] ?? null]))

const valuesOf = (object: JsonObject, fields: readonly Field[]): readonly FieldValue[] =>
  fields.map(({ name, type }) => {
    const value = object[name] ?? null
    return value === null ? null : readers[type](String(value))
  })

const readers: { readonly [T in FieldType]: (text: string) => FieldValue } = {
  text: (text) => text,
  date: (text) => known(parseDate(text)),
  minute: (text) => known(parseMinute(text)),
  boolean: (text) => text === 'true',
  integer: Number,
  decimal: (text) => known(scaledExactly(known(parseDecimal(text)))),
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('A stored value cannot be read')
  return value
}

/** Members that are neither fields nor anything that queries reach. */
function listsOf(record: JsonObject, dataset: Dataset): readonly string[] {
  const reached = new Set([
    ...dataset.fields.map(({ name }) => name),
    dataset.nested?.name,
    'customDataFields',
  ])
  return Object.keys(dataset.record.properties)
    .filter((name) => !reached.has(name))
    .map((name) => JSON.stringify(record[name]))
}
