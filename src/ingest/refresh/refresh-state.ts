import type { Held } from '../../directory/holds/held.ts'
import type { RefreshReason } from '../../schema/refresh-shapes.ts'
import type { RefreshWarning } from '../../snapshot/manifest.ts'

/** The state of the service's latest refresh. */
export type RefreshState =
  | { readonly state: 'none' }
  | {
      readonly state: 'running'
      readonly requestedBy: string
      readonly startedAt: string
    }
  | {
      readonly state: 'published'
      readonly requestedBy: string
      readonly startedAt: string
      readonly endedAt: string
      readonly snapshot: string
      readonly rejects: number
      readonly warnings: readonly RefreshWarning[]
    }
  | {
      readonly state: 'refused'
      readonly requestedBy: string
      readonly startedAt: string
      readonly endedAt: string
      /** As a command prints it. */
      readonly reason: string
      /** The same as data. */
      readonly reasons: readonly RefreshReason[]
    }
  /** The refresh ended for a reason outside the extract: it took too long, or its process was ended. */
  | {
      readonly state: 'failed'
      readonly requestedBy: string
      readonly startedAt: string
      readonly endedAt: string
      /** As a command prints it. */
      readonly reason: string
      /** The same as data. */
      readonly reasons: readonly RefreshReason[]
    }

export type RefreshOptions = {
  /** An operator accepts losses against the current snapshot that would otherwise refuse this refresh. */
  readonly acceptShrink?: boolean
  /** An operator wants this refresh although refreshes are held; they stay held for others. */
  readonly despiteHold?: boolean
}

/** The interface of the one place in the process that refreshes. Results are plain data, so that threads can pass them on. */
export type Refreshing = {
  readonly state: () => Promise<RefreshState>
  /** Starts a refresh and does not wait for it. `busy`: a refresh is running. `no-source`: no source folder is set. */
  readonly start: (
    by: string,
    options?: RefreshOptions,
  ) => Promise<'started' | 'busy' | 'no-source' | { readonly held: Held }>
}
