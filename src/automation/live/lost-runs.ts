/**
 * Finds the runs that an ended process left without a record (`run-journal.ts`), and records each as lost. A run that has its record
 * keeps it. A journal is removed only when all its runs are in the history, so nothing is lost when this is interrupted.
 */
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { History } from '../../directory/history/history.ts'
import { anonymous } from '../../kernel/user.ts'
import type { Execution } from '../../schema/execution-shapes.ts'
import { unfinishedRunRecord } from '../history/unfinished-run-record.ts'
import { runLostWithService } from '../problems.ts'
import type { RedactionOptions } from '../redaction/redaction.ts'
import type { RunJob } from '../runs/run-states.ts'
import { entryIn, type JournalEntry, journalFolder } from './run-journal.ts'

type Options = {
  readonly dataFolder: string
  readonly history: Pick<History, 'record' | 'find'>
  /** Journals that were begun at or after this time belong to processes that run. Milliseconds since 1970. */
  readonly before: number
  readonly cardNumbers?: RedactionOptions['cardNumbers']
}

const BATCH = 200

/** @returns how many runs were lost @throws the first failure, after all journals were tried; the next start tries again */
export async function recordLostRuns({ dataFolder, history, before, cardNumbers }: Options): Promise<number> {
  const folder = journalFolder(dataFolder)
  const names = await readdir(folder).catch(() => [])
  let lost = 0
  const failures: unknown[] = []
  for (const name of names.sort()) {
    const path = join(folder, name)
    const [, begunAt] = /^(\d+)-\d+\.journal(?:\.new)?$/.exec(name) ?? []
    if (begunAt === undefined || Number(begunAt) >= before) continue
    try {
      if (name.endsWith('.journal')) lost += await recordOf(path, history, cardNumbers)
      await rm(path, { force: true })
    } catch (cause) {
      failures.push(cause)
    }
  }
  if (failures.length > 0) throw failures[0]
  return lost
}

async function recordOf(
  path: string,
  history: Options['history'],
  cardNumbers: Options['cardNumbers'],
): Promise<number> {
  const entries = openEntries(await readFile(path, 'utf8'))
  const lastAliveAt = (await stat(path)).mtimeMs
  let lost = 0
  for (let at = 0; at < entries.length; at += BATCH) {
    const missing: Execution[] = []
    for (const entry of entries.slice(at, at + BATCH)) {
      if ((await history.find(entry.executionId)) === null)
        missing.push(recordOfLost(entry, lastAliveAt, cardNumbers))
    }
    await history.record(missing)
    lost += missing.length
  }
  return lost
}

/** A kill may have cut the last line. */
export function openEntries(text: string): JournalEntry[] {
  const open = new Map<string, JournalEntry>()
  for (const line of text.split('\n')) {
    if (line.startsWith('-')) open.delete(line.slice(1))
    else {
      const entry = entryIn(line)
      if (entry !== null) open.set(entry.executionId, entry)
    }
  }
  return [...open.values()]
}

function recordOfLost(
  entry: JournalEntry,
  lastAliveAt: number,
  cardNumbers: Options['cardNumbers'],
): Execution {
  const { version, method, path, queryString, principalId, record, endpoint, ...rest } = entry
  const job: RunJob = {
    ...rest,
    endpoint: { ...endpoint, limits: {}, allowedHosts: [] },
    source: version === null ? { script: '' } : { version },
    request: {
      ...{ method, path, queryString, query: {}, headers: {}, params: {}, rawBody: null, bodyKind: 'text' },
      user: { ...anonymous, principalId: principalId ?? anonymous.principalId },
    },
    signatureHeaders: [],
    // What the journal has is masked.
    ...(record !== 'full' && { recording: { record, maskedFields: [], pattern: path } }),
  }
  // When the script began is not known; the call arrived then.
  const ended = Math.max(entry.arrivedAt, Math.floor(lastAliveAt))
  return unfinishedRunRecord(job, runLostWithService(entry.executionId), {
    began: entry.arrivedAt,
    ended,
    usedMs: 0,
    bodyBytes: 0,
    read: null,
    cardNumbers,
  })
}
