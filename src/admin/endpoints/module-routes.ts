/** Modules: functions that scripts of endpoints import. */
import type { Importer } from '../../automation/operations/find-importers.ts'
import { fold } from '../../kernel/text.ts'
import Type from '../../kernel/type.ts'
import { Module, ModuleDraft, ModuleName, ModuleVersion } from '../../schema/module-shapes.ts'
import { nullable } from '../../schema/shapes.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute } from '../admin-route.ts'
import type { Resource } from '../changes/resource.ts'
import { type Listed, listOf, listParameters, listShape, queryShape } from '../paging.ts'
import { requestShape } from '../request-shape.ts'
import { findings, ScriptFinding } from './endpoint-shapes.ts'

const tag = 'Modules'
const unknown = 'There is no such module'
const name = Type.String({ description: 'Name of the module' })
const params = Type.Object({ name })
const version = Type.Object({
  name,
  version: Type.Integer({ minimum: 1, maximum: 2 ** 31, description: 'Number of the version' }),
})
const Draft = requestShape(ModuleDraft)
const CheckedModule = Type.Object(
  {
    ...Module.properties,
    problems: Type.Array(ScriptFinding, {
      description: 'Problems of the draft. A draft with problems cannot be published',
    }),
  },
  { description: 'A module with its draft' },
)
const { script: _script, ...summary } = Module.properties
const ModuleSummary = Type.Object(summary, { description: 'A module without its script' })
const { script: _text, ...versionSummary } = ModuleVersion.properties
const answer = { description: 'The module as it is now', shape: CheckedModule } as const

/** The stored module, without the findings in its script. */
const resource: Resource<{ readonly name: string }> = {
  read: ({ modules }, { name }) => modules.get(name),
  without: ['problems'],
}

const listed: Listed<Module> = {
  sorts: {
    name: () => [],
    draftChangedAt: ({ draftChangedAt }) => [draftChangedAt],
  },
  id: ({ name }) => name,
  texts: ({ name, description }) => [name, description],
}

const listedVersions: Listed<ModuleVersion> = {
  sorts: { version: ({ version }) => [version] },
  byDefault: '-version',
  id: ({ version }) => String(version),
  texts: ({ note, publishedBy }) => [note, publishedBy],
}

export const moduleRoutes: ResourceRoutes = (add, deps) => {
  readingRoutes(add, deps)
  importerRoute(add, deps)
  changingRoutes(add, deps)
}

const checked = async ({ operations }: AdminDeps, module: Module) => ({
  ...module,
  problems: findings(await operations.problemsOf({ script: module.script, moduleName: module.name })),
})

function readingRoutes(add: AddRoute, deps: AdminDeps): void {
  const { modules } = deps.store
  add({
    method: 'GET',
    path: '/modules',
    operationId: 'listModules',
    role: 'viewer',
    tag,
    summary: 'List modules, by default sorted by name',
    query: queryShape(listParameters(listed, 'name or description')),
    answer: { description: 'A page of modules', shape: listShape(ModuleSummary) },
    handle: async ({ query }) => {
      const { items, ...page } = listOf(await modules.list(), listed, query)
      return { items: items.map(({ script, ...item }) => item), ...page }
    },
  })
  add({
    method: 'GET',
    path: '/modules/:name',
    operationId: 'getModule',
    role: 'viewer',
    tag,
    summary: 'Get a module with its draft',
    params,
    answer,
    refusals: { 404: unknown },
    resource,
    handle: async ({ params: { name } }) => checked(deps, await modules.get(name)),
  })
  add({
    method: 'GET',
    path: '/modules/:name/versions',
    operationId: 'listModuleVersions',
    role: 'viewer',
    tag,
    summary: 'List the published versions of a module, by default newest first',
    params,
    query: queryShape(listParameters(listedVersions, 'the note, or of who published it')),
    answer: { description: 'A page of versions', shape: listShape(Type.Object(versionSummary)) },
    refusals: { 404: unknown },
    handle: async ({ params: { name }, query }) => {
      const { items, ...page } = listOf(await modules.versions(name), listedVersions, query)
      return { items: items.map(({ script, ...item }) => item), ...page }
    },
  })
  add({
    method: 'GET',
    path: '/modules/:name/versions/:version',
    operationId: 'getModuleVersion',
    role: 'viewer',
    tag,
    summary: 'Get a published version of a module',
    params: version,
    answer: { description: 'The version', shape: ModuleVersion },
    refusals: { 404: 'There is no such module, or no such version of it' },
    handle: ({ params }) => modules.version(params.name, params.version),
  })
}

const ImporterShape = Type.Object({
  kind: Type.Enum(['endpoint', 'module']),
  id: nullable(Type.String({ description: 'Id of the endpoint; null for a module' })),
  name: Type.String(),
  keptVersion: nullable(
    Type.Integer({
      description:
        'The version of the module that the published endpoint keeps, also when it imports it through another module; null when it keeps none',
    }),
  ),
  isInDraft: Type.Boolean({ description: 'Whether the draft imports the module itself' }),
})

const listedImporters: Listed<Importer> = {
  sorts: { name: ({ kind, name }) => [kind, fold(name)] },
  id: ({ id, name }) => id ?? name,
  texts: ({ name }) => [name],
}

function importerRoute(add: AddRoute, { store: { endpoints, modules } }: AdminDeps): void {
  add({
    method: 'GET',
    path: '/modules/:name/importers',
    operationId: 'listModuleImporters',
    role: 'viewer',
    tag,
    summary: 'List the endpoints and modules that import a module',
    params,
    query: queryShape(listParameters(listedImporters, 'the name')),
    answer: { description: 'A page of them, endpoints first', shape: listShape(ImporterShape) },
    refusals: { 404: unknown },
    handle: async ({ params: { name }, query }) => {
      await modules.get(name)
      // Not imported at the top: it loads the language, which few threads need.
      const { findImporters } = await import('../../automation/operations/find-importers.ts')
      return listOf(await findImporters(name, { endpoints, modules }), listedImporters, query)
    },
  })
}

const revision = Type.Optional(
  Type.Integer({
    minimum: 1,
    description: '`draftRevision` of the draft that was read. Another one since then is refused with 409',
  }),
)

function changingRoutes(add: AddRoute, deps: AdminDeps): void {
  const { modules } = deps.store
  add({
    method: 'POST',
    path: '/modules',
    operationId: 'createModule',
    role: 'author',
    tag,
    summary: 'Create a module',
    description:
      'Scripts can import it once it is published. A module with problems is saved too, and the response lists the problems.',
    body: Type.Object({ name: ModuleName, ...Draft.properties }, { additionalProperties: false }),
    answer: { status: 201, description: 'The module', shape: CheckedModule },
    refusals: { 409: 'Another module has the name' },
    resource,
    handle: async ({ body: { name, ...draft }, by }) => checked(deps, await modules.create(name, draft, by)),
  })
  add({
    method: 'PUT',
    path: '/modules/:name',
    operationId: 'saveModuleDraft',
    role: 'author',
    tag,
    summary: 'Replace the draft of a module',
    description: 'Scripts still import the published versions.',
    params,
    query: queryShape({ revision }),
    body: Draft,
    answer,
    refusals: { 404: unknown, 409: 'The draft has another revision by now' },
    resource,
    handle: async ({ params: { name }, query, body, by }) =>
      checked(deps, await modules.saveDraft(name, body, by, query.revision)),
  })
  add({
    method: 'POST',
    path: '/modules/:name/publish',
    operationId: 'publishModule',
    role: 'author',
    tag,
    summary: 'Publish the draft of a module',
    description:
      'The draft becomes the next version. Published endpoints keep the version that they were published with, until they are published again.',
    params,
    body: Type.Object(
      {
        note: Type.Optional(
          nullable(Type.String({ description: 'Why it is published, in at most 500 characters' })),
        ),
        revision,
      },
      { additionalProperties: false },
    ),
    answer,
    refusals: {
      404: unknown,
      409: 'The module has problems, which `details` lists; the draft equals the newest version; or the draft has another revision by now',
    },
    resource,
    handle: async ({ params: { name }, body, by }) =>
      checked(deps, await deps.operations.publishModule(name, by, body)),
  })
  add({
    method: 'DELETE',
    path: '/modules/:name',
    operationId: 'deleteModule',
    role: 'admin',
    tag,
    summary: 'Delete a module with all its versions',
    description:
      'Published endpoints keep the version that they were published with. They cannot be published again while they import it.',
    params,
    answer: { status: 204, description: 'The module is deleted' },
    refusals: { 404: unknown },
    resource,
    handle: ({ params: { name }, by }) => modules.remove(name, by),
  })
}
