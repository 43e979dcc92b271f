/** The clients of the current snapshot. They come from the extract, so the admin API cannot change them. */
import type { Static } from 'typebox'
import { fold } from '../../kernel/text.ts'
import Type from '../../kernel/type.ts'
import { filesOf, type Manifest } from '../../snapshot/manifest.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import { pageOf, pageParameters, pageShape, queryShape } from '../paging.ts'
import { notFound } from '../problems.ts'

const Client = Type.Object({
  number: Type.String({ description: 'Client number' }),
  name: Type.String(),
  bookings: Type.Integer({ description: 'Number of bookings in the snapshot' }),
  invoices: Type.Integer({ description: 'Number of invoices in the snapshot' }),
  bytes: Type.Integer({ description: "Size of the client's files" }),
  accounts: Type.Integer({ description: 'Number of service accounts for this client' }),
})

export const clientRoutes: ResourceRoutes = (add, deps) => {
  const currentClients = createCurrentClients(deps)
  add({
    method: 'GET',
    path: '/clients',
    operationId: 'listClients',
    role: 'viewer',
    tag: 'Clients',
    summary: 'List clients, sorted by number',
    query: queryShape({
      text: Type.Optional(Type.String({ description: 'A part of number or name, in any letter case' })),
      ...pageParameters,
    }),
    answer: {
      description: 'A page of clients; empty while there is no snapshot',
      shape: pageShape(Client),
    },
    handle: async ({ query: { text = '', ...page } }) => {
      const wanted = fold(text)
      const clients = await currentClients()
      const found = clients.filter(({ number, name }) =>
        [number, name].some((one) => fold(one).includes(wanted)),
      )
      return pageOf(found, ({ number }) => [number], page)
    },
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
function createCurrentClients({ store, manifests, currentSnapshotId }: AdminDeps) {
  let read: Manifest | null = null
  async function currentManifest(): Promise<Manifest | null> {
    const id = currentSnapshotId()
    if (id !== null && read?.id !== id) read = await manifests.intact(id)
    return id === null ? null : read
  }
  return async (): Promise<readonly Static<typeof Client>[]> => {
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
}
