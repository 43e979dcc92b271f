/**
 * The runs that a process has begun and that have no record in the history yet, as a file in the data folder: when the process is
 * killed, the next start finds there which runs were lost. What happens in one turn of the event loop is one write, without a
 * sync: what is in the page cache of the operating system survives the process, though not a power cut.
 *
 *     ["0192f0c1-...","DynamicEndpoint",...,"/api/dynamic/v1/spend",...]    a run was begun: the values of a JournalEntry
 *     -0192f0c1-...                                                        it has its record, or needs none
 */
import { closeSync, ftruncateSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../kernel/make-folder.ts'
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
  /** The run waits or runs; a run that is refused at once is never begun. */
  readonly begun: (job: RunJob) => void
  /** The runs have their records, or need none. */
  readonly settled: (ids: readonly string[]) => void
  /** Removes the file when every run is settled. */
  readonly close: () => void
}

export const journalFolder = (dataFolder: string): string => join(dataFolder, 'live-runs')

/** A file this long, most of which is settled, is written anew without what is settled. */
const MOST_BYTES = 2 ** 22
const MOST_SETTLED = 4

type Options = {
  readonly dataFolder: string
  readonly cardNumbers?: RedactionOptions['cardNumbers']
  /** Called once for a series of failures; runs go on. */
  readonly onFailure: (cause: Error) => void
  readonly now?: () => number
}

export function openRunJournal({ dataFolder, cardNumbers, onFailure, now = Date.now }: Options): RunJournal {
  const folder = journalFolder(dataFolder)
  const path = join(folder, `${now()}-${process.pid}.journal`)
  /** The lines of runs that are not settled, by id; those of this turn are not written yet. */
  const open = new Map<string, string>()
  let unwritten = ''
  let isFlushing = false
  let file: number | null = null
  let bytes = 0
  /** The length of the lines in `open`. */
  let openBytes = 0
  let hasFailed = false

  function flush(): void {
    isFlushing = false
    const text = unwritten
    unwritten = ''
    if (text === '') return
    try {
      if (hasFailed || file === null || bytes > Math.max(MOST_BYTES, MOST_SETTLED * openBytes)) rewrite()
      else bytes += writeSync(file, text)
      hasFailed = false
    } catch (cause) {
      if (!hasFailed) onFailure(cause as Error)
      hasFailed = true
    }
  }

  /** The file then has exactly the runs that are not settled. */
  function rewrite(): void {
    if (file !== null && open.size === 0) {
      ftruncateSync(file)
      bytes = 0
      return
    }
    makeFolder(folder, 0o700)
    const scratch = `${path}.new`
    const next = openSync(scratch, 'a', 0o600)
    try {
      ftruncateSync(next)
      bytes = writeSync(next, [...open.values()].join(''))
      renameSync(scratch, path)
    } catch (cause) {
      closeSync(next)
      throw cause
    }
    if (file !== null) closeSync(file)
    file = next
  }

  function write(line: string): void {
    unwritten += line
    if (isFlushing) return
    isFlushing = true
    setImmediate(flush)
  }

  return {
    begun: (job) => {
      if (open.has(job.executionId)) return
      const line = lineOf(job, cardNumbers)
      openBytes += line.length
      open.set(job.executionId, line)
      write(line)
    },
    settled: (ids) => {
      for (const id of ids) {
        const line = open.get(id)
        if (line === undefined) continue
        open.delete(id)
        openBytes -= line.length
        write(`-${id}\n`)
      }
    },
    close: () => {
      flush()
      if (file === null) return
      closeSync(file)
      file = null
      if (open.size === 0) rmSync(path, { force: true })
    },
  }
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

/** @returns null for what is no entry, such as a line that a kill has cut */
export function entryIn(line: string): JournalEntry | null {
  if (!line.endsWith(']')) return null
  try {
    const [executionId, type, requestId, rerunOf, arrivedAt, ...rest] = JSON.parse(line)
    const [id, name, category, version, method, path, queryString, principalId, record] = rest
    const endpoint = { id, name, category }
    return {
      ...{ executionId, type, requestId, rerunOf, arrivedAt, endpoint, version },
      ...{ method, path, queryString, principalId, record },
    }
  } catch {
    return null
  }
}
