/**
 * The state of one collection file in a thread, from the first request for it until it is evicted. The type
 * {@link NextState} says which state may follow which, so that no other transition compiles:
 *
 *                 the file is intact
 *     loading ──────────────────────────► open ───────┐
 *       │ │                                           │ evict: memory is short, or the announced
 *       │ │ it is damaged                             │ snapshot does not use the file
 *       │ └────────────────────► replaced ────────────┤
 *       │                     (by an older file)      │ the same, or the announced snapshot has
 *       │                                             │ an intact file of this checksum again
 *       │ nothing could be opened, or evict           ▼
 *       └─────────────────────────────────────────► evicted
 *
 * A request for an evicted file creates a new cached file, which begins with loading. Requests that already have the
 * partition of an evicted file keep it until they end.
 */

import type { Partition } from './partition.ts'
import type { Hold, LoadedPartition } from './snapshot.ts'

export type OpenPartition = {
  readonly partition: Partition
  /** The place of its file in the LRU clock. */
  readonly place: number
  readonly hold: Hold
  /** The snapshot that it comes from, when it replaces a damaged file of another snapshot. */
  readonly olderOrigin: Origin | null
}

export type Origin = Omit<LoadedPartition, 'partition' | 'hold'>

/** Looks for an older intact file of the same client and collection. Rejects when there is none. */
export type FindOlder = () => Promise<OpenPartition>

export type Loading = {
  readonly kind: 'loading'
  /** Null when the file is damaged or missing; this has been reported by then. */
  readonly own: Promise<OpenPartition | null>
  /** Whether a request waits for exactly this file, and accepts no older one. */
  isWantedItself: boolean
  /** Set by the first request that accepts an older file instead; null while there is none. */
  findOlder: FindOlder | null
}

type Open = { readonly kind: 'open'; readonly own: OpenPartition }

type Replaced = { readonly kind: 'replaced'; readonly older: Promise<OpenPartition> }

type Evicted = { readonly kind: 'evicted' }

export type FileState = Loading | Open | Replaced | Evicted

export type NextState = {
  readonly loading: Open | Replaced | Evicted
  readonly open: Evicted
  readonly replaced: Evicted
  readonly evicted: never
}

/** The states that may follow every state in `From`. */
type Follower<From extends FileState> = (
  From extends FileState
    ? (next: NextState[From['kind']]) => void
    : never
) extends (next: infer Next) => void
  ? Next
  : never

export class CachedFile {
  #state: FileState

  constructor(load: (file: CachedFile) => Loading) {
    this.#state = load(this)
  }

  get state(): FileState {
    return this.#state
  }

  /** @throws Error when the file is no longer in the state that the caller has seen */
  become<From extends FileState>(from: From, next: Follower<From> & FileState): void {
    if (this.#state !== from)
      throw new Error(`Expected a file in the state ${from.kind}, found ${this.#state.kind}`)
    this.#state = next
  }
}
