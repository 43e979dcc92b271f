/**
 * Endpoints as operators work on them: a draft that changes, versions that do not, and a switch. Each change is one durable
 * transaction together with its audit entry, and raises the revision of `endpoints`, by which every thread notices it.
 */
import type {
  Endpoint,
  EndpointCategory,
  EndpointDefinition,
  EndpointMethod,
  PublishedVersion,
} from '../schema/endpoint-shapes.ts'

/** `draft`: never published. `changed`: published, with a draft that differs. */
export type EndpointState = 'active' | 'inactive' | 'draft' | 'changed'

export type EndpointFilter = {
  readonly category?: EndpointCategory | undefined
  /** Within name, description or path, without regard to case. */
  readonly text?: string | undefined
  readonly state?: EndpointState | undefined
  readonly method?: EndpointMethod | undefined
}

/** `by` is the actor of the audit entry. Definitions are valid by their schema; what the tables decide is refused here. */
export type Endpoints = {
  /** Inactive and unpublished. */
  readonly create: (definition: EndpointDefinition, by: string) => Promise<Endpoint>
  /** By name. */
  readonly list: (filter?: EndpointFilter) => Promise<readonly Endpoint[]>
  /** By full id, an unambiguous beginning of it, or by name without regard to case. */
  readonly find: (reference: string) => Promise<Endpoint>
  /** @param revision what the draft was when it was read: another one by now is refused; undefined overwrites */
  readonly saveDraft: (
    id: string,
    definition: EndpointDefinition,
    by: string,
    revision?: number,
  ) => Promise<Endpoint>
  /** The draft becomes the next version, which answers from the next request. The first publication also activates. */
  readonly publish: (id: string, by: string, note?: string | null) => Promise<Endpoint>
  readonly setActive: (id: string, active: boolean, by: string) => Promise<Endpoint>
  /** Newest first. */
  readonly versions: (id: string) => Promise<readonly PublishedVersion[]>
  readonly version: (id: string, version: number) => Promise<PublishedVersion>
  /** A kept version becomes the draft. */
  readonly restore: (id: string, version: number, by: string) => Promise<Endpoint>
  /** With all its versions; the history of its runs stays. */
  readonly remove: (id: string, by: string) => Promise<void>
}
