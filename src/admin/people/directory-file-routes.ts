/** Organizations and persons as a file: import and export. */
import { Readable } from 'node:stream'
import Type from '../../kernel/type.ts'
import { DirectoryImport } from '../../schema/directory-import-shapes.ts'
import type { ResourceRoutes } from '../admin-deps.ts'
import { requestShape } from '../request-shape.ts'

const ImportRequest = requestShape(
  Type.Object({
    csv: Type.String({
      description: 'The file as text, with a header',
      examples: ['resource,number,name\norganization,H1,Harbour\n'],
    }),
    dryRun: Type.Boolean({ default: false, description: 'Says what would be done, and writes nothing' }),
  }),
)

export const directoryFileRoutes: ResourceRoutes = (add, { store: { directoryFiles } }) => {
  add({
    method: 'POST',
    path: '/directory/import',
    operationId: 'importDirectory',
    role: 'admin',
    tag: 'Persons',
    summary: 'Import organizations and persons from CSV',
    description:
      'All rows or none. A row finds an organization by id, by number, or by name and parent, and a person by id or email address; ' +
      'what is not found is created, and nothing is removed. Columns that the file does not have stay as they are; an empty cell ' +
      'empties. For larger files there is the command `tripfolio directory import`.',
    body: ImportRequest,
    answer: { description: 'What was created, changed and left', shape: DirectoryImport },
    handle: ({ body: { csv, dryRun }, by }) => directoryFiles.import([csv], { by, dryRun }),
  })
  add({
    method: 'GET',
    path: '/directory/export',
    operationId: 'exportDirectory',
    role: 'support or author',
    tag: 'Persons',
    summary: 'Export all organizations and persons as CSV',
    description:
      'An import of the file changes nothing, and makes the same directory in a service without one.',
    answer: { description: 'The file', mediaType: 'text/csv', shape: Type.String() },
    leaves: { action: 'directory.export', entry: () => ({ subjectId: 'directory', after: null }) },
    handle: ({ reply }) => {
      reply.headers({
        'cache-control': 'no-store',
        'content-disposition': 'attachment; filename="directory.csv"',
      })
      return reply.type('text/csv; charset=utf-8').send(Readable.from(directoryFiles.export()))
    },
  })
}
