/**
 * The state of one collection file in a thread, from the first request for it until it is evicted. Which state may follow
 * which is a type ({@link NextState}), so that no other transition compiles:
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
 * A file that is asked for after it was evicted is another cached file and begins with loading. Requests that were given
 * the partition of an evicted file keep it to their end.
 */

import type { Partition } from './partition.ts'
import type { Hold, LoadedPartition } from './snapshot.ts'

export type OpenPartition = {
  readonly partition: Partition
  /** Where the last use of its file is noted. */
  readonly place: number
  readonly hold: Hold
  /** The snapshot it is from, when it stands in place of a damaged file of another snapshot. */
  readonly olderOrigin: Origin | null
}

export type Origin = Omit<LoadedPartition, 'partition' | 'hold'>

/** Looks for an older intact file of the same client and collection. Rejects when there is none. */
export type FindOlder = () => Promise<OpenPartition>

export type Loading = {
  readonly kind: 'loading'
  /** Null when the file is damaged or gone, which has then been reported. */
  readonly own: Promise<OpenPartition | null>
  /** Somebody waits for this very file, and takes no older one in its place. */
  isWantedItself: boolean
  /** From the first request that takes an older file in its place; null while there is none. */
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

/** What may follow, whichever of the possible states the file is in. */
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

  /** @throws Error when the file is not in the state any more that the caller has looked at */
  become<From extends FileState>(from: From, next: Follower<From> & FileState): void {
    if (this.#state !== from)
      throw new Error(`Expected a file that is ${from.kind}, found ${this.#state.kind}`)
    this.#state = next
  }
}
