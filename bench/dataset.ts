/**
 * Prepares the data of a bench run: demo extracts, ingested once and kept in the temporary folder for the next run, each
 * with accounts for the clients that the workloads use.
 */
import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCurrentId, snapshotFolder } from '../src/snapshot/format/layout.ts'
import { readManifest } from '../src/snapshot/manifest.ts'
import { runTripfolio } from './contenders/tripfolio.ts'

export type Dataset = {
  /** The data folder of Tripfolio, and the settings that an operator would choose for it. */
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly clients: number
  readonly bookings: number
  /** The largest client, and the one closest to 2,000 bookings, each with the key of an account. */
  readonly large: BenchClient
  readonly small: BenchClient
  /** The largest client with the key of another account. */
  readonly largeToo: BenchClient
}

export type BenchClient = {
  readonly clientNumber: string
  readonly bookings: number
  readonly apiKey: string
}

export type Size = { readonly clients: number; readonly bookings: number; readonly seed: number }

/** The data set of most workloads: 1,000,000 bookings, 100,000 of them of the largest client. */
export const manyClients: Size = { clients: 100, bookings: 1_000_000, seed: 1 }

/** A data set with a single client of the given size. */
export const oneClient = (bookings: number): Size => ({ clients: 1, bookings, seed: 1 })

const prepared = new Map<string, Promise<Dataset>>()

export function prepareDataset(size: Size): Promise<Dataset> {
  const folder = folderOf(size)
  const known = prepared.get(folder) ?? prepare(folder, size)
  prepared.set(folder, known)
  return known
}

/** The folder of an extract that is not ingested, for a refresh to read. */
export async function prepareExtract(size: Size): Promise<string> {
  const folder = `${folderOf(size)}-extract`
  if (await exists(join(folder, 'ready'))) return join(folder, 'extract')
  await buildIn(folder, () => writeExtract(join(folder, 'extract'), size))
  return join(folder, 'extract')
}

async function prepare(folder: string, size: Size): Promise<Dataset> {
  if (!(await isUsable(folder))) {
    await buildIn(folder, async () => {
      const extract = join(folder, 'extract')
      await writeExtract(extract, size)
      await runTripfolio(['ingest', '--source', extract, '--data', folder])
      await rm(extract, { recursive: true })
    })
  }
  const clients = await clientSizes(folder)
  const large = clients.reduce((a, b) => (b.bookings > a.bookings ? b : a))
  const small = clients.reduce((a, b) => (Math.abs(b.bookings - 2000) < Math.abs(a.bookings - 2000) ? b : a))
  return {
    folder,
    environment: environmentFor(size),
    ...size,
    large: await withKey(folder, large),
    small: await withKey(folder, small),
    largeToo: await withKey(folder, large, ' too'),
  }
}

/** A client whose files exceed the default memory budget gets a larger budget, and loads only what requests need. */
const environmentFor = ({ clients, bookings }: Size): Record<string, string> =>
  bookings / clients < 1_000_000 ? {} : { TRIPFOLIO_MEMORY_BUDGET: '8GiB', TRIPFOLIO_WARM_UP: 'none' }

const folderOf = ({ clients, bookings, seed }: Size): string =>
  join(tmpdir(), `tripfolio-bench-${clients}-${bookings}-${seed}`)

/** The mark is written last: a folder without it is incomplete. */
async function buildIn(folder: string, build: () => Promise<void>): Promise<void> {
  process.stderr.write(`bench: preparing ${folder}\n`)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await build()
  await writeFile(join(folder, 'ready'), '')
}

async function writeExtract(folder: string, { clients, bookings, seed }: Size): Promise<void> {
  // A fixed day, so that runs on different days measure the same records.
  const numbers = [
    '--today',
    '2026-01-01',
    '--clients',
    `${clients}`,
    '--bookings',
    `${bookings}`,
    '--seed',
    `${seed}`,
  ]
  await runTripfolio(['demo', '--out', folder, ...numbers])
}

/** Data of an older snapshot format is created again. */
async function isUsable(folder: string): Promise<boolean> {
  if (!(await exists(join(folder, 'ready')))) return false
  return clientSizes(folder).then(
    () => true,
    () => false,
  )
}

/** The client numbers and their bookings, from the manifest. */
async function clientSizes(folder: string): Promise<{ clientNumber: string; bookings: number }[]> {
  const { clients } = await readManifest(snapshotFolder(folder, (await readCurrentId(folder)) ?? ''))
  return clients.map(({ clientNumber, bookings }) => ({ clientNumber, bookings: bookings.rows }))
}

/** Keys are stored next to the data, so that a client has one account however often the bench runs. */
async function withKey(
  folder: string,
  client: { clientNumber: string; bookings: number },
  suffix = '',
): Promise<BenchClient> {
  const file = join(folder, `bench-key-${client.clientNumber}${suffix}.txt`)
  if (await exists(file)) return { ...client, apiKey: await readFile(file, 'utf8') }
  const account = ['--client', client.clientNumber, '--name', `bench ${client.clientNumber}${suffix}`]
  const created = await runTripfolio(['account', 'create', ...account, '--data', folder, '--json'])
  const { apiKey } = JSON.parse(created) as { apiKey: string }
  await writeFile(file, apiKey, { mode: 0o600 })
  return { ...client, apiKey }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
