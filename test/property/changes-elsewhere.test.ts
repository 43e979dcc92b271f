/** The law of changes (`src/read/changes/changes.property.test.ts`) where snapshots are shared, and where they are in PostgreSQL. */
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { createMemoryEngine } from '../../src/engine/memory/memory-engine.ts'
import { openPostgresEngine } from '../../src/engine/postgres/postgres-engine.ts'
import { defaultQueryLimits } from '../../src/query/limits.ts'
import { followHistory } from '../../src/read/changes/testing/follow-history.ts'
import { arbitraryHistory, type Event, type State } from '../../src/read/changes/testing/histories.ts'
import { fileStepSource, stepsInStorage } from '../../src/snapshot/changes/stored-steps.ts'
import { openShared } from '../../src/snapshot/objects/open-shared.ts'
import { rollBackShared } from '../../src/snapshot/objects/stored-objects.ts'
import { type S3Server, startS3 } from '../../src/snapshot/objects/testing/s3-server.ts'
import { rollBackPlaced } from '../../src/snapshot/postgres/placed-operations.ts'
import { tableStepSource } from '../../src/snapshot/postgres/step-table.ts'
import { citusDatabase, citusUrl } from '../../src/snapshot/postgres/testing/citus-database.ts'
import { RecordDatabase } from '../../src/snapshot/postgres/testing/record-database.ts'
import { openInstallation, storages } from '../process/shared-installation.ts'

const observe = () => undefined

const one: State = {
  bookings: { A: { agency: 0, segments: 1, day: 0 }, Ä: { agency: 1, segments: 0, day: 1 } },
  invoices: { 'X/1': { terms: 0, day: 0 } },
  label: 'Cost',
  isKnown: true,
}
const two: State = {
  ...one,
  bookings: { A: { agency: 0, segments: 2, day: 0 }, B0: { agency: 1, segments: 0, day: 2 } },
  invoices: { 'X/1': { terms: 1, day: 2 }, 'Y/1': { terms: 0, day: 0 } },
}
const publish = (state: State): Event => ({ kind: 'publish', state })

/** Has every kind of event. */
const everything: readonly Event[] = [
  publish(one),
  { kind: 'kill', state: two },
  publish(two),
  { kind: 'roll-back' },
  publish({ ...two, label: 'Centre' }),
  { kind: 'repeat' },
  publish({ ...one, isKnown: false }),
  { kind: 'retire', keep: 1 },
  publish(one),
]

type Follow = (history: readonly Event[], choices: fc.Stream<number>) => Promise<void>

/** The history that has everything, and some random ones. */
async function checkHistories(follow: Follow): Promise<void> {
  const choices = fc.infiniteStream(fc.nat())
  await fc.assert(fc.asyncProperty(fc.constant(everything), choices, follow), { numRuns: 1 })
  await fc.assert(fc.asyncProperty(arbitraryHistory, choices, follow), { numRuns: 2, endOnFailure: true })
}

let s3: S3Server
before(async () => {
  s3 = await startS3()
  Object.assign(process.env, s3.env)
})
after(() => s3.stop())

describe('changes over any walk of tokens lead to the current records, byte for byte', () => {
  for (const [name, placeOf] of Object.entries(storages)) {
    it(`when snapshots are shared on ${name}`, async (t) => {
      await checkHistories(async (history, choices) => {
        const shared = await openInstallation(t, (root) => placeOf(s3, root))
        const { catalogue, data } = await shared.node()
        const { id: installation } = await shared.control.tenant()
        const index = shared.control.snapshots
        const parts = openShared({ location: shared.location, dataFolder: data, cacheBytes: 1e9 }, observe)
        const place = {
          deps: { catalogue, engine: createMemoryEngine(), limits: defaultQueryLimits, observe },
          steps: fileStepSource(async () => stepsInStorage(parts, installation)),
          begin: () => shared.destination().begin(),
          rollBack: () => rollBackShared({ ...parts, index, installation }, undefined, 'test'),
          // Objects of removed snapshots are collected at once: steps stay.
          retire: (keep: number) => shared.destination(0).removeOldSnapshots(keep),
          look: () => catalogue.refresh(),
        }
        await followHistory(place, history, choices).finally(() => parts.store.close())
      })
    })
  }

  const databases = { PostgreSQL: undefined, ...(citusUrl !== undefined && { Citus: citusUrl }) }
  for (const [name, cluster] of Object.entries(databases)) {
    it(`when records are in ${name}`, async () => {
      await checkHistories(async (history, choices) => {
        const database = cluster === undefined ? undefined : await citusDatabase(cluster)
        const records = await RecordDatabase.make(database)
        const engine = openPostgresEngine({ url: records.url, connections: 2, cpuMs: 60_000 })
        try {
          const catalogue = await records.catalogue()
          const { pool, destination } = records
          await followHistory(
            {
              deps: { catalogue, engine, limits: defaultQueryLimits, observe },
              steps: tableStepSource(pool),
              begin: () => destination.begin(),
              rollBack: () => rollBackPlaced(pool, undefined),
              retire: async (keep) => {
                // A refresh from before a rollback may remove nothing.
                await destination.begin()
                await destination.removeOldSnapshots(keep)
              },
              look: () => records.announceCurrent(catalogue),
            },
            history,
            choices,
          )
        } finally {
          await engine.close()
          await records.remove()
        }
      })
    })
  }
})
