/** What a pull does with the files of one endpoint or module. */
import type { Comparison } from '../operations/compare-definitions.ts'

export type Pulled = {
  readonly kind: 'endpoint' | 'module'
  readonly name: string
  readonly outcome: 'created' | 'changed' | 'unchanged'
  /** Of an endpoint, the files of the definition and of the script. */
  readonly files: readonly string[]
  /** The texts to write, by path; without the files that stay as they are. */
  readonly writes: ReadonlyMap<string, string>
  /** What the files had until now, where they hold edits that are in no version; otherwise null. */
  readonly edited: Comparison | null
}
