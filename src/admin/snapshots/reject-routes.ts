/** Rows that were rejected while a snapshot was built, or by the latest refused refresh: in pages, and as a file. */
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { REJECTS_FILE, type Reject } from '../../ingest/reject-log.ts'
import { csvCell, csvLine } from '../../kernel/csv.ts'
import Type from '../../kernel/type.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import { pageParameters, pageShape, queryShape } from '../paging.ts'
import { notFound } from '../problems.ts'
import { knownSnapshot } from './known-snapshot.ts'
import { readRejects, streamRejects } from './read-rejects.ts'
import { Reject as RejectShape } from './snapshot-shapes.ts'

const tag = 'Snapshots'

const filterParameters = {
  table: Type.Optional(Type.String({ description: 'Only rows of this table' })),
  rule: Type.Optional(Type.String({ description: 'Only rows that break this rule, such as `type.date`' })),
  client: Type.Optional(
    Type.String({ description: 'Only rows of this client; a row whose client is unknown has none' }),
  ),
}

const pageQuery = queryShape({ ...filterParameters, ...pageParameters })
const fileQuery = queryShape({
  ...filterParameters,
  format: Type.Enum(['csv', 'ndjson'], { default: 'csv', description: 'The format of the file' }),
})

const order =
  'Rows are in the order in which they were found. With a filter a page may have fewer rows than `limit`, even none, before the last one: go on with `next`.'

/** The lists of rejects that there are, by their addresses. */
const lists = [
  {
    path: '/snapshots/:id/rejects',
    page: 'listRejects',
    file: 'downloadRejects',
    of: 'a snapshot',
    params: Type.Object({ id: Type.String({ description: 'Id of the snapshot' }) }),
    missing: 'There is no such snapshot',
    fileOf: async (deps: AdminDeps, { id = '' }: { readonly id?: string }) => ({
      path: await deps.manifests.source.fileBeside(await knownSnapshot(id, deps), REJECTS_FILE),
      // The snapshot was removed meanwhile.
      gone: () => notFound('snapshot', id),
    }),
  },
  {
    path: '/snapshots/last-refusal/rejects',
    page: 'listRejectsOfLastRefusal',
    file: 'downloadRejectsOfLastRefusal',
    of: 'the latest refresh that was refused',
    params: Type.Object({}),
    missing: 'No refresh has been refused',
    fileOf: async ({ dataFolder }: AdminDeps) => ({
      path: join(dataFolder, 'last-refusal', REJECTS_FILE),
      gone: () => notFound('refused refresh', 'last-refusal'),
    }),
  },
] as const

export const rejectRoutes: ResourceRoutes = (add, deps) => {
  for (const list of lists) {
    add({
      method: 'GET',
      path: list.path,
      operationId: list.page,
      role: 'support or author',
      tag,
      summary: `List the rejected rows of ${list.of}, in the order in which they were found`,
      description: order,
      params: list.params,
      query: pageQuery,
      answer: { description: 'A page of rejected rows', shape: pageShape(RejectShape) },
      refusals: { 404: list.missing },
      leaves: {
        action: 'snapshot.view-rejects',
        entry: ({ params, query: { table, rule, client } }) => ({
          subjectId: subjectOf(params),
          after: { table, rule, client },
        }),
      },
      handle: async ({ params, query }) => {
        const { path, gone } = await list.fileOf(deps, params)
        const page = path === null ? null : await readRejects(path, query)
        if (page === null) throw gone()
        return page
      },
    })
    add({
      method: 'GET',
      path: `${list.path}/file`,
      operationId: list.file,
      role: 'support or author',
      tag,
      summary: `Download the rejected rows of ${list.of}`,
      description: 'As CSV, with the key as JSON, or as one JSON object per line.',
      params: list.params,
      query: fileQuery,
      answer: {
        description: 'The rows as a stream; `application/x-ndjson` for `format=ndjson`',
        mediaType: 'text/csv',
        shape: Type.String(),
      },
      refusals: { 404: list.missing },
      leaves: {
        action: 'snapshot.view-rejects',
        entry: ({ params, query: { table, rule, client } }) => ({
          subjectId: subjectOf(params),
          after: { table, rule, client },
        }),
      },
      handle: async ({ params, query: { format, ...filter }, reply }) => {
        const { path, gone } = await list.fileOf(deps, params)
        const rejects = path === null ? null : await streamRejects(path, filter)
        if (rejects === null) throw gone()
        return sendFile(reply, format, rejects)
      },
    })
  }
}

const subjectOf = ({ id = 'last-refusal' }: { readonly id?: string }): string => id

const formats = {
  csv: {
    type: 'text/csv; charset=utf-8',
    header: 'table,client,file,row,key,field,rule,value,message\r\n',
    line: rejectLine,
  },
  ndjson: {
    type: 'application/x-ndjson; charset=utf-8',
    header: '',
    line: (reject: Reject) => `${JSON.stringify(reject)}\n`,
  },
} as const

function rejectLine({ table, client, file, row, key, field, rule, value, message }: Reject): string {
  const keyText = key === null ? null : JSON.stringify(key)
  const cells = [table, client, file, String(row), keyText, field, rule, value, message]
  return csvLine(cells.map((cell) => (cell === null ? '' : csvCell(cell))))
}

const BUFFERED_CHARACTERS = 2 ** 16

function sendFile(reply: FastifyReply, format: keyof typeof formats, rejects: AsyncGenerator<Reject>) {
  const { type, header, line } = formats[format]
  async function* text() {
    let buffered = header
    for await (const reject of rejects) {
      buffered += line(reject)
      if (buffered.length < BUFFERED_CHARACTERS) continue
      yield buffered
      buffered = ''
    }
    yield buffered
  }
  reply.headers({
    'cache-control': 'no-store',
    'content-disposition': `attachment; filename="rejects.${format}"`,
  })
  return reply.type(type).send(Readable.from(text()))
}
