/** The problems of snapshots: SNP1xx building, SNP2xx publishing, SNP3xx reading. */
import type { StorageFault } from '../kernel/files/storage-fault.ts'
import { Problem } from '../kernel/problem.ts'
import type { StoredName } from '../schema/datasets.ts'

export const collectionTooLarge = (clientNumber: string, stored: StoredName, rows: number): Problem =>
  new Problem(
    'SNP101',
    `Client '${clientNumber}' has more ${stored} than one file can hold (2 GiB of JSON, reached after ${rows} records)`,
    {
      hint: 'Extract a shorter period, or split the client into several client numbers.',
    },
  )

export const folderUnusable = (folder: string, cause: unknown): Problem =>
  new Problem('SNP201', `Data folder '${folder}' cannot be written: ${reasonOf(cause)}`, {
    hint: 'Choose another folder with --data, or give this user the right to write to it.',
    cause,
  })

/** The file system refuses the write; the data itself is valid. */
export const cannotStore = (path: string, { code, reason, hint }: StorageFault, cause: unknown): Problem =>
  new Problem('SNP202', `Cannot write '${path}': ${reason} (${code})`, { hint, cause })

/** A lock was lost without notice, and another refresh began, or an operator rolled back. */
export const overtaken = (): Problem =>
  new Problem(
    'SNP203',
    'Another refresh has begun meanwhile, or a rollback was made, so this one published nothing',
    { hint: 'Refresh again when the other one has finished.' },
  )

/** What was written is counted before it is published. */
export const rowsLost = (stored: StoredName, written: number, found: number): Problem =>
  new Problem('SNP204', `The database has ${found} rows of ${stored} instead of ${written}`, {
    hint: 'Nothing was published. Refresh again; if this happens again, look into the log of the PostgreSQL server.',
  })

export const fileDamaged = (path: string, reason: string, cause?: unknown): Problem =>
  new Problem('SNP301', `Snapshot file '${path}' is damaged: ${reason}`, {
    hint: 'Run `tripfolio snapshot verify` to find every damaged file, and `tripfolio ingest` to publish a new snapshot.',
    cause,
  })

/** A caller asks for a snapshot that has been removed or never existed. */
export const snapshotGone = (id: string): Problem =>
  new Problem('SNP305', `Snapshot '${id.slice(0, 60)}' is not there any more`, {
    hint: 'Leave the header Snapshot-Id out, and begin again with the snapshot that the answer names.',
  })

/** A snapshot was removed before a request or run had read everything that it needs from it. */
export const snapshotRetired = (id: string, clientNumber: string, stored: StoredName): Problem =>
  retired(id, `the ${stored} of client '${clientNumber}' were`)

export const clientsRetired = (id: string): Problem => retired(id, 'its list of clients was')

const retired = (id: string, what: string): Problem =>
  new Problem('SNP306', `Snapshot '${id}' was removed before ${what} read from it`, {
    hint: 'Repeat the request: it will use the current snapshot. Raise the setting retainSnapshots (TRIPFOLIO_RETAIN_SNAPSHOTS) if this happens often.',
  })

/** An older or newer version of Tripfolio wrote the snapshot. It is not damaged. */
export const otherFormat = (id: string, found: number, readable: number): Problem =>
  new Problem('SNP304', `Snapshot ${id} has format ${found}; this version reads format ${readable}`, {
    hint: `Run \`tripfolio ingest --source FOLDER\` with this version to publish a snapshot that it reads, or go back to the ${found > readable ? 'newer' : 'older'} version that wrote this one.`,
  })

export const noIntactFile = (clientNumber: string, stored: StoredName): Problem =>
  new Problem(
    'SNP302',
    `No intact ${stored} file of client '${clientNumber}' is left in any retained snapshot`,
    {
      hint: 'Run `tripfolio ingest` to publish a new snapshot.',
    },
  )

/** The limit of open files is reached; the file may be intact. */
export const noRoomToOpen = (clientNumber: string, stored: StoredName, cause: Error): Problem =>
  new Problem('SNP310', `The ${stored} file of client '${clientNumber}' cannot be opened: ${cause.message}`, {
    hint: 'Raise the limit of open files (ulimit -n, LimitNOFILE) and start the service again.',
    cause,
  })

/** The reason is for operators, and the log has it. */
export const notReadableNow = (what: string, cause: Problem): Problem =>
  new Problem('SNP311', `${what} cannot be read at the moment`, { hint: 'Try again later.', cause })

export const noDataFolder = (folder: string): Problem =>
  new Problem('SNP303', `There is no data folder '${folder}'`, {
    hint: 'Name the folder that `tripfolio serve` and `tripfolio ingest` use with --data or TRIPFOLIO_DATA.',
  })

export const unknownSnapshot = (id: string, known: readonly string[]): Problem =>
  new Problem('SNP320', `There is no snapshot '${id.slice(0, 60)}'`, {
    hint: known.length === 0 ? 'No snapshot has been published yet.' : `Give one of: ${known.join(', ')}.`,
  })

/** An administrator has dropped or emptied them while the refresh ran. */
export const tablesLost = ({
  stored,
  generation,
}: {
  readonly stored: StoredName
  readonly generation: number
}): Problem =>
  new Problem('SNP205', `The tables of ${stored} in generation ${generation} are missing or empty`, {
    hint: 'Nothing was published. Refresh again: it writes these records anew.',
  })

export const nothingToRollBackTo = (current: string | undefined): Problem =>
  new Problem(
    'SNP321',
    current === undefined
      ? 'There is no current snapshot to roll back from'
      : `No snapshot older than the current one (${current}) is retained`,
    {
      hint: 'Run `tripfolio ingest` to publish a new snapshot. Raise the setting retainSnapshots (TRIPFOLIO_RETAIN_SNAPSHOTS) to keep more of them.',
    },
  )

export const rollBackDamaged = (id: string, damages: readonly string[]): Problem =>
  new Problem('SNP322', `Snapshot ${id} cannot become current: ${damages.slice(0, 3).join('; ')}`, {
    hint: 'The current snapshot stays. `tripfolio snapshot verify` shows which snapshots are intact.',
  })

/** What the operator wanted to go back from is no longer what callers get. */
export const changedMeanwhile = (before: string | undefined): Problem =>
  new Problem(
    'SNP323',
    `Nothing was rolled back, because ${before ?? 'no snapshot'} is not current any more: another one has become current meanwhile`,
    { hint: 'Look at `tripfolio snapshot list`, and roll back again if that is still needed.' },
  )

export const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Whether trying again later may succeed, so that nothing is known about the file or snapshot that was asked for. */
export const isUnavailable = (cause: unknown): cause is Problem =>
  cause instanceof Problem && cause.kind === 'unavailable'
