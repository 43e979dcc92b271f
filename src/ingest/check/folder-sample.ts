/** Where the check of a folder finds each table: its files, a view of tripfolio.sql, or files that may be meant. */
import { resolve } from 'node:path'
import type { TableName } from '../../schema/extract-tables.ts'
import { encloseFolder } from '../guard/enclosed-folder.ts'
import { nothingStated } from '../sources/encodings.ts'
import { mappedEncodings, runMapping } from '../sources/mapping.ts'
import { type IngestedTable, ingestedTables } from '../tables.ts'
import type { WorkDatabase } from '../work-database.ts'
import { draftMapping } from './draft-mapping.ts'
import { type FileGroup, type FoundFiles, findFiles } from './found-files.ts'
import { likelyFiles } from './likely-files.ts'
import type { Place } from './look-at-table.ts'
import { namesIn } from './sample.ts'
import type { SampledSource } from './sampled-source.ts'

/** @throws Problem ING101 when the folder cannot be read, ING107 when its mapping fails */
export async function sampleFolder(
  { source, dataFolder }: { readonly source: string; readonly dataFolder?: string },
  database: WorkDatabase,
): Promise<SampledSource> {
  const root = resolve(source)
  const { refuseChange } = await encloseFolder(root, dataFolder)
  const files = await findFiles(root)
  const views = files.mapping !== null ? await runMapping(root, database) : new Set<string>()
  const likely = await likelyInFolder(root, files, views, database)
  return {
    kind: 'folder',
    source: root,
    root,
    encodings: files.mapping !== null ? await mappedEncodings(database) : nothingStated,
    places: ingestedTables.map((table) => placeOf(table, files, views, likely)),
    warnings: [],
    refuseChange,
    draft: (looked) => draftMapping(looked, files.mapping),
  }
}

async function likelyInFolder(
  root: string,
  { tables, others }: FoundFiles,
  views: ReadonlySet<string>,
  database: WorkDatabase,
): Promise<ReadonlyMap<TableName, FileGroup>> {
  const without = ingestedTables.filter(({ name }) => !views.has(name) && tables.get(name)?.group === null)
  if (without.length === 0) return new Map()
  const candidates = await Promise.all(
    others.map(async (group) => ({
      group,
      called: (group.files[0] ?? '').split('/').map((part) => part.replace(/\.[^/]*$/, '')),
      // A file that cannot be read may still have the name of a table.
      namesFor: await namesIn(group, root, database).catch(() => () => []),
    })),
  )
  return likelyFiles(without, candidates)
}

function placeOf(
  { name }: IngestedTable,
  { tables }: FoundFiles,
  views: ReadonlySet<string>,
  likely: ReadonlyMap<TableName, FileGroup>,
): Place {
  if (views.has(name)) return { found: 'view', group: null, sources: [], faults: [], unreadable: [] }
  const { group = null, sources = [], faults = [], unreadable = [] } = tables.get(name) ?? {}
  if (group !== null) return { found: 'files', group, sources, faults, unreadable }
  const other = likely.get(name) ?? null
  return { found: other === null ? 'nothing' : 'other files', group: other, sources, faults, unreadable }
}
