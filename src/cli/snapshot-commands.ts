/** `tripfolio snapshot list | verify`: what is stored, and whether every byte of it is intact. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { loadConfig } from '../config/load-config.ts'
import { listSnapshotIds, readCurrentId, snapshotFolder } from '../snapshot/format/layout.ts'
import { countsOf, type Examined, examineManifest, filesOf } from '../snapshot/manifest.ts'
import { noDataFolder } from '../snapshot/problems.ts'
import { verifyFile } from '../snapshot/verify.ts'
import { printResult } from './print.ts'

type Options = { readonly data?: string; readonly json?: boolean }

export function snapshotCommands(): Command {
  const command = new Command('snapshot').description('List and verify the published snapshots')
  command
    .command('list')
    .description('List the retained snapshots, newest first')
    .option('--data <folder>', 'data folder (default: ./data)')
    .option('--json', 'print JSON')
    .action(list)
  command
    .command('verify')
    .description(
      'Read every file of every retained snapshot and compare checksums; exit 1 when one is damaged',
    )
    .option('--data <folder>', 'data folder (default: ./data)')
    .option('--json', 'print JSON')
    .action(verify)
  return command
}

/** @throws Problem SNP303: a mistyped folder must not pass for one without snapshots */
function existingDataFolder(flags: Pick<Options, 'data'>): string {
  const { data } = loadConfig({ env: process.env, flags })
  if (!statSync(data, { throwIfNoEntry: false })?.isDirectory()) throw noDataFolder(data)
  return data
}

async function list({ json, ...flags }: Options): Promise<void> {
  const data = existingDataFolder(flags)
  const current = await readCurrentId(data)
  const rows = await Promise.all(
    (await listSnapshotIds(data)).map(async (id) => {
      const examined = await examineManifest(snapshotFolder(data, id))
      return { id, current: id === current, ...summaryOf(examined) }
    }),
  )
  printResult(rows, { json, empty: 'No snapshot has been published yet.' })
}

function summaryOf({ state, manifest }: Examined) {
  if (manifest === null) return { state: state === 'other-format' ? 'other format' : 'damaged' }
  const { extractedAt, publishedAt, rejects, clients } = manifest
  return { state: 'ok', extractedAt, publishedAt, clients: clients.length, ...countsOf(manifest), rejects }
}

async function verify({ json, ...flags }: Options): Promise<void> {
  const data = existingDataFolder(flags)
  const results = []
  for (const id of await listSnapshotIds(data)) results.push(...(await verifySnapshot(data, id)))
  printResult(results, { json, empty: 'No snapshot has been published yet.' })
  if (results.some(({ damaged }) => damaged.length > 0)) process.exitCode = 1
}

async function verifySnapshot(data: string, id: string) {
  const folder = snapshotFolder(data, id)
  const { state, manifest, problem } = await examineManifest(folder)
  // Another version of this program can check it.
  if (state === 'other-format') return [{ id, files: 0, bytes: 0, damaged: [], note: problem.message }]
  if (state === 'damaged') return [{ id, files: 0, bytes: 0, damaged: [problem.message] }]
  const entries = manifest.clients.flatMap(filesOf)
  const damaged: string[] = []
  for (const entry of entries) {
    const reason = await verifyFile(join(folder, entry.path), entry)
    if (reason !== null) damaged.push(`${entry.path}: ${reason}`)
  }
  return [{ id, files: entries.length, bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0), damaged }]
}
