/** Turns records of the stores into values of scripts. Counts their memory, and works in slices so that other runs get a turn. */
import { hash } from 'node:crypto'
import { heldSince, SLICE_MS, sliceMs, turn } from '../../kernel/turns.ts'
import type { FacetInstance, Organization, Person } from '../../schema/directory-shapes.ts'
import { fromPlain, type NativeContext, type Value } from '../../script/values.ts'
import { hostOf } from './run-host.ts'

/** @param plain turns an item into a plain value for `fromPlain` */
export async function listOf<Item>(
  context: NativeContext,
  items: readonly Item[],
  plain: (item: Item) => unknown,
): Promise<Value> {
  const values: Value[] = []
  let until = performance.now() + SLICE_MS
  for (const item of items) {
    values.push(fromPlain(plain(item), context))
    if (performance.now() > until) until = await nextSlice(context)
  }
  return context.array(values)
}

/**
 * Gives other runs a turn; returns when the next slice has to end.
 *
 * @throws the reason of the cancellation when the run is over
 */
export async function nextSlice(context: NativeContext): Promise<number> {
  const { cancellation } = context
  const { endpointId } = hostOf(context)
  // About as long as the slice took that is over now.
  const spentMs = sliceMs(endpointId)
  heldSince(performance.now() - spentMs, endpointId)
  await turn(endpointId)
  if (cancellation.aborted) throw cancellation.reason
  return performance.now() + sliceMs(endpointId)
}

/** Kinds of instances that this service does not keep. They are empty lists, so that scripts can read them. */
const withoutOtherInstances = { fieldInstances: [], entitlementInstances: [], hybridListInstanceItems: [] }

export const plainOrganization = (organization: Organization) => ({
  ...organization,
  ...withoutOtherInstances,
})

export const plainPerson = (person: Person) => ({
  ...person,
  /** The main organization, under the name that older scripts use. */
  organizationId: person.organizationIds[0] ?? null,
  facetInstances: person.facetInstances.map((instance) => plainPersonFacet(person.id, instance)),
  ...withoutOtherInstances,
})

/** Adds an id, which is always the same for a person and a definition. */
export const plainPersonFacet = (personId: string, instance: FacetInstance) => ({
  id: derivedId(`${personId} ${instance.facetDefinitionId}`),
  ...instance,
})

/** A UUID of version 8 (RFC 9562, 5.8). */
export function derivedId(name: string): string {
  const digits = hash('sha256', name)
  const parts = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(12, 15)}`,
    `8${digits.slice(15, 18)}`,
    digits.slice(18, 30),
  ]
  return parts.join('-')
}
