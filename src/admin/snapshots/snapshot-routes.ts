/** Snapshots: a list of them, and a refresh on request. */
import { refreshesAreHeld } from '../../directory/holds/problems.ts'
import Type from '../../kernel/type.ts'
import { countsOf, filesOf } from '../../snapshot/manifest.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute } from '../admin-route.ts'
import { listShape, pageOf, pageParameters, queryShape } from '../paging.ts'
import { nothingToRefreshFrom, refreshRunning } from '../problems.ts'
import { knownSnapshot } from './known-snapshot.ts'
import { RefreshRequest, RefreshState, SnapshotSummary } from './snapshot-shapes.ts'

const params = Type.Object({ id: Type.String({ description: 'Id of the snapshot' }) })
const refusals = { 404: 'There is no such snapshot' } as const

export const snapshotRoutes: ResourceRoutes = (add, deps) => {
  readingRoutes(add, deps)
  refreshRoutes(add, deps)
}

function readingRoutes(add: AddRoute, deps: AdminDeps): void {
  add({
    method: 'GET',
    path: '/snapshots',
    operationId: 'listSnapshots',
    role: 'viewer',
    tag: 'Snapshots',
    summary: 'List the kept snapshots, newest first',
    query: queryShape(pageParameters),
    answer: { description: 'A page of snapshots', shape: listShape(SnapshotSummary) },
    handle: async ({ query }) => {
      const ids = await deps.manifests.published()
      const page = pageOf(ids, (id) => [id], { ...query, descending: true })
      const items: SnapshotSummary[] = []
      // One after the other, because each looks at thousands of files.
      for (const id of page.items) items.push(await summaryOf(id, deps))
      return { items, next: page.next, total: ids.length }
    },
  })
  add({
    method: 'GET',
    path: '/snapshots/:id',
    operationId: 'getSnapshot',
    role: 'viewer',
    tag: 'Snapshots',
    summary: 'Get a snapshot',
    params,
    answer: { description: 'The snapshot', shape: SnapshotSummary },
    refusals,
    handle: async ({ params: { id } }) => summaryOf(await knownSnapshot(id, deps), deps),
  })
}

function refreshRoutes(add: AddRoute, { refreshing, store }: AdminDeps): void {
  add({
    method: 'GET',
    path: '/snapshots/refresh',
    operationId: 'getRefresh',
    role: 'viewer',
    tag: 'Snapshots',
    summary: 'Get the state of the latest refresh',
    answer: { description: 'The state of the refresh', shape: RefreshState },
    handle: () => refreshing.state(),
  })
  add({
    method: 'POST',
    path: '/snapshots/refresh',
    operationId: 'startRefresh',
    role: 'admin',
    tag: 'Snapshots',
    summary: 'Refresh from the source now',
    description:
      'Answers as soon as the refresh has begun. The current snapshot stays in use until the new one is published. The body may be left out.',
    body: RefreshRequest,
    answer: { status: 202, description: 'The refresh has begun', shape: RefreshState },
    refusals: {
      409: 'A refresh is running already, refreshes are held, or there is no source to refresh from',
    },
    isBeyondStore: true,
    handle: async ({ by, body }) => {
      const start = await refreshing.start(by, body)
      if (start === 'busy') throw refreshRunning()
      if (start === 'no-source') throw nothingToRefreshFrom()
      if (start !== 'started') throw refreshesAreHeld(start.held, 'send "despiteHold": true')
      await store.audit.note({
        actor: by,
        action: 'snapshot.refresh',
        subjectId: 'snapshots',
        after: Object.values(body).includes(true) ? body : null,
      })
      return refreshing.state()
    },
  })
}

async function summaryOf(id: string, { manifests, currentSnapshotId }: AdminDeps): Promise<SnapshotSummary> {
  const manifest = await manifests.intact(id)
  const current = id === currentSnapshotId()
  if (manifest === null) return { id, current, intact: false, ...unknown }
  const {
    extractedAt,
    publishedAt,
    clients,
    rejects,
    invoicesWithoutBooking = null,
    warnings = [],
  } = manifest
  const bytes = clients.flatMap(filesOf).reduce((total, file) => total + file.bytes, 0)
  const counts = countsOf(manifest)
  return {
    id,
    current,
    intact: true,
    extractedAt,
    publishedAt,
    clients: clients.length,
    ...counts,
    rejects,
    invoicesWithoutBooking,
    warnings,
    bytes,
  }
}

const unknown = {
  extractedAt: null,
  publishedAt: null,
  clients: null,
  bookings: null,
  segments: null,
  invoices: null,
  lineItems: null,
  rejects: null,
  invoicesWithoutBooking: null,
  warnings: null,
  bytes: null,
} as const
