/** Facets: attributes of organizations and persons, as values of definitions. */
import type { Kysely } from 'kysely'
import type { FacetDefinition, FacetDefinitionDraft, FacetInstance } from '../../schema/directory-shapes.ts'
import type { ControlTables } from '../control-tables.ts'
import {
  createDefinition,
  definitionById,
  definitionByName,
  listDefinitions,
  removeDefinition,
  updateDefinition,
} from './facet-definitions.ts'
import { facetsByOwner } from './facet-tables.ts'
import { setFacetValues } from './facet-values.ts'

export type FacetOwner = 'Organization' | 'Person'

export type Facets = {
  /** By category and name. */
  readonly definitions: (resourceType?: FacetOwner) => Promise<readonly FacetDefinition[]>
  readonly definitionById: (id: string) => Promise<FacetDefinition | null>
  /** Ignores case; prefers the definition for organizations when both types have the name. */
  readonly definitionByName: (name: string) => Promise<FacetDefinition | null>
  readonly createDefinition: (draft: FacetDefinitionDraft, by: string) => Promise<FacetDefinition>
  /** Present values stay, even those that the definition no longer allows; they are checked when they are set again. */
  readonly updateDefinition: (id: string, draft: FacetDefinitionDraft, by: string) => Promise<FacetDefinition>
  /** Removes all its instances too. */
  readonly removeDefinition: (id: string, by: string) => Promise<void>
  /** Instances of active definitions only; empty for an unknown owner. */
  readonly instances: (owner: FacetOwner, ownerId: string) => Promise<readonly FacetInstance[]>
  readonly instance: (
    owner: FacetOwner,
    ownerId: string,
    definitionId: string,
  ) => Promise<FacetInstance | null>
  /**
   * Replaces all values; an empty list removes the instance. Values are trimmed, and take the spelling of the definition's
   * list, which is compared without regard to case; of equal values the first stays.
   *
   * @throws Problem DIR4xx: unknown owner or definition, a definition of another resource type or inactive, values that
   *   the definition does not allow
   */
  readonly setInstance: (
    owner: FacetOwner,
    ownerId: string,
    definitionId: string,
    values: readonly string[],
    by: string,
  ) => Promise<FacetInstance>
}

export function createFacets(db: Kysely<ControlTables>): Facets {
  const instances = async (owner: FacetOwner, ownerId: string): Promise<readonly FacetInstance[]> => {
    const id = ownerId.toLowerCase()
    return (await facetsByOwner(db, owner, [id])).get(id) ?? []
  }
  return {
    definitions: (resourceType) => listDefinitions(db, resourceType),
    definitionById: (id) => definitionById(db, id.toLowerCase()),
    definitionByName: (name) => definitionByName(db, name),
    createDefinition: (draft, by) => createDefinition(db, draft, by),
    updateDefinition: (id, draft, by) => updateDefinition(db, id.toLowerCase(), draft, by),
    removeDefinition: (id, by) => removeDefinition(db, id.toLowerCase(), by),
    instances,
    instance: async (owner, ownerId, definitionId) => {
      const wanted = definitionId.toLowerCase()
      return (
        (await instances(owner, ownerId)).find(({ facetDefinitionId }) => facetDefinitionId === wanted) ??
        null
      )
    },
    setInstance: (owner, ownerId, definitionId, values, by) =>
      setFacetValues(db, { owner, ownerId: ownerId.toLowerCase() }, definitionId.toLowerCase(), values, by),
  }
}
