/**
 * The application of both peers: serves the version 2 lists with Fastify from a store. It looks up API keys by their hash in
 * memory, and refuses unknown keys.
 */
import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { conditionOf, orderOf } from './filters.ts'
import type { List, Store } from './store.ts'

/** Client numbers by the SHA-256 of their key. */
export type Accounts = Readonly<Record<string, string>>

export function peerApp(store: Store, accounts: Accounts): FastifyInstance {
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  const clients = new Map(Object.entries(accounts))
  const clientOf = ({ headers }: FastifyRequest): string | undefined =>
    clients.get(hash('sha256', String(headers['x-api-key']), 'hex'))

  app.get<{ Params: { list: List }; Querystring: Record<string, string | undefined> }>(
    '/api/v2/:list',
    async (request, reply) => {
      const clientNumber = clientOf(request)
      if (clientNumber === undefined) return reply.code(401).send({ error: 'Unknown API key' })
      const { list } = request.params
      const { $filter, $orderby, $page = '1', $pageSize } = request.query
      reply.type('application/json; charset=utf-8')
      if ($pageSize === undefined) return reply.send(Readable.from(wholeList(store, list, clientNumber)))
      const [page, pageSize] = [Number($page), Number($pageSize)]
      const { total, records } = await store.page({
        list,
        clientNumber,
        condition: conditionOf($filter),
        order: orderOf($orderby),
        limit: pageSize,
        offset: (page - 1) * pageSize,
      })
      const totalPages = Math.ceil(total / pageSize)
      const meta = JSON.stringify({ page, pageSize, total, totalPages, filteredCount: total })
      return `${beginning(list, clientNumber, records.length)}${records.join(',')}],"_meta":${meta}}`
    },
  )
  return app
}

const beginning = (list: List, clientNumber: string, count: number): string =>
  `{"clientNumber":${JSON.stringify(clientNumber)},"count":${count},"${list}":[`

const CHUNK_CHARACTERS = 64 * 1024

async function* wholeList(store: Store, list: List, clientNumber: string): AsyncGenerator<string> {
  let chunk = beginning(list, clientNumber, await countOf(store, list, clientNumber))
  let separator = ''
  for await (const record of store.all(list, clientNumber)) {
    chunk += separator + record
    separator = ','
    if (chunk.length < CHUNK_CHARACTERS) continue
    yield chunk
    chunk = ''
  }
  yield `${chunk}]}`
}

async function countOf(store: Store, list: List, clientNumber: string): Promise<number> {
  const query = { list, clientNumber, condition: conditionOf(undefined), order: orderOf(undefined) }
  return (await store.page({ ...query, limit: 1, offset: 0 })).total
}
