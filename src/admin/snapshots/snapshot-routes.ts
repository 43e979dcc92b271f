/** Snapshots: which there are, what was set aside while they were built, and asking for a new one. */
import { join } from 'node:path'
import Type from 'typebox'
import { REJECTS_FILE } from '../../ingest/reject-log.ts'
import { snapshotFolder } from '../../snapshot/format/layout.ts'
import { countsOf, filesOf } from '../../snapshot/manifest.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute } from '../admin-route.ts'
import { pageParameters, pageShape, queryShape } from '../paging.ts'
import { notFound, nothingToRefreshFrom, refreshRunning } from '../problems.ts'
import { readRejects } from './read-rejects.ts'
import { RefreshRequest, RefreshState, Reject, SnapshotSummary } from './snapshot-shapes.ts'

const params = Type.Object({ id: Type.String({ description: 'Id of the snapshot' }) })
const refusals = { 404: 'There is no such snapshot' } as const

export const snapshotRoutes: ResourceRoutes = (add, deps) => {
  readingRoutes(add, deps)
  rejectRoutes(add, deps)
  refreshRoutes(add, deps)
}

function readingRoutes(add: AddRoute, deps: AdminDeps): void {
  add({
    method: 'GET',
    path: '/snapshots',
    operationId: 'listSnapshots',
    tag: 'Snapshots',
    summary: 'The snapshots that are kept, newest first',
    answer: {
      description: 'All of them',
      shape: Type.Object({ items: Type.Array(SnapshotSummary), next: Type.Null() }),
    },
    handle: async () => {
      const items: SnapshotSummary[] = []
      // One after the other: each looks at thousands of files.
      for (const id of await deps.manifests.published()) items.push(await summaryOf(id, deps))
      return { items, next: null }
    },
  })
  add({
    method: 'GET',
    path: '/snapshots/:id',
    operationId: 'getSnapshot',
    tag: 'Snapshots',
    summary: 'One snapshot',
    params,
    answer: { description: 'The snapshot', shape: SnapshotSummary },
    refusals,
    handle: async ({ params: { id } }) => summaryOf(await known(id, deps), deps),
  })
}

function rejectRoutes(add: AddRoute, deps: AdminDeps): void {
  const query = queryShape(pageParameters)
  add({
    method: 'GET',
    path: '/snapshots/:id/rejects',
    operationId: 'listRejects',
    tag: 'Snapshots',
    summary: 'The rows of the extract that are not in a snapshot, in the order in which they were found',
    params,
    query,
    answer: { description: 'A page of the rejects', shape: pageShape(Reject) },
    refusals,
    handle: async ({ params: { id }, query }) => {
      const folder = snapshotFolder(deps.dataFolder, await known(id, deps))
      const page = await readRejects(join(folder, REJECTS_FILE), query)
      // Removed since.
      if (page === null) throw notFound('snapshot', id)
      return page
    },
  })
  add({
    method: 'GET',
    path: '/snapshots/last-refusal/rejects',
    operationId: 'listRejectsOfLastRefusal',
    tag: 'Snapshots',
    summary: 'What was set aside by the latest refresh that was refused',
    description: 'In the order in which it was found. The next refusal puts its own in its place.',
    query,
    answer: { description: 'A page of the rejects', shape: pageShape(Reject) },
    refusals: { 404: 'No refresh has been refused' },
    handle: async ({ query }) => {
      const page = await readRejects(join(deps.dataFolder, 'last-refusal', REJECTS_FILE), query)
      if (page === null) throw notFound('refused refresh', 'last-refusal')
      return page
    },
  })
}

function refreshRoutes(add: AddRoute, { refreshing, store }: AdminDeps): void {
  add({
    method: 'GET',
    path: '/snapshots/refresh',
    operationId: 'getRefresh',
    tag: 'Snapshots',
    summary: 'How the latest refresh goes, or went',
    answer: { description: 'Its state', shape: RefreshState },
    handle: () => refreshing.state(),
  })
  add({
    method: 'POST',
    path: '/snapshots/refresh',
    operationId: 'startRefresh',
    tag: 'Snapshots',
    summary: 'Refresh from the source now',
    description:
      'Answers as soon as the refresh has begun. What is current stays so until it is published. The body may be left out.',
    body: RefreshRequest,
    answer: { status: 202, description: 'It runs', shape: RefreshState },
    refusals: { 409: 'A refresh is running already, or there is no source to refresh from' },
    handle: async ({ by, body }) => {
      const start = await refreshing.start(by, body)
      if (start === 'busy') throw refreshRunning()
      if (start === 'no-source') throw nothingToRefreshFrom()
      await store.audit.note({
        actor: by,
        action: 'snapshot.refresh',
        subjectId: 'snapshots',
        after: body.acceptShrink ? { acceptShrink: true } : null,
      })
      return refreshing.state()
    },
  })
}

/** @throws Problem ADM120 */
async function known(id: string, { manifests }: AdminDeps): Promise<string> {
  if ((await manifests.published()).includes(id)) return id
  throw notFound('snapshot', id)
}

async function summaryOf(id: string, { manifests, currentSnapshotId }: AdminDeps): Promise<SnapshotSummary> {
  const manifest = await manifests.intact(id)
  const current = id === currentSnapshotId()
  if (manifest === null) return { id, current, intact: false, ...untold }
  const { extractedAt, publishedAt, clients, rejects, warnings = [] } = manifest
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
    warnings,
    bytes,
  }
}

const untold = {
  extractedAt: null,
  publishedAt: null,
  clients: null,
  bookings: null,
  segments: null,
  invoices: null,
  lineItems: null,
  rejects: null,
  warnings: null,
  bytes: null,
} as const
