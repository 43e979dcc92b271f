/** What shared snapshots need of the control store, which has it as `snapshots`: `directory/snapshots/`. */

export type PublishedSnapshot = {
  readonly id: string
  readonly publishedAt: Date
  /** The object of the manifest, and its size in bytes. */
  readonly manifest: { readonly key: string; readonly bytes: number }
  readonly isCurrent: boolean
}

/** The part that says which snapshots are published. */
export type ReadIndex = Pick<SnapshotIndex, 'current' | 'list' | 'find'>

export interface SnapshotIndex {
  current(): Promise<PublishedSnapshot | null>
  list(): Promise<readonly PublishedSnapshot[]>
  find(id: string): Promise<PublishedSnapshot | null>
  begin(
    idAfter: (newest: string | undefined) => string,
  ): Promise<{ readonly id: string; readonly base: PublishedSnapshot | null }>
  publish(id: string, manifest: PublishedSnapshot['manifest'], by: string): Promise<boolean>
  abandon(id: string): Promise<void>
  rollBack(
    id: string,
    rollback: { readonly from: string | undefined; readonly by: string },
  ): Promise<'done' | 'not-retained' | 'changed'>
  retire(ids: readonly string[]): Promise<void>
  forget(retiredBefore: Date): Promise<{
    readonly snapshots: readonly PublishedSnapshot[]
    readonly drafts: readonly string[]
  }>
}
