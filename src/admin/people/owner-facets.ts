/** Reads and sets one facet of an organization or a person, under the rules of the facet's definition. */

import type { FacetOwner } from '../../directory/people/facets.ts'
import Type from '../../kernel/type.ts'
import { FacetInstance } from '../../schema/directory-shapes.ts'
import type { AdminDeps } from '../admin-deps.ts'
import type { AddRoute } from '../admin-route.ts'
import type { Resource } from '../changes/resource.ts'
import { notFound } from '../problems.ts'

export type FacetOwners = {
  readonly owner: FacetOwner
  /** The owner in a sentence. */
  readonly what: 'organization' | 'person'
  /** The path of the list of owners. */
  readonly path: string
  readonly exists: (id: string) => Promise<boolean>
}

export function facetsOfOwner(add: AddRoute, { store: { facets } }: AdminDeps, owners: FacetOwners): void {
  const { owner, what, exists } = owners
  const path = `${owners.path}/:id/facets/:definitionId`
  const tag = owner === 'Organization' ? 'Organizations' : 'Persons'
  const params = Type.Object({
    id: Type.String({ description: `Id of the ${what}` }),
    definitionId: Type.String({ description: 'Id of the facet definition' }),
  })
  const resource: Resource<{ readonly id: string; readonly definitionId: string }> = {
    read: async ({ facets: stored }, { id, definitionId }) =>
      (await stored.instance(owner, id, definitionId)) ?? { facetDefinitionId: definitionId, values: [] },
  }
  const absent = `There is no such ${what}, or no such facet of ${what}s`
  add({
    method: 'GET',
    path,
    operationId: `get${owner}Facet`,
    role: owner === 'Person' ? 'support or author' : 'viewer',
    tag,
    summary: `Get a facet of the ${what}`,
    params,
    answer: { description: 'The values; empty when the facet was not set', shape: FacetInstance },
    refusals: { 404: `${absent}, or the facet is inactive` },
    resource,
    handle: async ({ params: { id, definitionId } }) => {
      const definition = await facets.definitionById(definitionId)
      if (definition?.resourceType !== owner || !definition.isActive) {
        throw notFound(`active facet definition of ${what}s`, definitionId)
      }
      if (!(await exists(id))) throw notFound(what, id)
      return (
        (await facets.instance(owner, id, definitionId)) ?? { facetDefinitionId: definition.id, values: [] }
      )
    },
  })
  add({
    method: 'PUT',
    path,
    operationId: `set${owner}Facet`,
    role: 'support',
    tag,
    summary: `Set a facet of the ${what}`,
    description: 'Replaces all values. An empty array clears the facet.',
    params,
    body: Type.Object(
      { values: Type.Array(Type.String(), { maxItems: 1000 }) },
      { additionalProperties: false },
    ),
    answer: { description: 'The new values', shape: FacetInstance },
    refusals: { 404: absent, 409: 'The facet is inactive' },
    resource,
    handle: ({ params: { id, definitionId }, body: { values }, by }) =>
      facets.setInstance(owner, id, definitionId, values, by),
  })
}
