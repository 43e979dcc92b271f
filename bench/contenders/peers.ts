/**
 * Starts the peers as contenders: Fastify + node:sqlite and Fastify + PostgreSQL. They are filled with Tripfolio's exports of
 * the large and the small client, and keep their data for the next run. When PostgreSQL cannot be started, a note says so.
 */
import { hash } from 'node:crypto'
import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dataset } from '../dataset.ts'
import { bookingRows, type TableRows } from '../peers/booking-rows.ts'
import { loadPostgres } from '../peers/load-postgres.ts'
import { loadSqlite } from '../peers/load-sqlite.ts'
import type { Peers } from '../workload.ts'
import { addressOf, startScript } from './child.ts'
import { startPostgres } from './postgres-process.ts'
import type { Server } from './server.ts'
import { startTripfolio } from './tripfolio.ts'

/** Changes whenever the tables change, so that they are filled again. */
const LAYOUT = 1

export type RunningPeers = Peers & { readonly stop: () => Promise<void> }

export async function startPeers(dataset: Dataset): Promise<RunningPeers> {
  let rows: Promise<readonly TableRows[]> | undefined
  const source = {
    dataset,
    mark: `layout ${LAYOUT} of ${dataset.folder}`,
    rows: () => (rows ??= exportRows(dataset)),
  }
  const sqlite = await startSqlite(source)
  try {
    const postgres = await startPostgresPeer(source)
    return {
      servers: [sqlite, ...postgres.servers],
      notes: postgres.notes,
      stop: async () => {
        await Promise.all([sqlite.stop(), postgres.stop()])
      },
    }
  } catch (error) {
    await sqlite.stop()
    throw error
  }
}

type Source = {
  readonly dataset: Dataset
  readonly mark: string
  readonly rows: () => Promise<readonly TableRows[]>
}

async function exportRows(dataset: Dataset): Promise<readonly TableRows[]> {
  const { large, small } = dataset
  const tripfolio = await startTripfolio(dataset)
  try {
    return [
      await bookingRows(tripfolio.address, large, 0),
      await bookingRows(tripfolio.address, small, large.bookings),
    ]
  } finally {
    await tripfolio.stop()
  }
}

async function startSqlite({ dataset, mark, rows }: Source): Promise<Server> {
  const file = join(dataset.folder, `bench-peer-${LAYOUT}.sqlite`)
  if (!(await exists(`${file}.ready`))) {
    process.stderr.write(`bench: filling ${file}\n`)
    await loadSqlite(file, await rows())
    await writeFile(`${file}.ready`, mark)
  }
  return startPeer('fastify + sqlite', 'sqlite-server.ts', { file }, dataset, [])
}

async function startPostgresPeer(source: Source): Promise<RunningPeers> {
  try {
    return await startWithPostgres(source)
  } catch (error) {
    return {
      servers: [],
      notes: [`PostgreSQL could not be started: ${String(error)}`],
      stop: async () => undefined,
    }
  }
}

async function startWithPostgres({ dataset, mark, rows }: Source): Promise<RunningPeers> {
  const postgres = await startPostgres()
  try {
    const notes = await loadPostgres(postgres.config, mark, rows)
    const given = { database: postgres.config }
    const app = await startPeer('fastify + postgresql', 'postgres-server.ts', given, dataset, postgres.pids)
    const uncounted =
      postgres.pids.length === 0 ? ['The processor time of PostgreSQL itself is not counted.'] : []
    return {
      servers: [app],
      notes: [...notes, ...uncounted],
      stop: async () => {
        await app.stop()
        await postgres.stop()
      },
    }
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

async function startPeer(
  name: string,
  script: string,
  given: object,
  { large, small }: Dataset,
  databasePids: readonly number[],
): Promise<Server> {
  const began = performance.now()
  const accounts = Object.fromEntries(
    [large, small].map(({ apiKey, clientNumber }) => [hash('sha256', apiKey, 'hex'), clientNumber]),
  )
  const child = startScript(new URL(`../peers/${script}`, import.meta.url), [], { ...given, accounts })
  const address = await addressOf(child)
  const readyMs = performance.now() - began
  return { name, address, pids: [child.pid, ...databasePids], readyMs, stop: child.stop }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
