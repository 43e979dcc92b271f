/** The data of a bench run: a demo extract, ingested once and kept in the temporary folder for the next run. */
import { execFile } from 'node:child_process'
import { access, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const tripfolioBinary = fileURLToPath(new URL('../bin/tripfolio', import.meta.url))

export type Dataset = {
  readonly folder: string
  readonly clients: number
  readonly bookings: number
  /** The largest client, and one of about 2,000 bookings, each with the key of an account. */
  readonly large: BenchClient
  readonly small: BenchClient
}

export type BenchClient = {
  readonly clientNumber: string
  readonly bookings: number
  readonly apiKey: string
}

const SIZE = { clients: 100, bookings: 1_000_000, seed: 1 }

export async function prepareDataset(): Promise<Dataset> {
  const folder = join(tmpdir(), `tripfolio-bench-${SIZE.clients}-${SIZE.bookings}-${SIZE.seed}`)
  if (!(await exists(join(folder, 'ready')))) await build(folder)
  const clients = await clientSizes(folder)
  const large = clients.reduce((a, b) => (b.bookings > a.bookings ? b : a))
  const small = clients.reduce((a, b) => (Math.abs(b.bookings - 2000) < Math.abs(a.bookings - 2000) ? b : a))
  return { folder, ...SIZE, large: await withKey(folder, large), small: await withKey(folder, small) }
}

async function build(folder: string): Promise<void> {
  process.stderr.write(`bench: preparing ${SIZE.bookings} bookings in ${folder}\n`)
  const extract = join(folder, 'extract')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const { clients, bookings, seed } = SIZE
  await run(tripfolioBinary, [
    'demo',
    '--out',
    extract,
    '--clients',
    `${clients}`,
    '--bookings',
    `${bookings}`,
    '--seed',
    `${seed}`,
  ])
  await run(tripfolioBinary, ['ingest', '--source', extract, '--data', folder])
  await rm(extract, { recursive: true })
  await writeFile(join(folder, 'ready'), '')
}

/** From the manifest: client numbers and their bookings. */
async function clientSizes(folder: string): Promise<{ clientNumber: string; bookings: number }[]> {
  const { readCurrentId, snapshotFolder } = await import('../src/snapshot/layout.ts')
  const { readManifest } = await import('../src/snapshot/manifest.ts')
  const { clients } = await readManifest(snapshotFolder(folder, (await readCurrentId(folder)) ?? ''))
  return clients.map(({ clientNumber, bookings }) => ({ clientNumber, bookings: bookings.rows }))
}

async function withKey(
  folder: string,
  client: { clientNumber: string; bookings: number },
): Promise<BenchClient> {
  const { stdout } = await run(tripfolioBinary, [
    ...['account', 'create', '--client', client.clientNumber, '--name', `bench ${Date.now()}`],
    ...['--data', folder, '--json'],
  ])
  return { ...client, apiKey: (JSON.parse(stdout) as { apiKey: string }).apiKey }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
