/** How two snapshots differ, client by client: what changed is known from the steps that refreshes have left. */

import { compareCodePoints } from '../../kernel/text.ts'
import Type from '../../kernel/type.ts'
import { nullable } from '../../schema/shapes.ts'
import { changedClients } from '../../snapshot/changes/changed-clients.ts'
import type { Manifest } from '../../snapshot/manifest.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import { listShape, pageOf, pageParameters, queryShape } from '../paging.ts'
import { notFound } from '../problems.ts'
import { knownSnapshot } from './known-snapshot.ts'

const Counts = nullable(
  Type.Object(
    { added: Type.Integer(), changed: Type.Integer(), removed: Type.Integer() },
    {
      description: 'Null when it is not known what changed',
    },
  ),
)

const ClientDifference = Type.Object({
  clientNumber: Type.String(),
  presence: Type.Enum(['both', 'added', 'removed'], {
    description:
      '`added`: only the snapshot has the client. `removed`: only the one it is compared with has it',
  }),
  lists: Type.Object(
    {
      bookings: Type.Optional(Counts),
      itineraries: Type.Optional(Counts),
      invoices: Type.Optional(Counts),
    },
    { description: 'Only the lists that differ' },
  ),
})

export const differenceRoutes: ResourceRoutes = (add, deps) =>
  add({
    method: 'GET',
    path: '/snapshots/:id/differences',
    operationId: 'compareSnapshots',
    role: 'viewer',
    tag: 'Snapshots',
    summary: 'List the clients whose stored records differ between two snapshots, with counts for each list',
    description:
      'Counts what was added, changed and removed on the way from `against` to this snapshot. A client whose files differ in their form only has no lists.',
    params: Type.Object({ id: Type.String({ description: 'Id of the snapshot' }) }),
    query: queryShape({
      against: Type.Optional(
        Type.String({
          description:
            'Id of the snapshot to compare with; unless given, the kept one that was published before this one, or no records',
        }),
      ),
      ...pageParameters,
    }),
    answer: { description: 'A page of clients, sorted by number', shape: listShape(ClientDifference) },
    refusals: { 404: 'There is no such snapshot, or it cannot be used' },
    handle: async ({ params: { id }, query: { against, ...page } }) => {
      const after = await usable(id, deps)
      const other = against ?? (await olderThan(id, deps))
      const before = other === null ? new Map<string, Client>() : await usable(other, deps)
      const differing = differingClients(before, after)
      const { items, next } = pageOf(differing, (clientNumber) => [clientNumber], page)
      const only = (clients: ReadonlyMap<string, Client>) => ({
        clients: items.flatMap((clientNumber) => clients.get(clientNumber) ?? []),
      })
      const changed = await changedClients(only(before), only(after), deps.steps)
      const listsOf = new Map(changed.map(({ clientNumber, lists }) => [clientNumber, lists]))
      return {
        items: items.map((clientNumber) => ({
          clientNumber,
          presence: !before.has(clientNumber) ? 'added' : after.has(clientNumber) ? 'both' : 'removed',
          lists: listsOf.get(clientNumber) ?? {},
        })),
        next,
        total: differing.length,
      }
    },
  })

type Client = Manifest['clients'][number]

async function olderThan(id: string, { manifests }: AdminDeps): Promise<string | null> {
  const newestFirst = await manifests.published()
  return newestFirst[newestFirst.indexOf(id) + 1] ?? null
}

async function usable(id: string, deps: AdminDeps): Promise<ReadonlyMap<string, Client>> {
  const manifest = await deps.manifests.intact(await knownSnapshot(id, deps))
  if (manifest === null) throw notFound('usable snapshot', id)
  return new Map(manifest.clients.map((client) => [client.clientNumber, client]))
}

function differingClients(
  before: ReadonlyMap<string, Client>,
  after: ReadonlyMap<string, Client>,
): readonly string[] {
  const version = (client: Client | undefined) =>
    client && `${client.bookings.sha256} ${client.invoices.sha256}`
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((number) => version(before.get(number)) !== version(after.get(number)))
    .sort(compareCodePoints)
}
