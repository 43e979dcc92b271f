/** What an import of a directory file did, or would do. */
import type { Static } from 'typebox'
import Type from '../kernel/type.ts'

/** The most rows that one answer lists. */
export const MOST_LISTED_ROWS = 1000

const Counts = Type.Object({
  created: Type.Integer(),
  changed: Type.Integer(),
  unchanged: Type.Integer(),
})

const ImportedRow = Type.Object({
  line: Type.Integer({ description: 'The line of the file in which the row begins, from 1' }),
  resource: Type.Enum(['Organization', 'Person']),
  id: Type.String({ description: 'Its id; that of something new holds only when this was no dry run' }),
  name: Type.String({ description: 'Name of the organization, or email address of the person' }),
  outcome: Type.Enum(['created', 'changed', 'unchanged']),
  members: Type.Array(Type.String(), { description: 'The members and facets that differ from before' }),
})

export const DirectoryImport = Type.Object({
  dryRun: Type.Boolean({ description: 'True when nothing was written' }),
  organizations: Counts,
  persons: Counts,
  rows: Type.Array(ImportedRow, { description: `The first ${MOST_LISTED_ROWS} rows` }),
  total: Type.Integer({ description: 'How many rows the file has' }),
})

export type ImportedRow = Static<typeof ImportedRow>
export type DirectoryImport = Static<typeof DirectoryImport>
