/** Where the check of a folder finds each table: its files, a view of tripfolio.sql, or files that may be meant. */
import { resolve } from 'node:path'
import type { TableName } from '../../schema/extract-tables.ts'
import { maskCardNumbersIn, maskWidely } from '../card-numbers.ts'
import { encloseFolder } from '../guard/enclosed-folder.ts'
import { shortened } from '../rules/field-rules.ts'
import { nothingKnown } from '../sources/find-extract.ts'
import { mappedTexts, runMapping } from '../sources/mapping.ts'
import { type IngestedTable, ingestedTables } from '../tables.ts'
import type { WorkDatabase } from '../work-database.ts'
import { draftMapping } from './draft-mapping.ts'
import { type FileGroup, type FoundFiles, findFiles } from './found-files.ts'
import { likelyFiles } from './likely-files.ts'
import type { Place } from './look-at-table.ts'
import { refuseMachineFault } from './machine-fault.ts'
import { type FileHeader, headerOf } from './sample.ts'
import type { OtherFiles, SampledSource } from './sampled-source.ts'

/** @throws Problem ING101 when the folder cannot be read, ING107 when its mapping fails */
export async function sampleFolder(
  { source, dataFolder }: { readonly source: string; readonly dataFolder?: string },
  database: WorkDatabase,
): Promise<SampledSource> {
  const root = resolve(source)
  const { refuseChange } = await encloseFolder(root, dataFolder)
  const files = await findFiles(root)
  const views = files.mapping !== null ? await runMapping(root, database) : new Set<string>()
  const { likely, otherFiles } = await othersInFolder(root, files, views, database)
  return {
    kind: 'folder',
    source: root,
    root,
    stated: files.mapping !== null ? await mappedTexts(database) : nothingKnown,
    otherFiles,
    places: ingestedTables.map((table) => placeOf(table, files, views, likely)),
    warnings: [],
    refuseChange,
    draft: (looked) => draftMapping(looked, files.mapping, otherFiles),
  }
}

type Others = {
  readonly likely: ReadonlyMap<TableName, FileGroup>
  readonly otherFiles: readonly OtherFiles[]
}

async function othersInFolder(
  root: string,
  { tables, others }: FoundFiles,
  views: ReadonlySet<string>,
  database: WorkDatabase,
): Promise<Others> {
  const without = ingestedTables.filter(({ name }) => !views.has(name) && tables.get(name)?.group === null)
  if (without.length === 0) return { likely: new Map(), otherFiles: [] }
  const candidates = await Promise.all(
    others.map(async (group) => ({
      group,
      called: (group.files[0] ?? '').split('/').map((part) => part.replace(/\.[^/]*$/, '')),
      // A file that cannot be read may still have the name of a table.
      ...(await headerOf(group, root, database).catch((cause: unknown) => {
        refuseMachineFault(cause, database)
        return unreadable
      })),
    })),
  )
  const likely = likelyFiles(without, candidates)
  const meant = new Map([...likely].map(([table, group]) => [group, table]))
  return {
    likely,
    otherFiles: candidates.map(({ group, delimiter, encoding, names }) => ({
      files: group.files.map(maskCardNumbersIn),
      format: group.format,
      delimiter,
      encoding,
      // In a file without a header, these are values of its first row.
      columns: names.map((each) => shortened(maskWidely(each))),
      table: meant.get(group) ?? null,
    })),
  }
}

const unreadable: FileHeader = { delimiter: null, encoding: 'utf-8', names: [], namesFor: () => [] }

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
