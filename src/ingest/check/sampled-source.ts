import type { TableName } from '../../schema/extract-tables.ts'
import type { StatedTexts } from '../mapping/decoded-files.ts'
import type { LookedAt, Place } from './look-at-table.ts'

/** Files of a folder that no table has, by their first one. */
export type OtherFiles = {
  readonly files: readonly string[]
  readonly format: 'csv' | 'json' | 'parquet'
  /** Null in files that are no CSV. */
  readonly delimiter: string | null
  readonly encoding: string
  readonly columns: readonly string[]
  /** The table that they may be meant for. */
  readonly table: TableName | null
}

/** A source as the check looks at it. */
export type SampledSource = {
  readonly kind: 'folder' | 'warehouse'
  /** As people may see it. */
  readonly source: string
  /** The folder that the names of files are relative to. */
  readonly root: string
  readonly stated: StatedTexts
  /** Where each table was found, in the order of a refresh. */
  readonly places: readonly Place[]
  /** The files of the folder that no table has, where a table lacks its own. */
  readonly otherFiles: readonly OtherFiles[]
  /** What would not refuse the extract, and is to be mended. */
  readonly warnings: readonly string[]
  /** @throws Problem when the source is no longer as it was opened, once the sample is read */
  readonly refuseChange: () => Promise<void>
  /** A mapping to start from; null when no table needs one. */
  readonly draft: (looked: readonly LookedAt[]) => string | null
}
