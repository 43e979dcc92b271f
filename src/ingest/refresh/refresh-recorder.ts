/**
 * Records one refresh in the control store while it runs: its progress at most once a second, a sign of life every few seconds,
 * and its end. A store that cannot be written does not disturb the refresh: the failure is told once.
 */
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { RefreshHistory } from '../../directory/refreshes/refreshes.ts'
import {
  noFigures,
  noFindings,
  type RefreshFigures,
  type RefreshStageName,
  type RefreshProgress as ShownProgress,
} from '../../schema/refresh-shapes.ts'
import type { RefreshProgress } from '../cycle.ts'
import type { RefreshEnd } from './refresh-report.ts'

export type RefreshRecorder = {
  readonly progress: (progress: RefreshProgress) => void
  /** Resolves when the end is written, or cannot be. */
  readonly end: (end: RefreshEnd) => Promise<void>
}

export type RecordedBy = {
  readonly history: Pick<RefreshHistory, 'begin' | 'note' | 'renew' | 'end'>
  readonly dataFolder: string
  readonly origin: 'service' | 'command'
  readonly requestedBy: string
  /** Called at most once. */
  readonly onFailure: (cause: unknown) => void
}

/** Where a refresh runs, and whose lock it holds. */
export const nodeOf = (dataFolder: string): string => `${hostname()}:${resolve(dataFolder)}`

const NOTED_EVERY_MS = 1000
const RENEWED_EVERY_MS = 5000
/** Longer than the clocks of nodes differ, and than a busy process does not get to write. */
const COUNTS_AS_ALIVE_MS = 30_000

/** Keeps refreshes from being recorded, where there is no store. */
export const noRecorder: RefreshRecorder = { progress: () => undefined, end: async () => undefined }

export async function recordRefresh(by: RecordedBy): Promise<RefreshRecorder> {
  const { history, dataFolder, origin, requestedBy } = by
  const [id, node] = [crypto.randomUUID(), nodeOf(dataFolder)]
  const started = Date.now()
  let hasFailed = false
  const attempt = async (write: () => Promise<unknown>) => {
    try {
      await write()
    } catch (cause) {
      if (!hasFailed) by.onFailure(cause)
      hasFailed = true
    }
  }
  const aliveUntil = () => new Date(Date.now() + COUNTS_AS_ALIVE_MS).toISOString()
  const startedAt = new Date(started).toISOString()
  await attempt(() => history.begin({ id, node, origin, requestedBy, startedAt, aliveUntil: aliveUntil() }))
  const stages = new StageClock()
  let latest: ShownProgress | null = null
  let isNoted = true
  let writtenAt = started
  let writing: Promise<void> = Promise.resolve()
  const figures = (): RefreshFigures => ({ ...noFigures, progress: latest, stages: stages.times() })
  const write = () => {
    const [hasNews, isDue] = [!isNoted, Date.now() - writtenAt >= RENEWED_EVERY_MS]
    if (!hasNews && !isDue) return
    isNoted = true
    writtenAt = Date.now()
    const noting = () => history.note(id, figures(), aliveUntil())
    // One after the other, so that no older progress replaces a newer one.
    writing = writing.then(() => attempt(hasNews ? noting : () => history.renew(id, aliveUntil())))
  }
  const timer = setInterval(write, NOTED_EVERY_MS)
  timer.unref()
  return {
    progress: (progress) => {
      latest = shownProgress(progress)
      stages.enter(progress.stage)
      isNoted = false
    },
    end: async ({ outcome, snapshot, reasons, report }) => {
      clearInterval(timer)
      await writing
      const { tables, rejectsByRule, warnings, ...found } = report ?? { ...figures(), ...noFindings }
      // One that did not publish shows where it ended.
      const progress = snapshot === null ? latest : null
      await attempt(() =>
        history.end(id, {
          outcome,
          endedAt: new Date().toISOString(),
          snapshotId: snapshot,
          figures: { ...found, progress, reasons: [...reasons] },
          findings: { tables, rejectsByRule, warnings },
        }),
      )
    },
  }
}

const countsTables = { read: true, validate: true, build: false, publish: false } as const

function shownProgress({ stage, done, total, table, rows, bytes }: RefreshProgress): ShownProgress {
  return {
    stage,
    table: table ?? null,
    tables: countsTables[stage] ? { done, expected: total } : null,
    rows: stage === 'build' ? { done, expected: total } : (rows ?? null),
    bytes: bytes ?? null,
  }
}

/** Times the stages from outside, for those who watch. */
class StageClock {
  readonly #begun = new Map<RefreshStageName, number>()

  enter(stage: RefreshStageName): void {
    if (!this.#begun.has(stage)) this.#begun.set(stage, performance.now())
  }

  /** Of the last one, so far. */
  times(): RefreshFigures['stages'] {
    const begun = [...this.#begun]
    return begun.map(([stage, at], i) => ({
      stage,
      milliseconds: Math.round((begun[i + 1]?.[1] ?? performance.now()) - at),
    }))
  }
}
