/**
 * Runs work on one of several nodes: on the one that holds an advisory lock. When that node dies or loses the lock, another
 * one takes the work over within 10 s.
 *
 *     waits --- has the lock ---> does the work --- lost the lock ---> waits
 *                                       '-------- is closed ---------> ended
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type LockName, tryAdvisoryLock } from './advisory-locks.ts'

/** Starts the work. @param lost aborted when another node may do the work from now on @returns a function that ends it */
export type StartWork = (lost: AbortSignal) => () => void | Promise<void>

export type WorkOnOneNode = {
  /** Starts this work whenever this node has the lock. @returns a function that ends it, and resolves when it has ended */
  readonly add: (start: StartWork) => () => Promise<void>
  /** Ends all work, then lets another node have it. */
  readonly close: () => Promise<void>
}

type Options = {
  readonly url: string
  readonly lock: LockName
  readonly onTaken: () => void
  /** The lock was lost, or given back when the work was closed. */
  readonly onGone: (reason: Error | null) => void
  /** How often a node that waits asks for the lock. */
  readonly everyMs?: number
}

const EVERY_MS = 2000

export function onOneNode({ url, lock: name, onTaken, onGone, everyMs = EVERY_MS }: Options): WorkOnOneNode {
  const closing = new AbortController()
  /** All work, with the function that ends it while it runs. */
  const works = new Map<StartWork, (() => void | Promise<void>) | null>()
  let lost: AbortSignal | null = null

  const begin = (start: StartWork) => works.set(start, lost === null ? null : start(lost))
  const end = async (start: StartWork) => {
    const stop = works.get(start)
    works.set(start, null)
    await stop?.()
  }

  async function takeTurns(): Promise<void> {
    while (!closing.signal.aborted) {
      // A database that is away gives the lock to nobody. The stores report that they cannot reach it.
      const lock = await tryAdvisoryLock(url, name).catch(() => null)
      if (lock !== null) {
        lost = lock.lost
        onTaken()
        for (const start of works.keys()) begin(start)
        await aborted(AbortSignal.any([lock.lost, closing.signal]))
        lost = null
        const ended = Promise.allSettled([...works.keys()].map(end))
        // Work that lost the lock may take long to end, where the database is away: this node can ask for the lock again.
        if (!lock.lost.aborted) await ended
        await lock.release()
        onGone(lock.lost.aborted ? (lock.lost.reason as Error) : null)
      }
      await sleep(everyMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined)
    }
  }

  const turns = takeTurns()
  return {
    add: (start) => {
      begin(start)
      return async () => {
        const ended = end(start)
        works.delete(start)
        await ended
      }
    },
    close: async () => {
      closing.abort()
      await turns
    },
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
