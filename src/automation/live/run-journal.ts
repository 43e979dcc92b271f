/**
 * The runs that a process has begun and that have no record in the history yet, as a file in the data folder: when the process is
 * killed, the next start finds there which runs were lost. What happens in one turn of the event loop is one write, without a
 * sync: what is in the page cache of the operating system survives the process, though not a power cut. The file has its space
 * before it needs it: on a full disk it still takes the runs that the history cannot.
 *
 *     ["0192f0c1-...","DynamicEndpoint",...,"/api/dynamic/v1/spend",...]    a run was begun: the values of a JournalEntry
 *     -0192f0c1-...                                                        it has its record, or needs none
 */
import { close, closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../kernel/files/make-folder.ts'
import { beforeSlices } from '../../kernel/turns.ts'
import type { RecordedPart } from '../../schema/endpoint-shapes.ts'
import { recordedAddress } from '../history/recorded-address.ts'
import type { RedactionOptions } from '../redaction/redaction.ts'
import type { RunJob } from '../runs/run-states.ts'

/** What is known of a run: nothing that could be a credential, and nothing that its record will not have. */
export type JournalEntry = Pick<RunJob, 'executionId' | 'type' | 'requestId' | 'rerunOf' | 'arrivedAt'> & {
  readonly endpoint: Pick<RunJob['endpoint'], 'id' | 'name' | 'category'>
  /** Null for a draft. */
  readonly version: number | null
  readonly method: string
  readonly path: string
  readonly queryString: string
  readonly principalId: string | null
  readonly record: RecordedPart
}

export type RunJournal = {
  /** The run waits or runs; a run that is refused at once is never begun. To be called once for a run. */
  readonly begun: (job: RunJob) => void
  /** The runs have their records, or need none. */
  readonly settled: (ids: readonly string[]) => void
  /** Removes the file when every run is settled. */
  readonly close: () => void
}

export const journalFolder = (dataFolder: string): string => join(dataFolder, 'live-runs')

/** The space of a new file, enough for some 12,000 runs. What is not used yet is zeros. */
const RESERVED_BYTES = 2 ** 22
/** A space that is written in one piece is cached in one piece, and each line that goes into it then takes three times as long. */
const PIECE_BYTES = 2 ** 14
/** When half of the space is used, and most of it is settled, what is settled is removed. */
const MOST_SETTLED = 4
/** To write the file anew takes milliseconds, which is too much for each turn of a loop while a disk is full. */
const RETRY_MS = 1000

type Options = {
  readonly dataFolder: string
  readonly cardNumbers?: RedactionOptions['cardNumbers']
  /** Called once for a series of failures; runs go on. */
  readonly onFailure: (cause: Error) => void
  readonly now?: () => number
  readonly reservedBytes?: number
}

export function openRunJournal({
  dataFolder,
  cardNumbers,
  onFailure,
  now = Date.now,
  reservedBytes = RESERVED_BYTES,
}: Options): RunJournal {
  const folder = journalFolder(dataFolder)
  const path = join(folder, `${now()}-${process.pid}.journal`)
  /** The lines of runs that are not settled, by id; those of this turn are not written yet. */
  const open = new Map<string, string>()
  let unwritten = ''
  let isFlushing = false
  let file: number | null = null
  let bytes = 0
  /** The lines that began a run, in the file. */
  let entries = 0
  /** When the last of a series of failures was; null while the file can be written. */
  let failedAt: number | null = null

  function flush(isLast = false): void {
    isFlushing = false
    const text = unwritten
    unwritten = ''
    if (failedAt === null ? text === '' : !isLast && now() - failedAt < RETRY_MS) return
    try {
      if (failedAt !== null || file === null) rewrite()
      else append(file, text)
      failedAt = null
    } catch (cause) {
      if (failedAt === null) onFailure(cause as Error)
      failedAt = now()
    }
  }

  function append(to: number, text: string): void {
    const written = writeSync(to, text, bytes)
    // Nearly all lines are ASCII, and their bytes need no counting.
    if (written !== text.length && written < Buffer.byteLength(text)) throw diskFull(written)
    bytes += written
    const isMostlySettled = bytes > reservedBytes / 2 && entries > MOST_SETTLED * open.size
    // What callers sent stays no longer than it must.
    if (open.size === 0 || isMostlySettled) removeSettled(to)
  }

  /**
   * In place, because a new file would cost more than all lines in it. A kill may come between any two steps: what is not settled is
   * behind everything before it is at the beginning, and a line that settles a run goes after the line that began it.
   */
  function removeSettled(from: number): void {
    const kept = Buffer.from([...open.values()].join(''))
    writeWhole(from, kept, bytes)
    writeWhole(from, kept, 0)
    writeWhole(from, Buffer.alloc(bytes), kept.length)
    bytes = kept.length
    entries = open.size
  }

  /** The file then has exactly the runs that are not settled. */
  function rewrite(): void {
    const kept = Buffer.from([...open.values()].join(''))
    makeFolder(folder, 0o700)
    const scratch = `${path}.new`
    const next = openSync(scratch, 'w', 0o600)
    try {
      writeWhole(next, kept, 0)
      const zeros = Buffer.alloc(PIECE_BYTES)
      for (let at = kept.length; at < reservedBytes; at += PIECE_BYTES) writeWhole(next, zeros, at)
      renameSync(scratch, path)
    } catch (cause) {
      closeSync(next)
      // It may hold the last space of the disk.
      rmSync(scratch, { force: true })
      throw cause
    }
    bytes = kept.length
    entries = open.size
    // Closing it frees its pages, which takes milliseconds. Nobody needs to wait for that.
    if (file !== null) close(file, () => undefined)
    file = next
  }

  function write(line: string): void {
    unwritten += line
    if (isFlushing) return
    isFlushing = true
    // Jobs go to their threads in the same step, after this one.
    beforeSlices(flush)
  }

  return {
    begun: (job) => {
      const line = lineOf(job, cardNumbers)
      entries++
      open.set(job.executionId, line)
      write(line)
    },
    settled: (ids) => {
      const known = ids.filter((id) => open.delete(id))
      if (known.length > 0) write(`-${known.join('\n-')}\n`)
    },
    close: () => {
      flush(true)
      if (file === null) return
      closeSync(file)
      file = null
      if (open.size === 0) rmSync(path, { force: true })
    },
  }
}

/** A disk that is nearly full takes a part without an error. */
const diskFull = (written: number) => new Error(`only ${written} bytes were written: the disk is full`)

function writeWhole(file: number, bytes: Uint8Array, position: number): void {
  const written = writeSync(file, bytes, 0, bytes.length, position)
  if (written < bytes.length) throw diskFull(written)
}

/** An array of plain values is written in half the time and half the bytes of an object. Redacting takes longer than both. */
function lineOf(job: RunJob, cardNumbers: RedactionOptions['cardNumbers']): string {
  const { executionId, type, rerunOf, arrivedAt, endpoint, source, request, recording } = job
  const { id, name, category } = endpoint
  const { path, queryString, principalId, requestId } = recordedAddress(job, cardNumbers)
  const version = 'version' in source ? source.version : null
  return `${JSON.stringify([
    executionId,
    type,
    requestId,
    rerunOf,
    arrivedAt,
    id,
    name,
    category,
    version,
    request.method,
    path,
    queryString,
    principalId,
    recording?.record ?? 'full',
  ])}\n`
}

/** What the values of a line are, in its order. */
const LINE = [
  ...['string', 'string', 'string?', 'string?', 'moment'],
  ...['string', 'string', 'string', 'number?', 'string', 'string', 'string', 'string?', 'string'],
]

const isKind = (kind: string | undefined, value: unknown): boolean =>
  kind === 'moment'
    ? typeof value === 'number' && !Number.isNaN(new Date(value).getTime())
    : typeof value === kind?.replace('?', '') || (value === null && kind?.endsWith('?') === true)

/** @returns null for what is no entry, such as a line that a kill has cut or a disk has damaged */
export function entryIn(line: string): JournalEntry | null {
  const values = valuesIn(line)
  if (values.length !== LINE.length || !values.every((value, nth) => isKind(LINE[nth], value))) return null
  const [executionId, type, requestId, rerunOf, arrivedAt, ...rest] = values
  const [id, name, category, version, method, path, queryString, principalId, record] = rest
  const endpoint = { id, name, category }
  return {
    ...{ executionId, type, requestId, rerunOf, arrivedAt, endpoint, version },
    ...{ method, path, queryString, principalId, record },
  } as JournalEntry
}

function valuesIn(line: string): readonly unknown[] {
  if (!line.endsWith(']')) return []
  try {
    const values: unknown = JSON.parse(line)
    return Array.isArray(values) ? values : []
  } catch {
    return []
  }
}
