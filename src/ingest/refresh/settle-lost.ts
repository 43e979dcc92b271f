/** Records as lost the refreshes whose process has died: those of this data folder at the start, and any other soon. */
import type { RefreshHistory } from '../../directory/refreshes/refreshes.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Observe } from '../../observe/observation.ts'
import { lockRefresh } from './refresh-lock.ts'
import { nodeOf } from './refresh-recorder.ts'

type Parts = {
  readonly config: { readonly data: string }
  readonly history: Pick<RefreshHistory, 'settleLost'>
  readonly observe: Observe
}

const LOOK_EVERY_MS = 10_000

/** @returns a function that ends this */
export async function settleLostRefreshes({ config, history, observe }: Parts): Promise<() => void> {
  // The store itself reports that it is away or cannot be written; the next look tries again.
  const settle = async (node?: string) => {
    try {
      await history.settleLost(new Date(), node)
    } catch (cause) {
      if (!(cause instanceof Problem)) observe({ kind: 'refresh-not-recorded', cause })
    }
  }
  await settle(isUnlocked(config.data) ? nodeOf(config.data) : undefined)
  const timer = setInterval(settle, LOOK_EVERY_MS).unref()
  return () => clearInterval(timer)
}

/** Every refresh of a data folder holds its lock, and loses it when its process dies. */
function isUnlocked(dataFolder: string): boolean {
  try {
    lockRefresh(dataFolder).release()
    return true
  } catch {
    return false
  }
}
