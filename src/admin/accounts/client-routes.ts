/** The clients of the current snapshot. They come from the extract, so the admin API cannot change them. */
import type { Static } from 'typebox'
import { fold } from '../../kernel/text.ts'
import Type from '../../kernel/type.ts'
import { filesOf, type Manifest } from '../../snapshot/manifest.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import { type Listed, listOf, listParameters, listShape, queryShape } from '../paging.ts'
import { notFound } from '../problems.ts'
import { previewRoute } from './preview-route.ts'

const Client = Type.Object({
  number: Type.String({ description: 'Client number' }),
  name: Type.String(),
  bookings: Type.Integer({ description: 'Number of bookings in the snapshot' }),
  invoices: Type.Integer({ description: 'Number of invoices in the snapshot' }),
  bytes: Type.Integer({ description: "Size of the client's files" }),
  accounts: Type.Integer({ description: 'Number of service accounts for this client' }),
})

const listed: Listed<Static<typeof Client>> = {
  sorts: {
    number: ({ number }) => [number],
    name: ({ name }) => [fold(name)],
    bookings: ({ bookings }) => [bookings],
    invoices: ({ invoices }) => [invoices],
    bytes: ({ bytes }) => [bytes],
    accounts: ({ accounts }) => [accounts],
  },
  id: ({ number }) => number,
  texts: ({ number, name }) => [number, name],
}

export const clientRoutes: ResourceRoutes = (add, deps) => {
  const currentManifest = createCurrentManifest(deps)
  const currentClients = () => clientsOf(currentManifest, deps)
  previewRoute(add, deps, async (number) =>
    (await currentManifest())?.clients.some(({ clientNumber }) => clientNumber === number),
  )
  add({
    method: 'GET',
    path: '/clients',
    operationId: 'listClients',
    role: 'viewer',
    tag: 'Clients',
    summary: 'List clients, by default sorted by number',
    query: queryShape(listParameters(listed, 'number or name')),
    answer: {
      description: 'A page of clients; empty while there is no snapshot',
      shape: listShape(Client),
    },
    handle: async ({ query }) => listOf(await currentClients(), listed, query),
  })
  add({
    method: 'GET',
    path: '/clients/:number',
    operationId: 'getClient',
    role: 'viewer',
    tag: 'Clients',
    summary: 'Get a client',
    params: Type.Object({ number: Type.String({ description: 'Client number; letter case matters' }) }),
    answer: { description: 'The client', shape: Client },
    refusals: { 404: 'The current snapshot has no such client' },
    handle: async ({ params: { number } }) => {
      const client = (await currentClients()).find((one) => one.number === number)
      if (client === undefined) throw notFound('client', number)
      return client
    },
  })
}

/** Reads each manifest once, because a published manifest never changes. */
function createCurrentManifest({ manifests, currentSnapshotId }: AdminDeps): () => Promise<Manifest | null> {
  let read: Manifest | null = null
  return async () => {
    const id = currentSnapshotId()
    if (id !== null && read?.id !== id) read = await manifests.intact(id)
    return id === null ? null : read
  }
}

async function clientsOf(
  currentManifest: () => Promise<Manifest | null>,
  { store }: AdminDeps,
): Promise<readonly Static<typeof Client>[]> {
  const manifest = await currentManifest()
  if (manifest === null) return []
  const accounts = Map.groupBy(await store.accounts.list(), ({ clientNumber }) => clientNumber)
  return manifest.clients.map((client) => ({
    number: client.clientNumber,
    name: client.name,
    bookings: client.bookings.rows,
    invoices: client.invoices.rows,
    bytes: filesOf(client).reduce((total, { bytes }) => total + bytes, 0),
    accounts: accounts.get(client.clientNumber)?.length ?? 0,
  }))
}
