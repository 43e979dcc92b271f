/** For tests: the engine on PostgreSQL over snapshots of a data folder. What is opened is copied into the database first. */
import { after } from 'node:test'
import { testDatabase } from '../../../postgres/testing/postgres-server.ts'
import { datasetsByName } from '../../../schema/datasets.ts'
import type { Partition } from '../../../snapshot/partition.ts'
import type { PlacedData } from '../../../snapshot/postgres/placed-data.ts'
import { citusDatabase, citusUrl } from '../../../snapshot/postgres/testing/citus-database.ts'
import { openPlacedRecords } from '../../../snapshot/postgres/testing/placed-records.ts'
import type { Snapshot } from '../../../snapshot/snapshot.ts'
import type { Engine } from '../../engine.ts'
import { openPostgresEngine } from '../postgres-engine.ts'

type Opened = Awaited<ReturnType<typeof openOn>>

/** One engine per process and kind of server, opened when it is first used. */
export function createPlacingEngine(server: 'postgres' | 'citus'): () => Engine<Snapshot> {
  let opened: Promise<Opened> | undefined
  after(async () => (await opened)?.close())
  const open = () => {
    opened ??= openOn(server)
    return opened
  }
  return () => ({
    open: async (snapshot, clientNumber, dataset) =>
      (await open()).engine.open(snapshot, clientNumber, dataset),
  })
}

async function openOn(server: 'postgres' | 'citus') {
  const { url, drop } = server === 'postgres' ? await testDatabase() : await citusDatabase(citusUrl as string)
  const records = await openPlacedRecords(url, server === 'citus')
  const onServer = openPostgresEngine({
    ...{ url, connections: 4, cpuMs: Infinity },
    // The first question has daily counts read, so that later ones are answered from there.
    questionsBeforeReading: 0,
  })
  const placed = new WeakMap<Partition, Promise<PlacedData>>()
  const engine: Engine<Snapshot> = {
    open: async (snapshot, client, dataset) => {
      const { partition, snapshotId, extractedAt } = await snapshot.partition(
        client,
        datasetsByName[dataset].stored,
      )
      const known = placed.get(partition) ?? records.place(partition)
      placed.set(partition, known)
      const data = await onServer.open({ id: snapshotId, extractedAt, placed: () => known }, client, dataset)
      return { ...data, version: partition.version }
    },
  }
  const close = async () => {
    await onServer.close()
    await records.close()
    // The server of a test file that runs alone has ended by now.
    await drop().catch(() => undefined)
  }
  return { engine, close }
}
