/** Facets: what is known of organizations and persons, as values of definitions. */
import type { FacetDefinition, FacetDefinitionDraft, FacetInstance } from '../schema/directory-shapes.ts'

export type FacetOwner = 'Organization' | 'Person'

export type Facets = {
  /** By category and name. */
  readonly definitions: (resourceType?: FacetOwner) => Promise<readonly FacetDefinition[]>
  readonly definitionById: (id: string) => Promise<FacetDefinition | null>
  /** Without regard to case; of an organization first when both have the name. */
  readonly definitionByName: (name: string) => Promise<FacetDefinition | null>
  readonly createDefinition: (draft: FacetDefinitionDraft, by: string) => Promise<FacetDefinition>
  readonly updateDefinition: (id: string, draft: FacetDefinitionDraft, by: string) => Promise<FacetDefinition>
  /** With all its instances. */
  readonly removeDefinition: (id: string, by: string) => Promise<void>
  /** Of active definitions only; empty for an unknown owner. */
  readonly instances: (owner: FacetOwner, ownerId: string) => Promise<readonly FacetInstance[]>
  readonly instance: (
    owner: FacetOwner,
    ownerId: string,
    definitionId: string,
  ) => Promise<FacetInstance | null>
  /**
   * Replaces all values; none removes the instance.
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
