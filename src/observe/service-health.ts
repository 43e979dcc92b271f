/**
 * What an operator has to know of a service that answers: what it cannot write at the moment, and which snapshot it cannot
 * read. Enters: every observation of the process. Leaves: the same, but each trouble once, from whichever thread it came
 * first; and what `/readyz` tells without a key, so that it names no path.
 */
import type { Observation, Observe, WrittenStore } from './observation.ts'

export type Readiness = {
  /** What is not written at the moment. */
  readonly notWritten: readonly { readonly store: WrittenStore; readonly effect: string }[]
  /** Why a published snapshot is passed over although nothing is wrong with it. */
  readonly skipped: string | null
}

export type ServiceHealth = {
  readonly observe: Observe
  readonly readiness: () => Readiness
  /** The service stops: what was only counted so far is told. */
  readonly stop: () => void
}

const effects: { readonly [Store in WrittenStore]: string } = {
  control: 'changes of accounts, keys and endpoints are refused, and last uses of keys are not noted',
  history: 'runs of scripts are not recorded, and signed deliveries are refused',
  snapshots: 'refreshes are refused; the snapshot that is there keeps serving',
}

export function watchHealth(observe: Observe): ServiceHealth {
  const failing = new Set<WrittenStore>()
  let skipped: { readonly snapshot: string; readonly reason: string } | null = null
  let announced = ''
  const skippedSnapshots = new Set<string>()

  /** Requests for old snapshots report them too: only one that is newer than the announced snapshot was passed over. */
  const skip = (observation: Extract<Observation, { kind: 'snapshot-skipped' }>): boolean => {
    const { snapshot } = observation
    if (snapshot > announced && snapshot > (skipped?.snapshot ?? '')) skipped = observation
    if (skippedSnapshots.has(snapshot)) return false
    skippedSnapshots.add(snapshot)
    return true
  }
  const fail = (store: WrittenStore, reason: string) => {
    if (failing.has(store)) return
    failing.add(store)
    observe({ kind: 'writing-failed', store, reason })
  }
  const resume = (store: WrittenStore) => {
    if (!failing.delete(store)) return
    if (store === 'history') tellLosses()
    observe({ kind: 'writing-resumed', store })
  }
  let isLossTold = false
  /** Since the last one that was told. */
  let untold = 0
  let untoldReason = ''
  const tellLoss = (loss: Extract<Observation, { kind: 'history-lost' }>) => {
    const isFailing = failing.has('history')
    // It would be told of every run.
    const isKnown = isFailing && isLossTold
    observe(isKnown ? { ...loss, isKnown: true } : loss)
    isLossTold = isFailing
    if (!isKnown) return
    untold += loss.executions
    untoldReason = loss.reason
  }
  const tellLosses = () => {
    if (untold > 0) observe({ kind: 'history-losses', executions: untold, reason: untoldReason })
    untold = 0
    isLossTold = false
  }
  /** @returns whether it goes on as it is */
  const take = (observation: Observation): boolean => {
    switch (observation.kind) {
      case 'writing-failed':
        fail(observation.store, observation.reason)
        return false
      case 'writing-resumed':
        resume(observation.store)
        return false
      case 'refresh-refused':
        if (isForWantOfRoom(observation.reason)) fail('snapshots', observation.reason)
        return true
      case 'refresh-published':
        resume('snapshots')
        return true
      case 'history-lost':
        tellLoss(observation)
        return false
      case 'history-not-pruned':
        // It would be told every minute.
        return !failing.has('history')
      case 'snapshot-skipped':
        return skip(observation)
      case 'snapshot-announced':
        announced = observation.snapshot
        if (skipped !== null && announced > skipped.snapshot) skipped = null
        return true
      default:
        return true
    }
  }
  return {
    observe: (observation) => {
      if (take(observation)) observe(observation)
    },
    readiness: () => ({
      notWritten: [...failing].map((store) => ({ store, effect: effects[store] })),
      skipped: skipped?.reason ?? null,
    }),
    stop: tellLosses,
  }
}

/** A refresh is a process of its own, of which only the reason comes back; it ends in the system's code. */
const isForWantOfRoom = (reason: string): boolean =>
  /\((ENOSPC|EDQUOT|EROFS|EACCES|EPERM|EFBIG|EIO)\)/.test(reason)

/** For whoever writes a store: tells of it that it cannot be written, or that it can again. */
export const reportWriting =
  (observe: Observe, store: WrittenStore) =>
  (reason: string | null): void =>
    observe(reason === null ? { kind: 'writing-resumed', store } : { kind: 'writing-failed', store, reason })
