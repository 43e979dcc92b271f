/** Knows which snapshot the service answers from, and tells all threads when another one is current. */
import type { Observation, Observe } from '../observe/observation.ts'
import type { Manifest } from '../snapshot/manifest.ts'
import type { Manifests } from '../snapshot/manifests.ts'
import { isUnavailable } from '../snapshot/problems.ts'

type Parts = {
  readonly observe: Observe
  /** Resolves when the data folder is open. */
  readonly snapshots: Promise<{
    readonly manifests: Pick<Manifests, 'successorOf'>
    /** The observations to report when a snapshot is announced. */
    readonly announcementOf: (manifest: Manifest) => Iterable<Observation>
  }>
}

type Listener = (manifest: Manifest) => Promise<void>

export type Announcements = {
  /** The manifest of the snapshot to start with; null while there is none. Waits until the data folder is open. */
  readonly currentManifest: () => Promise<Manifest | null>
  readonly hasSnapshot: () => boolean
  /** Adds a listener, which is called for every later announcement. */
  readonly tell: (listener: Listener) => void
  /** Announces the snapshot to start with. */
  readonly announceFirst: () => Promise<void>
  /** Announces the current snapshot unless it has been announced already. */
  readonly announceNewer: () => Promise<void>
  /** Starts to announce what other processes publish. @returns a function that stops this */
  readonly watch: (onFailure: (cause: unknown) => void) => () => void
}

/** A storage that several nodes share may be away at the start: then the first snapshot is found by a later look. */
function noneYet(cause: unknown): null {
  if (isUnavailable(cause)) return null
  throw cause
}

/** How often the data folder is checked for a snapshot that another process published. */
const WATCH_MS = 1000

export function createAnnouncements({ observe, snapshots }: Parts): Announcements {
  const listeners: Listener[] = []
  let announced: Manifest | null = null
  let current = snapshots.then(({ manifests }) => manifests.successorOf(undefined).catch(noneYet))
  // Callers of currentManifest() get the rejection.
  current.catch(() => undefined)

  async function announce(manifest: Manifest | null): Promise<void> {
    if (manifest === null || manifest.id === announced?.id) return
    const before = announced
    announced = manifest
    current = Promise.resolve(manifest)
    try {
      await Promise.all(listeners.map((listener) => listener(manifest)))
    } catch (error) {
      // Threads that could not switch keep answering from the snapshot before. The next look tells all of them again.
      if (announced === manifest) {
        announced = before
        current = Promise.resolve(before)
      }
      throw error
    }
    for (const fact of (await snapshots).announcementOf(manifest)) observe(fact)
  }

  async function announceNewer(): Promise<void> {
    const { manifests } = await snapshots
    await announce(await manifests.successorOf(announced?.id))
  }

  return {
    currentManifest: () => current,
    hasSnapshot: () => announced !== null,
    tell: (listener) => void listeners.push(listener),
    announceFirst: async () => announce(await current),
    announceNewer,
    watch: (onFailure) => {
      let [isLooking, isFailing] = [false, false]
      const look = async () => {
        if (isLooking) return
        isLooking = true
        try {
          await announceNewer()
          isFailing = false
        } catch (error) {
          // Once, and not every second.
          if (!isFailing) onFailure(error)
          isFailing = true
        } finally {
          isLooking = false
        }
      }
      const timer = setInterval(look, WATCH_MS)
      return () => clearInterval(timer)
    },
  }
}
