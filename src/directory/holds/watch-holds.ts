/**
 * Looks every second at what operators hold, so that the log and `/readyz` say it. Each use of it asks the store by itself: a
 * hold is in force before it is reported.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config/load-config.ts'
import type { Observe } from '../../observe/observation.ts'
import type { Held, HeldSubject } from './held.ts'
import type { Holds } from './holds.ts'
import { ownQuiet, quietNow, removeQuietMark } from './quiet.ts'

type Parts = {
  readonly config: Pick<Config, 'data' | 'startedQuiet'>
  readonly holds: Holds
  readonly observe: Observe
  readonly releases: AsyncDisposableStack
}

export type HoldWatch = {
  /** Resolves when this node is not quiet for itself, or not any more. */
  readonly resumed: Promise<void>
  readonly isQuiet: () => Promise<boolean>
}

const EVERY_MS = 1000

/** Resolves after the first look. */
export async function watchHolds({ config, holds, observe, releases }: Parts): Promise<HoldWatch> {
  const { startedQuiet = null } = config
  const closing = new AbortController()
  const { promise: resumed, resolve: resume } = Promise.withResolvers<void>()
  const told = new Map<HeldSubject, Held>()

  async function look(): Promise<void> {
    for (const { subject, held, resumedAt } of await holds.list()) {
      const own = subject === 'outbound' ? ownQuiet(startedQuiet, resumedAt) : null
      tell(subject, held ?? own)
      if (subject === 'outbound' && own === null) resumeOwn()
    }
  }

  function resumeOwn(): void {
    resume()
    if (startedQuiet === null) return
    try {
      removeQuietMark(config.data)
    } catch {
      // A mark from before the resumption does not count any more.
    }
  }

  function tell(subject: HeldSubject, held: Held | null): void {
    const before = told.get(subject)
    if (held === null) {
      if (told.delete(subject)) observe({ kind: 'hold-ended', subject })
    } else if (before?.at !== held.at || before.by !== held.by) {
      told.set(subject, held)
      observe({ kind: 'hold-begun', subject, ...held })
    }
  }

  async function keepLooking(): Promise<void> {
    while (!closing.signal.aborted) {
      await sleep(EVERY_MS, undefined, { signal: closing.signal, ref: false }).catch(() => undefined)
      // The store itself reports that it cannot be read.
      if (!closing.signal.aborted) await look().catch(() => undefined)
    }
  }

  await look()
  const looking = keepLooking()
  releases.defer(async () => {
    closing.abort()
    await looking
  })
  return {
    resumed,
    isQuiet: async () => (await quietNow({ holds, startedQuiet })) !== null,
  }
}
