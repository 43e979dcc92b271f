/** Facet definitions: which facets organizations and persons can have, and with which values. */
import { fold } from '../../kernel/text.ts'
import Type from '../../kernel/type.ts'
import { FacetDefinition, FacetDefinitionDraft, resourceTypes } from '../../schema/directory-shapes.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute } from '../admin-route.ts'
import type { Resource } from '../changes/resource.ts'
import { type Listed, listOf, listParameters, listShape, queryShape } from '../paging.ts'
import { notFound } from '../problems.ts'
import { requestShape } from '../request-shape.ts'

const params = Type.Object({ id: Type.String({ description: 'Id of the facet definition' }) })
const refusals = { 404: 'There is no such facet definition' } as const
const draft = requestShape(FacetDefinitionDraft)

const resource: Resource<{ readonly id: string }> = {
  read: ({ facets }, { id }) => facets.definitionById(id),
}
const listed: Listed<FacetDefinition> = {
  sorts: {
    category: ({ category, name }) => [category, name],
    name: ({ name }) => [fold(name)],
    resourceType: ({ resourceType, name }) => [resourceType, fold(name)],
    updatedAt: ({ updatedAt }) => [updatedAt],
  },
  id: ({ id }) => id,
  texts: ({ name, category, description }) => [name, category, description],
}

export const facetRoutes: ResourceRoutes = (add, deps) => {
  readingRoutes(add, deps)
  changingRoutes(add, deps)
}

function readingRoutes(add: AddRoute, { store: { facets } }: AdminDeps): void {
  add({
    method: 'GET',
    path: '/facet-definitions',
    operationId: 'listFacetDefinitions',
    role: 'viewer',
    tag: 'Facet definitions',
    summary: 'List facet definitions, by default sorted by category and name',
    query: queryShape({
      resourceType: Type.Optional(
        Type.Enum([...resourceTypes], { description: 'Only facets of organizations, or only of persons' }),
      ),
      ...listParameters(listed, 'name, category or description'),
    }),
    answer: {
      description: 'A page of definitions, including inactive ones',
      shape: listShape(FacetDefinition),
    },
    handle: async ({ query: { resourceType, ...query } }) =>
      listOf(await facets.definitions(resourceType), listed, query),
  })
  add({
    method: 'GET',
    path: '/facet-definitions/:id',
    operationId: 'getFacetDefinition',
    role: 'viewer',
    tag: 'Facet definitions',
    summary: 'Get a facet definition',
    params,
    answer: { description: 'The definition', shape: FacetDefinition },
    refusals,
    resource,
    handle: async ({ params: { id } }) => {
      const definition = await facets.definitionById(id)
      if (definition === null) throw notFound('facet definition', id)
      return definition
    },
  })
}

function changingRoutes(add: AddRoute, { store: { facets } }: AdminDeps): void {
  add({
    method: 'POST',
    path: '/facet-definitions',
    operationId: 'createFacetDefinition',
    role: 'admin',
    tag: 'Facet definitions',
    summary: 'Create a facet definition',
    body: draft,
    answer: { status: 201, description: 'The definition', shape: FacetDefinition },
    refusals: { 409: 'The name is taken' },
    resource,
    handle: ({ body, by }) => facets.createDefinition(body, by),
  })
  add({
    method: 'PUT',
    path: '/facet-definitions/:id',
    operationId: 'updateFacetDefinition',
    role: 'admin',
    tag: 'Facet definitions',
    summary: 'Replace a facet definition',
    description:
      'Replaces all members; members that are left out get their defaults. Values that were set stay as they are.',
    params,
    body: draft,
    answer: { description: 'The definition', shape: FacetDefinition },
    refusals: {
      ...refusals,
      409: 'The name is taken, or the resource type of a facet that has values would change',
    },
    resource,
    handle: ({ params: { id }, body, by }) => facets.updateDefinition(id, body, by),
  })
  add({
    method: 'DELETE',
    path: '/facet-definitions/:id',
    operationId: 'removeFacetDefinition',
    role: 'admin',
    tag: 'Facet definitions',
    summary: 'Remove a facet definition and all its values',
    params,
    answer: { status: 204, description: 'The definition is removed' },
    refusals,
    resource,
    handle: ({ params: { id }, by }) => facets.removeDefinition(id, by),
  })
}
