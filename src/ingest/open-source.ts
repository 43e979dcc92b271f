/** Finds the tables of an extract in its source: a folder, or a warehouse in PostgreSQL. */
import { dirname, resolve } from 'node:path'
import { isWarehouse } from '../config/extract-source.ts'
import type { TableName } from '../schema/extract-tables.ts'
import type { RefreshWarning } from '../snapshot/manifest.ts'
import { encloseFolder } from './guard/enclosed-folder.ts'
import { type FoundExtract, findExtract } from './sources/find-extract.ts'
import { type CheckedFiles, checkListedFiles, nothingListed } from './sources/listed-files.ts'
import type { WorkDatabase } from './work-database.ts'

type Opening = {
  readonly source: string
  readonly mapping: string | undefined
  readonly signal: AbortSignal | undefined
  readonly onNote: (note: string) => void
  readonly onWarning: (warning: RefreshWarning) => void
  readonly onTable: (table: TableName, done: number, total: number) => void
}

export type OpenedExtract = FoundExtract & {
  readonly listed: CheckedFiles
  /** @throws Problem when the source is no longer as it was opened, once all of it is read */
  readonly refuseChange: () => Promise<void>
}

export async function openSource(opening: Opening, database: WorkDatabase): Promise<OpenedExtract> {
  const { source, signal } = opening
  if (isWarehouse(source)) {
    // A refresh from files does not load the driver.
    const { readWarehouse } = await import('./warehouse/read-warehouse.ts')
    return {
      ...(await readWarehouse({ ...opening, folder: database.folder })),
      listed: nothingListed,
      refuseChange: async () => undefined,
    }
  }
  const root = resolve(source)
  const { refuseChange } = await encloseFolder(root, dirname(database.folder))
  // The check comes before the mapping, because the mapping may read any of the files.
  const listed = await checkListedFiles(root, signal)
  return { ...(await findExtract(root, database, signal)), listed, refuseChange }
}
