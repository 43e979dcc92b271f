/**
 * Keeps the faults of a running service: which stores it cannot write, and which snapshot it cannot read. Passes on every
 * observation of the process, but each fault only once, even if several threads report it. `/readyz` shows the faults
 * without a key, so they name no path.
 */
import type { AccountFault, HoldSubject, Observation, Observe, WrittenStore } from './observation.ts'

export type Readiness = {
  /** The stores that cannot be written at the moment. */
  readonly notWritten: readonly { readonly store: WrittenStore; readonly effect: string }[]
  /** The stores that cannot be read either: their database cannot be reached. */
  readonly away?: readonly WrittenStore[]
  /** What is the matter with accounts whose rows are not as they were sealed. */
  readonly accounts?: string | undefined
  /** No account can be checked: all are sealed with another key. */
  readonly hasOtherKey?: boolean | undefined
  /** Why a published snapshot is skipped although it is not damaged. */
  readonly skipped: string | null
  /** What operators hold. */
  readonly held?: readonly { readonly what: HoldSubject; readonly effect: string }[] | undefined
  /** Whether the threads that run scripts are still being prepared. */
  readonly isStarting?: boolean | undefined
  /** What the storage of shared snapshots prevents while it does not work. */
  readonly storage?: string | undefined
}

export type ServiceHealth = {
  readonly observe: Observe
  readonly readiness: () => Readiness
  /** To be called when the service stops: reports the losses that were only counted. */
  readonly stop: () => void
}

const effects: { readonly [Store in WrittenStore]: string } = {
  control: 'changes of accounts, keys and endpoints are refused, and the last use of keys is not recorded',
  history: 'runs of scripts are not recorded, and signed deliveries are refused',
  snapshots: 'refreshes are refused; the current snapshot keeps serving',
}

export const holdEffects: { readonly [Subject in HoldSubject]: string } = {
  refreshes: 'refreshes are held: the data stays as it is until `tripfolio refresh resume`',
  schedules: 'schedules are held: no run begins by the clock until `tripfolio schedule resume`',
  outbound:
    'quiet: schedules, scheduled refreshes, HTTP requests and mail of scripts, and webhooks are held until `tripfolio resume`',
}

const STORAGE_EFFECT =
  'the storage of the snapshots does not work: clients that are loaded are served, others are answered with 503'

const OTHER_KEY_EFFECT =
  'the accounts are sealed with another secret key than that of this service: their keys are refused'

const refusedEffect = (accounts: number): string =>
  `the keys of ${accounts} ${accounts === 1 ? 'account' : 'accounts'} are refused, because ${accounts === 1 ? 'its row does' : 'their rows do'} not match the checksum: run \`tripfolio store verify\``

/** So many accounts have a line of the log; the command lists all of them. */
const MOST_REFUSED_TOLD = 20

export function watchHealth(observe: Observe): ServiceHealth {
  const failing = new Set<WrittenStore>()
  const away = new Set<WrittenStore>()
  const held = new Set<HoldSubject>()
  let skipped: { readonly snapshot: string; readonly reason: string } | null = null
  let announced = ''
  const skippedSnapshots = new Set<string>()
  let isStorageAway = false
  /** Accounts that are refused, and were reported. Of those that another key has sealed, one stands for all. */
  let refused = new Set<string>()
  let hasOtherKey = false

  /** Requests for old snapshots report them too: only one that is newer than the announced snapshot was passed over. */
  const skip = (observation: Extract<Observation, { kind: 'snapshot-skipped' }>): boolean => {
    const { snapshot } = observation
    if (snapshot > announced && snapshot > (skipped?.snapshot ?? '')) skipped = observation
    if (skippedSnapshots.has(snapshot)) return false
    skippedSnapshots.add(snapshot)
    return true
  }
  const fail = (store: WrittenStore, reason: string, isAway = false) => {
    if (isAway) away.add(store)
    if (failing.has(store)) return
    failing.add(store)
    observe({ kind: 'writing-failed', store, reason, ...(isAway && { isAway }) })
  }
  const resume = (store: WrittenStore) => {
    away.delete(store)
    if (!failing.delete(store)) return
    if (store === 'history') tellLosses()
    observe({ kind: 'writing-resumed', store })
  }
  let isLossTold = false
  /** Losses since the last report. */
  let untold = 0
  let untoldReason = ''
  const tellLoss = (loss: Extract<Observation, { kind: 'history-lost' }>) => {
    const isFailing = failing.has('history')
    // Otherwise every run would have a line.
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
  const placeOf = ({ accountId, fault }: AccountFault) => (fault === 'other-key' ? fault : accountId)
  /** @returns whether nobody was told of it yet */
  const refuse = (account: AccountFault): boolean => {
    const isNew = !refused.has(placeOf(account)) && refused.size < MOST_REFUSED_TOLD
    refused.add(placeOf(account))
    return isNew
  }
  const check = (found: Extract<Observation, { kind: 'accounts-checked' }>): boolean => {
    for (const account of found.refused) if (refuse(account)) observe({ kind: 'account-refused', ...account })
    const isWellAgain = found.refused.length === 0 && refused.size > 0
    refused = new Set(found.refused.map(placeOf))
    hasOtherKey = found.isOfOtherKey
    return isWellAgain
  }
  /** @returns whether the observation is passed on unchanged */
  const take = (observation: Observation): boolean => {
    switch (observation.kind) {
      case 'writing-failed':
        fail(observation.store, observation.reason, observation.isAway)
        return false
      case 'writing-resumed':
        resume(observation.store)
        return false
      case 'refresh-refused':
        if (isWriteFault(observation.reason)) fail('snapshots', observation.reason)
        return true
      case 'refresh-published':
        resume('snapshots')
        return true
      case 'history-lost':
        tellLoss(observation)
        return false
      case 'history-not-pruned':
        // Otherwise there would be a line every minute.
        return !failing.has('history')
      case 'object-fetch-failed':
        observe(isStorageAway ? { ...observation, isKnown: true } : observation)
        isStorageAway = true
        return false
      case 'object-fetched':
        if (isStorageAway) observe({ kind: 'object-fetches-resumed' })
        isStorageAway = false
        return true
      case 'account-refused':
        return refuse(observation)
      case 'accounts-checked':
        return check(observation)
      case 'hold-begun':
        held.add(observation.subject)
        return true
      case 'hold-ended':
        held.delete(observation.subject)
        return true
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
      ...(away.size > 0 && { away: [...away] }),
      ...(refused.size > 0 && { accounts: hasOtherKey ? OTHER_KEY_EFFECT : refusedEffect(refused.size) }),
      ...(hasOtherKey && { hasOtherKey }),
      ...(held.size > 0 && { held: [...held].map((what) => ({ what, effect: holdEffects[what] })) }),
      skipped: skipped?.reason ?? null,
      ...(isStorageAway && { storage: STORAGE_EFFECT }),
    }),
    stop: tellLosses,
  }
}

/** A refresh is a process of its own that returns only a reason; the reason ends with the code of the system. */
const isWriteFault = (reason: string): boolean =>
  /\((ENOSPC|EDQUOT|EROFS|EACCES|EPERM|EFBIG|EIO)\)/.test(reason)

/** Reports that a store cannot be written (the reason), or that it can be written again (null). */
export const reportWriting =
  (observe: Observe, store: WrittenStore) =>
  (reason: string | null, isAway = false): void =>
    observe(
      reason === null
        ? { kind: 'writing-resumed', store }
        : { kind: 'writing-failed', store, reason, ...(isAway && { isAway }) },
    )
