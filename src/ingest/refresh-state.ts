/** How the service's latest refresh stands, for whoever asked for it. */
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
    }
  | {
      readonly state: 'refused'
      readonly requestedBy: string
      readonly startedAt: string
      readonly endedAt: string
      readonly reason: string
    }

/** What can be asked of the one place in the process that refreshes. Results are plain data, also between threads. */
export type Refreshing = {
  readonly state: () => Promise<RefreshState>
  /** Begins one and does not wait for it. `busy`: one is running. `no-source`: there is nothing to refresh from. */
  readonly start: (by: string) => Promise<'started' | 'busy' | 'no-source'>
}
