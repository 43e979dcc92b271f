/** How the service is set up, how it does, and what needs attention: what the first page of a console shows. */

import { describeConfig } from '../../config/describe-config.ts'
import { version } from '../../kernel/files/version.ts'
import Type from '../../kernel/type.ts'
import { countedFamilies } from '../../observe/request-counts.ts'
import { moment, nullable } from '../../schema/shapes.ts'
import type { ResourceRoutes } from '../admin-deps.ts'
import { queryShape } from '../paging.ts'
import { Attention, needsAttention } from './needs-attention.ts'
import {
  aDayBefore,
  minuteFigures,
  RequestFigures,
  RequestsOfMinute,
  totalFigures,
} from './request-figures.ts'
import { Memory, memory, Storage, storageOf } from './storage.ts'

const System = Type.Object({
  version: Type.String({ description: 'Version of Tripfolio' }),
  nodeVersion: Type.String({ description: 'Version of Node.js' }),
  startedAt: moment('When this process started'),
  uptimeSeconds: Type.Integer(),
  snapshotId: nullable(Type.String({ description: 'The snapshot that requests are answered from' })),
  threads: Type.Object({
    api: Type.Integer({ description: 'Threads that answer requests' }),
    script: Type.Integer({ description: 'Threads that run scripts' }),
  }),
  memory: Memory,
  storage: Storage,
  settings: Type.Array(
    Type.Object({
      name: Type.String(),
      value: Type.String({ description: 'As a person would write it; `(hidden)` for a secret' }),
      source: Type.Enum(['flag', 'environment', 'file', 'default'], { description: 'Where it is set' }),
      variable: Type.String({ description: 'The environment variable that sets it' }),
    }),
  ),
  requests: Type.Array(RequestFigures, {
    description:
      'The requests of the last 24 hours by family of routes, of all nodes together. The minute that is running is not in it',
  }),
  needsAttention: Type.Array(Attention, { description: 'What an operator should look at' }),
})

export const systemRoutes: ResourceRoutes = (add, deps) => {
  const { config, store } = deps
  add({
    method: 'GET',
    path: '/system',
    operationId: 'getSystem',
    role: 'viewer',
    tag: 'System',
    summary: 'Get how the service is set up and how it does',
    description:
      'Settings, threads, memory and storage are those of the node that answers; the rest is of all nodes.',
    answer: { description: 'The system', shape: System },
    handle: async () => {
      const now = new Date()
      const [storage, minutes, attention] = await Promise.all([
        storageOf(deps),
        store.requestMinutes.since(aDayBefore(now)),
        needsAttention(deps, now),
      ])
      return {
        version,
        nodeVersion: process.version,
        startedAt: new Date(now.getTime() - 1000 * process.uptime()).toISOString(),
        uptimeSeconds: Math.floor(process.uptime()),
        snapshotId: deps.currentSnapshotId(),
        threads: deps.threads,
        memory: memory(),
        storage,
        settings: describeConfig(config),
        requests: totalFigures(minutes),
        needsAttention: attention,
      }
    },
  })
  add({
    method: 'GET',
    path: '/system/requests',
    operationId: 'listRequestsByMinute',
    role: 'viewer',
    tag: 'System',
    summary: 'List the requests of the last 24 hours by minute, oldest first',
    description:
      'Of all nodes together. Minutes without a request are left out, and so is the minute that is running.',
    query: queryShape({
      family: Type.Optional(
        Type.Enum([...countedFamilies], { description: 'Only requests of this family of routes' }),
      ),
    }),
    answer: {
      description: 'At most one item for each minute and family',
      shape: Type.Object({
        items: Type.Array(RequestsOfMinute),
        next: Type.Null(),
        total: Type.Integer({ description: 'How many items' }),
      }),
    },
    handle: async ({ query: { family } }) => {
      const all = minuteFigures(await store.requestMinutes.since(aDayBefore(new Date())))
      const items = family === undefined ? all : all.filter((item) => item.family === family)
      return { items, next: null, total: items.length }
    },
  })
}
