/**
 * Tests the contract of src/engine/engine.ts for every engine. Compares the fixture extract with its expected records, and
 * random plans on random records with a row-by-row evaluation of the plan; checks that all engines return the same bytes in
 * every format. A failure prints its seed: set TRIPFOLIO_PROPERTY_SEED to it and run again.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import type { ClientData, Engine } from '../../src/engine/engine.ts'
import type { FinishedRows } from '../../src/engine/keyed-records.ts'
import { arbitraryQueries, labels } from '../../src/engine/memory/testing/arbitrary-queries.ts'
import { arbitraryShape } from '../../src/engine/testing/arbitrary-shapes.ts'
import { evaluatePlan } from '../../src/engine/testing/evaluate-plan.ts'
import { joined } from '../../src/engine/testing/joined-chunks.ts'
import { writable } from '../../src/engine/writers/write-records.ts'
import { compareCodePoints } from '../../src/kernel/text.ts'
import type { QueryPlan } from '../../src/query/plan/plan-nodes.ts'
import type { RecordShape } from '../../src/query/record-shape.ts'
import { type DatasetName, datasets, datasetsByName, type ListName } from '../../src/schema/datasets.ts'
import { type RecordFormat, recordFormats } from '../../src/schema/record-formats.ts'
import { keyMembers } from '../../src/snapshot/changes/step.ts'
import type { Snapshot } from '../../src/snapshot/snapshot.ts'
import { expectedLabels, expectedRecords } from '../fixtures/expected-records.ts'
import { expectedVersion1Records } from '../fixtures/expected-version-1.ts'
import { fixtureExtract, harbour, limmat, newcomer } from '../fixtures/fixture-extract.ts'
import { type ConformingEngine, engines } from './engines.ts'
import { publish, snapshotOf } from './snapshots.ts'

const seed = Number(process.env.TRIPFOLIO_PROPERTY_SEED ?? Math.floor(Math.random() * 0x7fffffff))
const clients = [harbour, limmat, newcomer]
const lists: readonly ListName[] = ['bookings', 'invoices', 'itineraries']

const everything = (dataset: DatasetName): QueryPlan => ({
  dataset,
  where: null,
  orderBy: [],
  paging: null,
  select: null,
})

async function bytesOf(data: ClientData, plan: QueryPlan, format: RecordFormat): Promise<Buffer> {
  return joined(writable(await data.execute(plan)).chunks(format, 1000))
}

/** The records as they are written. */
const textsOf = ({ json: { bytes, offsets, fronts }, rows: { ids, from, count } }: FinishedRows) =>
  Array.from({ length: count }, (_, i) => {
    const row = ids === null ? from + i : (ids[from + i] as number)
    const begin = offsets[row] as number
    const end = fronts === null ? offsets[row + 1] : begin + (fronts[row] as number)
    return `${Buffer.from(bytes).toString('utf8', begin, end)}${fronts === null ? '' : '}'}`
  })

let published: Awaited<ReturnType<typeof publish>>
let snapshot: Snapshot
before(async () => {
  published = await publish(fixtureExtract)
  snapshot = published.snapshot
})
after(() => published.close())

for (const engine of engines) {
  const { name, create, records: form, remembersSelections } = engine

  describe(`the ${name} engine`, () => {
    const { check, unmet } = checkedBy(engine)

    check('opens the data of a client with its labels, its version and its origin', async () => {
      const versions = new Set<string>()
      for (const clientNumber of [harbour, limmat]) {
        for (const list of lists) {
          const opened = await create().open(snapshot, clientNumber, list)
          assert.deepEqual(opened.labels, expectedLabels(fixtureExtract, clientNumber))
          assert.deepEqual([opened.snapshotId, opened.extractedAt], [snapshot.id, snapshot.extractedAt])
          assert.equal((await create().open(snapshot, clientNumber, list)).version, opened.version)
          versions.add(opened.version)
        }
      }
      // Itineraries and bookings are the same data.
      assert.equal(versions.size, 4)
    })

    check('has no records and no labels for a client that the snapshot does not know', async () => {
      const opened = await create().open(snapshot, 'nobody', 'invoices')
      const { total, count } = await opened.execute(everything('invoices'))
      assert.deepEqual([opened.labels, total, count], [[], 0, 0])
      assert.equal(String(await bytesOf(opened, everything('invoices'), 'json')), '')
    })

    for (const list of lists) {
      check(`returns the ${list} of every client as they are in the extract, in both versions`, async () => {
        for (const clientNumber of clients) {
          const expected = [
            [list, expectedRecords(fixtureExtract, clientNumber, list)],
            [`${list}-v1`, expectedVersion1Records(fixtureExtract, clientNumber, list)],
          ] as const
          for (const [dataset, records] of expected) {
            const data = await create().open(snapshot, clientNumber, dataset)
            const texts = records.map((record) => JSON.stringify(record))
            const { total, count } = await data.execute(everything(dataset))
            assert.deepEqual([total, count], [texts.length, texts.length])
            assert.equal(String(await bytesOf(data, everything(dataset), 'json')), texts.join(','))
            assert.equal(
              String(await bytesOf(data, everything(dataset), 'ndjson')),
              texts.map((text) => `${text}\n`).join(''),
            )
          }
        }
      })
    }

    for (const dataset of Object.keys(datasetsByName) as DatasetName[]) {
      check(`writes ${dataset} as the same bytes as every other engine, in every format`, async () => {
        for (const clientNumber of clients) {
          const outcomes = await Promise.all(
            [create(), ...engines.map((other) => other.create())].map((each) =>
              outcomesOf(each, snapshot, clientNumber, dataset),
            ),
          )
          for (const outcome of outcomes) assert.deepEqual(outcome, outcomes[0])
        }
      })
    }

    for (const { dataset, row, query } of arbitraryQueries) {
      const selections: readonly ListName[] = dataset === 'itineraries' ? [dataset, 'bookings'] : [dataset]
      for (const list of selections) {
        check(
          `gives of ${list} exactly the selected members, with the bytes of every other engine, in every format`,
          async () => {
            const asked = fc.record({ query, select: arbitraryShape(list, labels) })
            const property = fc.asyncProperty(
              fc.array(row, { maxLength: 20 }),
              fc.array(asked, { minLength: 1, maxLength: 3 }),
              async (given, questions) => {
                const { snapshot: random } = snapshotOf(datasets[list].stored, given, labels)
                const opened = await Promise.all(
                  [create(), ...engines.map((other) => other.create())].map((each) =>
                    each.open(random, 'C1', list),
                  ),
                )
                const [data] = opened as [ClientData]
                for (const { query: of, select } of questions) {
                  const where = list === dataset ? of.where : null
                  const plan: QueryPlan = { ...of, dataset: list, where, select }
                  const whole = parsed(await bytesOf(data, { ...plan, select: null }, 'json'))
                  const found = parsed(await bytesOf(data, plan, 'json'))
                  assert.deepEqual(
                    found.map((record) => specified(record, list)),
                    whole.map((record) => selected(record, list, select)),
                  )
                  for (const format of recordFormats) {
                    const [bytes, ...others] = await Promise.all(
                      opened.map((each) => bytesOf(each, plan, format)),
                    )
                    for (const other of others) assert.ok(bytes?.equals(other), format)
                  }
                }
              },
            )
            await fc.assert(property, { numRuns: 15, seed })
          },
        )
      }

      check(
        `selects, orders and pages ${dataset} like a row-by-row evaluation, in every format`,
        async () => {
          const property = fc.asyncProperty(
            fc.array(row, { maxLength: 40 }),
            fc.array(query, { minLength: 1, maxLength: 4 }),
            async (given, queries) => {
              const { snapshot: random, rows } = snapshotOf(datasets[dataset].stored, given, labels)
              const data = await create().open(random, 'C1', dataset)
              const others = await Promise.all(
                engines.map((other) => other.create().open(random, 'C1', dataset)),
              )
              for (const asked of queries) {
                const expected = evaluatePlan(rows, asked)
                const { total, count } = await data.execute({ dataset, ...asked })
                assert.deepEqual([total, count], [expected.total, expected.page.length])
                for (const format of recordFormats) {
                  const bytes = await bytesOf(data, { dataset, ...asked }, format)
                  for (const other of others) {
                    assert.ok(bytes.equals(await bytesOf(other, { dataset, ...asked }, format)), format)
                  }
                }
              }
            },
          )
          await fc.assert(property, { numRuns: 25, seed })
        },
      )
    }

    for (const list of lists) {
      check(`finds ${list} by their identity, and reads them in any order`, async () => {
        const members = keyMembers[datasets[list].stored]
        for (const clientNumber of clients) {
          const texts = expectedRecords(fixtureExtract, clientNumber, list).map((each) =>
            JSON.stringify(each),
          )
          const keys = texts.map((text) => members.map((name) => String(JSON.parse(text)[name])))
          const keyed = (await create().open(snapshot, clientNumber, list)).keyed()
          const rows = [...(await keyed.rowsByKey())]
          assert.deepEqual(
            rows.map((row) => keys[row]),
            keys.toSorted((one, other) => compareCodePoints(one.join('\0'), other.join('\0'))),
          )
          const absent = [members.map(() => ''), ...keys.map((key) => key.map((text) => text.toLowerCase()))]
          const wanted = [...keys.toReversed(), ...absent]
          const rowOf = (key: readonly string[]) => keys.findIndex((own) => own.join() === key.join())
          assert.deepEqual(await keyed.rowsOf(wanted), wanted.map(rowOf))
          const read = await keyed.read(rows)
          assert.deepEqual(
            textsOf(read),
            rows.map((row) => texts[row]),
          )
          assert.deepEqual(textsOf(await keyed.read([])), [])
        }
      })
    }

    check(
      'returns records in the form of its row, and remembers selections only if its row says so',
      async () => {
        const data = await create().open(snapshot, harbour, 'bookings')
        const plan = { ...everything('bookings'), paging: { offset: 0, limit: 1 } }
        assert.equal(data.remembers(plan), false)
        const { records } = await data.execute(plan)
        assert.equal(records.kind, form)
        assert.equal(data.remembers(plan), remembersSelections)
        assert.equal(data.remembers({ ...plan, paging: { offset: 1, limit: 1 } }), remembersSelections)
      },
    )

    check(
      'stops with the reason when the request is cancelled, unless it has returned everything by then',
      async () => {
        const data = await create().open(snapshot, harbour, 'itineraries')
        const cancellation = new AbortController()
        const result = await data.execute(everything('itineraries'), cancellation.signal)
        const reason = new Error('The caller left')
        cancellation.abort(reason)
        const written = joined(writable(result).chunks('ndjson', 1))
        if (result.records.kind === 'encoded')
          assert.equal(String(await written).split('\n').length, result.count + 1)
        else await assert.rejects(written, reason)
      },
    )

    check('refuses a plan that names columns of another dataset', async () => {
      const data = await create().open(snapshot, harbour, 'bookings')
      const column = { kind: 'field', name: 'invoiceNumber', type: 'text' } as const
      const where = { kind: 'is-null', column } as const
      await assert.rejects(data.execute({ ...everything('bookings'), where }), /column 'invoiceNumber'/)
    })

    it('diverges in no other case', () => assert.deepEqual([...unmet], []))
  })
}

/** Runs the cases of an engine. A case in which it diverges must fail. */
function checkedBy({ divergences }: ConformingEngine) {
  /** Divergences whose case has not been run yet. */
  const unmet = new Set(divergences.flatMap(({ cases }) => cases))
  const check = (title: string, run: () => Promise<void>): void => {
    if (unmet.delete(title)) it(`diverges: ${title}`, () => assert.rejects(run))
    else it(title, run)
  }
  return { check, unmet }
}

type JsonRecord = Readonly<Record<string, unknown>>

const parsed = (json: Buffer): readonly JsonRecord[] => JSON.parse(`[${json}]`)

/** The members of a whole record that are selected, in their order. */
function selected(
  record: JsonRecord,
  list: ListName,
  { fields, labels: own, collections }: RecordShape,
): string {
  const names = new Set<string>(fields.map(({ name }) => name))
  if (own !== null) names.add('customDataFields')
  const { nested } = datasets[list]
  const chosen = collections.find(({ name }) => name === nested?.name)
  const base = chosen?.fields.filter((field) => nested?.fields.includes(field)).map(({ name }) => name)
  if (chosen !== undefined) names.add(chosen.name)
  const members = Object.entries(record).filter(([name]) => names.has(name))
  return JSON.stringify(
    members.map(([name, value]) => {
      if (name === 'customDataFields')
        return [name, own === 'all' ? value : picked(value as JsonRecord, own ?? [])]
      if (name !== chosen?.name) return [name, value]
      return [name, (value as readonly JsonRecord[]).map((element) => picked(element, base ?? []))]
    }),
  )
}

const picked = (object: JsonRecord, names: readonly string[]): JsonRecord =>
  Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)))

/** The members of a record, and of its elements, that whole records have. */
function specified(record: JsonRecord, list: ListName): string {
  const { record: shape, nested } = datasets[list]
  return JSON.stringify(
    Object.entries(record)
      .filter(([name]) => name in shape.properties)
      .map(([name, value]) => [
        name,
        name === nested?.name
          ? (value as readonly JsonRecord[]).map((element) =>
              picked(element, nested?.fields.map((field) => field.name) ?? []),
            )
          : value,
      ]),
  )
}

/** For every format, the bytes in hexadecimal or the error. */
async function outcomesOf(
  engine: Engine<Snapshot>,
  snapshot: Snapshot,
  clientNumber: string,
  dataset: DatasetName,
): Promise<readonly string[]> {
  const data = await engine.open(snapshot, clientNumber, dataset)
  return Promise.all(
    recordFormats.map((format) =>
      bytesOf(data, everything(dataset), format).then(
        (bytes) => bytes.toString('hex'),
        (cause: unknown) => String(cause),
      ),
    ),
  )
}
