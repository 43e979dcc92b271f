/** The published versions of an endpoint: reads, compares and restores them. */
import Type from '../../kernel/type.ts'
import { PublishedVersion } from '../../schema/endpoint-shapes.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute } from '../admin-route.ts'
import { type Listed, listOf, listParameters, listShape, queryShape } from '../paging.ts'
import { CheckedEndpoint, endpointId, endpointResource, findings, VersionSummary } from './endpoint-shapes.ts'

const tag = 'Endpoints'
const unknown = 'There is no such endpoint'
const unknownVersion = 'There is no such endpoint, or no such version of it'

const version = Type.Object({
  ...endpointId.properties,
  version: Type.Integer({ minimum: 1, maximum: 2 ** 31, description: 'Number of the version' }),
})

const listed: Listed<PublishedVersion> = {
  sorts: { version: ({ version }) => [version] },
  byDefault: '-version',
  id: ({ version }) => String(version),
  texts: ({ note, publishedBy }) => [note, publishedBy],
}

const VersionWithModules = Type.Object({
  ...PublishedVersion.properties,
  modules: Type.Array(
    Type.Object({ name: Type.String(), version: Type.Integer({ minimum: 1 }), script: Type.String() }),
    { description: 'The versions of modules that the script imports, as they were when it was published' },
  ),
})

export const endpointVersionRoutes: ResourceRoutes = (add, deps) => {
  versionRoutes(add, deps)
  differenceRoute(add, deps)
}

function versionRoutes(add: AddRoute, { store: { endpoints }, operations }: AdminDeps): void {
  add({
    method: 'GET',
    path: '/endpoints/:id/versions',
    operationId: 'listEndpointVersions',
    role: 'viewer',
    tag,
    summary: 'List the published versions of an endpoint, by default newest first',
    params: endpointId,
    query: queryShape(listParameters(listed, 'the note, or of who published it')),
    answer: {
      description: 'A page of versions without their definitions',
      shape: listShape(VersionSummary),
    },
    refusals: { 404: unknown },
    handle: async ({ params: { id }, query }) => {
      const { items, ...page } = listOf(await endpoints.versions(id), listed, query)
      return { items: items.map(({ definition, ...summary }) => summary), ...page }
    },
  })
  add({
    method: 'GET',
    path: '/endpoints/:id/versions/:version',
    operationId: 'getEndpointVersion',
    role: 'viewer',
    tag,
    summary: 'Get a published version with its definition, and the modules that it keeps',
    params: version,
    answer: { description: 'The version', shape: VersionWithModules },
    refusals: { 404: unknownVersion },
    handle: async ({ params: { id, version } }) => ({
      ...(await endpoints.version(id, version)),
      modules: await endpoints.modulesOf(id, version),
    }),
  })
  add({
    method: 'POST',
    path: '/endpoints/:id/versions/:version/restore',
    operationId: 'restoreEndpointVersion',
    role: 'author',
    tag,
    summary: 'Restore a published version as the draft',
    description: 'The present draft is lost. Nothing changes for callers until the draft is published.',
    params: version,
    answer: { description: 'The endpoint as it is now', shape: CheckedEndpoint },
    refusals: { 404: unknownVersion, 409: 'Another endpoint has the name, or the method and path' },
    resource: endpointResource,
    handle: async ({ params: { id, version }, by }) => {
      const endpoint = await endpoints.restore(id, version, by)
      return { ...endpoint, problems: findings(await operations.problemsOf(endpoint.draft)) }
    },
  })
}

const edition = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^(draft|[1-9][0-9]{0,8})$',
      description: `\`draft\` or the number of a version; by default ${description}`,
    }),
  )

const editionShape = Type.Union([Type.Literal('draft'), Type.Integer()])

const Comparison = Type.Object({
  from: editionShape,
  to: editionShape,
  script: Type.String({ description: 'The scripts as a unified diff; empty when they are equal' }),
  changes: Type.Array(
    Type.Object({
      path: Type.String({ description: 'The member, such as `/limits`' }),
      before: Type.Unknown(),
      after: Type.Unknown(),
    }),
    { description: 'The other members that differ' },
  ),
})

function differenceRoute(add: AddRoute, { operations }: AdminDeps): void {
  add({
    method: 'GET',
    path: '/endpoints/:id/diff',
    operationId: 'compareEndpointVersions',
    role: 'viewer',
    tag,
    summary: 'Compare two versions, or a version and the draft',
    params: endpointId,
    query: queryShape({ from: edition('the published version'), to: edition('the draft') }),
    answer: { description: 'The difference', shape: Comparison },
    refusals: { 404: unknownVersion, 409: 'The endpoint was never published, and `from` is left out' },
    handle: ({ params: { id }, query: { from, to } }) =>
      operations.compare(id, editionOf(from), editionOf(to)),
  })
}

const editionOf = (text: string | undefined) => (text === undefined || text === 'draft' ? text : Number(text))
