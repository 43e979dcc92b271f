import type { StatedEncodings } from '../sources/encodings.ts'
import type { LookedAt, Place } from './look-at-table.ts'

/** A source as the check looks at it. */
export type SampledSource = {
  readonly kind: 'folder' | 'warehouse'
  /** As people may see it. */
  readonly source: string
  /** The folder that the names of files are relative to. */
  readonly root: string
  readonly encodings: StatedEncodings
  /** Where each table was found, in the order of a refresh. */
  readonly places: readonly Place[]
  /** What would not refuse the extract, and is to be mended. */
  readonly warnings: readonly string[]
  /** @throws Problem when the source is no longer as it was opened, once the sample is read */
  readonly refuseChange: () => Promise<void>
  /** A mapping to start from; null when no table needs one. */
  readonly draft: (looked: readonly LookedAt[]) => string | null
}
