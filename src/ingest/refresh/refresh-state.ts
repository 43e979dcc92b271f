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
      readonly reason: string
    }
  /** It ended for a reason that is not the extract's: it took too long, or its process was ended. */
  | {
      readonly state: 'failed'
      readonly requestedBy: string
      readonly startedAt: string
      readonly endedAt: string
      readonly reason: string
    }

export type RefreshOptions = {
  /** Losses against the current snapshot that would refuse this refresh are meant. */
  readonly acceptShrink?: boolean
}

/** What can be asked of the one place in the process that refreshes. Results are plain data, also between threads. */
export type Refreshing = {
  readonly state: () => Promise<RefreshState>
  /** Begins one and does not wait for it. `busy`: one is running. `no-source`: there is nothing to refresh from. */
  readonly start: (by: string, options?: RefreshOptions) => Promise<'started' | 'busy' | 'no-source'>
}
