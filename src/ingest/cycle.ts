/**
 * One refresh: read, validate, build, publish, announce. At the end either a new snapshot is current, or the old one stays
 * current and a problem says why. There is no state in between, however the refresh ends.
 */
import { join } from 'node:path'
import { isWarehouse, showSource } from '../config/extract-source.ts'
import { settings } from '../config/settings.ts'
import { Problem } from '../kernel/problem.ts'
import type { ProblemKind } from '../kernel/problems/kinds.ts'
import type { Observe } from '../observe/observation.ts'
import type { TableName } from '../schema/extract-tables.ts'
import type { RefreshStageName } from '../schema/refresh-shapes.ts'
import { makeDataFolder } from '../snapshot/format/layout.ts'
import type { RefreshWarning } from '../snapshot/manifest.ts'
import {
  dataFolderDestination,
  type SnapshotDestination,
  type SnapshotDraft,
} from '../snapshot/writing/snapshot-writer.ts'
import { type Built, buildCollections } from './build/build-collections.ts'
import { type Client, readClients } from './build/custom-labels.ts'
import { unusedLabels } from './build/unused-labels.ts'
import { threadsFor } from './database-threads.ts'
import { type LossLimits, lostTables, publishedRows, refuseLosses } from './losses.ts'
import { openSource } from './open-source.ts'
import { alreadyRunning, firstOf, reasonOf, refreshAborted, refreshFailed } from './problems.ts'
import { type ReadTable, readTable, type TableContext } from './read-extract.ts'
import { lockRefresh } from './refresh/refresh-lock.ts'
import type { RefreshReport } from './refresh/refresh-report.ts'
import { RefreshTally } from './refresh/refresh-tally.ts'
import { listedRejects, recordRefusal } from './refusal.ts'
import { RejectCauses } from './reject-causes.ts'
import { REJECTS_FILE, RejectLog } from './reject-log.ts'
import { UnreadLines } from './sources/unread-lines.ts'
import { prepareStaging } from './staging.ts'
import { storageProblem } from './storage-problem.ts'
import type { OffsetTimes } from './stored-values.ts'
import { ingestedTables, isBeyondWholeRecords } from './tables.ts'
import {
  acceptedRows,
  countsWithoutRules,
  hasTooManyRejects,
  malformedReject,
  mayBreakRules,
  refuseTooManyRejects,
  type TableCounts,
  validateTable,
} from './validate.ts'
import { openWorkDatabase, type WorkDatabase } from './work-database.ts'

export type RefreshRequest = Partial<LossLimits> & {
  /** The folder of the extract, or the URL of a warehouse in PostgreSQL. */
  readonly source: string
  /** The file with the SQL of each table, for a warehouse. */
  readonly mapping?: string | undefined
  /** Also holds the work database, the lists of rejects and the last refusal of a refresh that publishes elsewhere. */
  readonly dataFolder: string
  /** Where the snapshot is published; in the data folder unless given. */
  readonly destination?: SnapshotDestination | undefined
  /** The largest share of rejects that any one table may have. */
  readonly maxRejectShare: number
  /** The most custom labels that one client may have; the others are rejects. */
  readonly labelsPerClient?: number
  /** What happens to times with an offset from UTC. */
  readonly offsetTimes?: OffsetTimes
  /** How many snapshots are kept, the new one included. */
  readonly retainSnapshots: number
  /** For how many days beyond the oldest of them it is kept what changed. */
  readonly changesDays?: number | undefined
  /** An operator accepts losses against the current snapshot that would otherwise refuse this refresh. */
  readonly acceptShrink?: boolean
  readonly observe: Observe
  /** Tells readers that a new snapshot is current. */
  readonly announce?: (snapshotId: string) => Promise<void> | void
  readonly onProgress?: ((progress: RefreshProgress) => void) | undefined
  /** Receives the figures of a refresh that has begun to read, however it ends. */
  readonly onReport?: ((report: RefreshReport) => void) | undefined
  readonly signal?: AbortSignal | undefined
  /** Threads of the database that a refresh works in; unless given, one for each processor core, or one for small files. */
  readonly databaseThreads?: number
}

/** Counts tables while reading and validating, and records while building. */
export type RefreshProgress = {
  readonly stage: RefreshStageName
  readonly done: number
  readonly total: number
  /** The table that is read or validated. */
  readonly table?: TableName | undefined
  readonly rows?: Amount
  readonly bytes?: Amount
}

/** How many there will be is null while unknown. */
type Amount = { readonly done: number; readonly expected: number | null }

export type RefreshSummary = {
  readonly snapshot: string
  readonly extractedAt: Date
  readonly tables: readonly TableCounts[]
  /** Rows of all tables that are not in the snapshot. */
  readonly rejects: number
  readonly clients: { readonly total: number; readonly unchanged: number }
  /** Whether every record is as in the snapshot before. */
  readonly isUnchanged: boolean
  /** Invoices whose booking is not in the snapshot: their record locator is null. */
  readonly invoicesWithoutBooking: number
  readonly milliseconds: Readonly<Record<RefreshStageName, number>>
  /** Remarks on the extract that did not stop the refresh. */
  readonly notes: readonly string[]
  /** Possible faults that did not stop the refresh; the snapshot keeps them. */
  readonly warnings: readonly RefreshWarning[]
}

/** @throws Problem ING1xx or SNP2xx when nothing was published */
export async function runRefresh(request: RefreshRequest): Promise<RefreshSummary> {
  const { dataFolder, observe } = request
  const source = showSource(request.source)
  const started = performance.now()
  observe({ kind: 'refresh-started', source })
  let summary: RefreshSummary
  try {
    makeDataFolder(dataFolder)
    const lock = lockRefresh(dataFolder)
    summary = await refreshLocked(request).finally(lock.release)
  } catch (cause) {
    const problem = asProblem(cause, request)
    observe({ kind: 'refresh-refused', source, code: problem.code, reason: problem.message })
    throw problem
  }
  const milliseconds = performance.now() - started
  observe({ kind: 'refresh-published', snapshot: summary.snapshot, rejects: summary.rejects, milliseconds })
  await request.announce?.(summary.snapshot)
  return summary
}

/** What the steps need that the caller of a refresh may leave out. */
type Destined = RefreshRequest & { readonly destination: SnapshotDestination }

/** Refreshes while no other machine publishes to the same destination. */
async function refreshLocked(request: RefreshRequest): Promise<RefreshSummary> {
  const destination = request.destination ?? dataFolderDestination(request.dataFolder)
  if (destination.lock === undefined) return refresh({ ...request, destination })
  const lock = await destination.lock()
  if (lock === null) throw alreadyRunning(destination.name, await destination.lockHolder?.())
  const signal = AbortSignal.any([lock.lost, ...(request.signal === undefined ? [] : [request.signal])])
  return refresh({ ...request, destination, signal }).finally(lock.release)
}

async function refresh(request: Destined): Promise<RefreshSummary> {
  const { dataFolder, destination, signal } = request
  const draft = await destination.begin()
  const rejectsFile = join(draft.folder, REJECTS_FILE)
  const counts: TableCounts[] = []
  const causes = new RejectCauses()
  const tally = new RefreshTally()
  const warnings: RefreshWarning[] = []
  const report = () => request.onReport?.(tally.report(counts, causes, warnings))
  try {
    const log = new RejectLog(rejectsFile, (reject) => causes.add(reject))
    try {
      const threads = request.databaseThreads ?? (await threadsFor(request.source))
      const folder = isWarehouse(request.source) ? undefined : request.source
      const database = await openWorkDatabase(dataFolder, { signal, threads, source: folder })
      const work = { request, draft, log, causes, tally, database, counts, notes: [], warnings }
      const summary = await publishedFrom(work).finally(database.close)
      report()
      return summary
    } finally {
      log.close()
    }
  } catch (cause) {
    report()
    const problem = asProblem(cause, request)
    // A refresh that was stopped on request needs no record of the reason.
    if (!signal?.aborted || problem === signal.reason)
      await recordRefusal(request, problem, { tables: counts, causes, rejectsFile })
    // On a disk that cannot be written this fails, too; the next refresh removes what is left.
    await draft.abandon().catch(() => undefined)
    throw problem
  }
}

/** What the steps of one refresh share. */
type Work = {
  readonly request: Destined
  readonly draft: SnapshotDraft
  readonly log: RejectLog
  readonly causes: RejectCauses
  readonly tally: RefreshTally
  readonly database: WorkDatabase
  /** Filled table by table. */
  readonly counts: TableCounts[]
  readonly notes: string[]
  readonly warnings: RefreshWarning[]
}

async function publishedFrom(work: Work): Promise<RefreshSummary> {
  const { request, draft, counts, tally, notes, warnings } = work
  const { read, extractedAt } = await tally.timed('read', () => readExtract(work))
  await tally.timed('validate', () => validateExtract(work, read))
  const { clients, unchanged, invoicesWithoutBooking } = await tally.timed('build', () => buildSnapshot(work))
  tally.clients = { total: clients.length, unchanged }
  const rejects = counts.reduce((sum, table) => sum + table.rejects + table.withParent, 0)
  const { id, warnings: found } = await tally.timed('publish', async () => {
    progress(work, 'publish', 0, 1)
    work.log.sync()
    const published = await draft.publish({
      extractedAt,
      clients,
      rejects,
      tables: publishedRows(counts),
      invoicesWithoutBooking,
      warnings,
    })
    await request.destination.removeOldSnapshots(request.retainSnapshots).catch((cause: unknown) => {
      notes.push(`Old snapshots could not be removed: ${reasonOf(cause)}`)
    })
    const { changesDays = settings.changesDays.default } = request
    await request.destination.removeOldChanges(changesDays).catch((cause: unknown) => {
      notes.push(`What changed long ago could not be removed: ${reasonOf(cause)}`)
    })
    progress(work, 'publish', 1, 1)
    return published
  })
  warnings.push(...found)
  return {
    snapshot: id,
    extractedAt,
    tables: counts,
    rejects,
    clients: tally.clients,
    isUnchanged:
      unchanged === clients.length && draft.previous !== null && draft.rowsBefore?.clients.size === unchanged,
    invoicesWithoutBooking,
    milliseconds: tally.milliseconds,
    notes,
    warnings,
  }
}

async function readExtract(work: Work): Promise<{ read: readonly ReadTable[]; extractedAt: Date }> {
  const { request, database, log, tally, notes, warnings } = work
  await prepareStaging(database, ingestedTables, request.offsetTimes)
  const { source, mapping, signal } = request
  const onNote = (note: string) => void notes.push(note)
  const onTable = (table: TableName, done: number, total: number) =>
    progress(work, 'read', done, total, table)
  const onWarning = (warning: RefreshWarning) => void warnings.push(warning)
  const opening = { source, mapping, signal, onNote, onTable, onWarning }
  const { tables, missing, extractedAt, listed, refuseChange } = await openSource(opening, database)
  tally.expect(tables)
  for (const { table, unreadable } of missing) {
    if (unreadable.length > 0) warnings.push(tableUnreadable(table, unreadable))
    else if (isBeyondWholeRecords(table))
      notes.push(
        `Table '${table}', which whole records of version 2 do not show, ${absence(source)}, so it is empty`,
      )
    else warnings.push(tableLeftOut(table, source))
  }
  const unread = new UnreadLines(database)
  const read: ReadTable[] = []
  let atWork: TableName | undefined
  const context: TableContext = {
    database,
    listed,
    onMalformed: (line) => {
      log.add(malformedReject(line))
      unread.add(line)
    },
    onNote,
    onWarning,
    onSource: ({ found }, rows) => {
      tally.bytesRead += found?.bytes ?? 0
      tally.rowsRead += rows
      progress(work, 'read', read.length, tables.length, atWork)
    },
    signal,
  }
  for (const found of tables) {
    atWork = found.table.name
    progress(work, 'read', read.length, tables.length, atWork)
    read.push(await readTable(found, context))
  }
  progress(work, 'read', read.length, tables.length)
  database.nameFilesIn(null)
  await refuseChange()
  listed.refuseMiscounts()
  await unread.stage()
  return { read, extractedAt }
}

const tableUnreadable = (table: TableName, files: readonly string[]): RefreshWarning => ({
  kind: 'table-missing',
  message: `Table '${table}' is empty, because ${firstOf(files)} cannot be read. Files may be CSV, TSV, NDJSON, JSON or Parquet: export it as one of these, or name it otherwise`,
})

const tableLeftOut = (table: TableName, source: string): RefreshWarning => ({
  kind: 'table-missing',
  message: `Table '${table}' ${absence(source)}, so it is empty. If this is intended, ${isWarehouse(source) ? 'make a view without rows' : 'export a file with a header only'}`,
})

const absence = (source: string): string => (isWarehouse(source) ? 'is not in the warehouse' : 'has no file')

async function validateExtract(work: Work, tables: readonly ReadTable[]): Promise<void> {
  const { request, draft, database, log, causes, counts, warnings } = work
  const { acceptShrink: accepted = false } = request
  const { labelsPerClient = settings.labelsPerClient.default, offsetTimes = settings.offsetTimes.default } =
    request
  const tooMany = (table: TableCounts) => hasTooManyRejects(table, request.maxRejectShare)
  for (const table of tables) {
    progress(work, 'validate', counts.length, tables.length, table.table.name)
    if (!mayBreakRules(table, tables)) {
      counts.push(countsWithoutRules(table))
      continue
    }
    counts.push(
      await validateTable(table, database, log, { labelsPerClient, offsetTimes }, (own) =>
        [...counts, own].some(tooMany),
      ),
    )
  }
  progress(work, 'validate', counts.length, tables.length)
  const {
    maxTableShrink = settings.maxTableShrink.default,
    maxClientsEmptied = settings.maxClientsEmptied.default,
  } = request
  refuseTooManyRejects(counts, request.maxRejectShare, accepted ? 0 : draft.bookingsBefore, {
    causes,
    rejectsFile: listedRejects(request.dataFolder),
    lost: accepted ? [] : lostTables(draft.rowsBefore, counts, maxTableShrink),
  })
  const limits = { maxTableShrink, maxClientsEmptied, accepted }
  warnings.push(...(await refuseLosses(draft.rowsBefore, publishedRows(counts), database, limits)))
}

async function buildSnapshot(work: Work): Promise<Built & { readonly clients: readonly Client[] }> {
  const { draft, database, counts, tally, warnings } = work
  const clients = await readClients(database)
  warnings.push(...(await unusedLabels(clients, database)))
  const total = counts.reduce((sum, table) => sum + (isRecordTable(table) ? acceptedRows(table) : 0), 0)
  let done = 0
  const onBuilt = (records: number) => {
    done += records
    progress(work, 'build', done, total)
  }
  onBuilt(0)
  let bytes = 0
  const add: typeof draft.add = async (builder) => {
    const added = await draft.add(builder)
    bytes += added.bytes
    return added
  }
  const built = await buildCollections(clients, {
    database,
    draft: { add },
    accepted: publishedRows(counts),
    onBuilt,
  })
  tally.snapshotBytes = bytes
  return { clients, ...built }
}

const isRecordTable = ({ table }: TableCounts): boolean => table === 'bookings' || table === 'invoices'

function progress(
  { request, counts, tally }: Work,
  stage: RefreshStageName,
  done: number,
  total: number,
  table?: TableName,
): void {
  const { bytesRead, bytesExpected, rowsRead } = tally
  const amounts: Partial<Record<RefreshStageName, Pick<RefreshProgress, 'rows' | 'bytes'>>> = {
    read: { rows: { done: rowsRead, expected: null }, bytes: { done: bytesRead, expected: bytesExpected } },
    validate: { rows: { done: counts.reduce((sum, { rows }) => sum + rows, 0), expected: rowsRead } },
  }
  request.onProgress?.({ stage, done, total, table, ...amounts[stage] })
}

function asProblem(cause: unknown, { signal, dataFolder }: RefreshRequest): Problem {
  if (signal?.aborted) return signal.reason instanceof Problem ? signal.reason : refreshAborted(cause)
  if (cause instanceof Problem && !mayBeTheDisk.includes(cause.kind)) return cause
  return storageProblem(cause, dataFolder) ?? (cause instanceof Problem ? cause : refreshFailed(cause))
}

/** Reading a file or a mapping also writes to the disk, and so does locking: the disk may be the reason. */
const mayBeTheDisk: readonly ProblemKind[] = ['unreadable', 'file-access']
