/**
 * Host functions for facets of organizations and persons (specification 4.3). Scripts name a definition by id, object or name.
 */
import type { FacetOwner } from '../../directory/people/facets.ts'
import { fold } from '../../kernel/text.ts'
import type { FacetInstance } from '../../schema/directory-shapes.ts'

import {
  any,
  define,
  fromPlain,
  type NativeContext,
  type NativeFunction,
  ScriptArray,
  ScriptObject,
  type Value,
} from '../../script/values.ts'
import { refused, unlessRefused } from './failures.ts'
import { listOf, plainPersonFacet } from './host-answers.ts'
import { idOf, plainText, textsOf, wrongArgument } from './host-arguments.ts'
import { hostOf } from './run-host.ts'

const category = 'Facets'

const getFacetDefinitionByName = define({
  name: 'GetFacetDefinitionByName',
  category,
  parameters: [any('name')],
  returns: 'object or null',
  about:
    'Returns the facet definition with a name, in any letter case, or null. When an organization facet and a person facet have the name, the one of organizations is returned.',
  async waits(context, name) {
    const wanted = plainText(name)
    const found = wanted === null ? null : await hostOf(context).directory().facets.definitionByName(wanted)
    return fromPlain(found, context)
  },
})

const getAllFacetDefinitions = define({
  name: 'GetAllFacetDefinitions',
  category,
  parameters: [],
  returns: 'array',
  about: 'Lists all facet definitions by category and name.',
  async waits(context) {
    return listOf(context, await hostOf(context).directory().facets.definitions(), (definition) => definition)
  },
})

const getOrganizationFacetInstances = define({
  name: 'GetOrganizationFacetInstances',
  category,
  parameters: [any('organizationId')],
  returns: 'array',
  about:
    'Lists the facets of an organization, each with the id of its definition and its values. The list is empty for an unknown organization.',
  async waits(context, organizationId) {
    const id = idOf(organizationId)
    const found = id === null ? [] : await hostOf(context).directory().facets.instances('Organization', id)
    return listOf(context, found, (instance) => instance)
  },
})

const getOrganizationFacetInstance = define({
  name: 'GetOrganizationFacetInstance',
  category,
  parameters: [any('organizationId'), any('facetDefinitionId')],
  returns: 'object or null',
  about: 'Returns one facet of an organization, or null when it has no values.',
  async waits(context, organizationId, facetDefinitionId) {
    const id = idOf(organizationId)
    return fromPlain(await instanceOf(context, 'Organization', id, facetDefinitionId), context)
  },
})

const getPersonFacetInstance = define({
  name: 'GetPersonFacetInstance',
  category,
  parameters: [any('personId'), any('facetDefinitionId')],
  returns: 'object or null',
  about: 'Returns one facet of a person, or null when it has no values.',
  async waits(context, personId, facetDefinitionId) {
    const id = idOf(personId)
    const found = await instanceOf(context, 'Person', id, facetDefinitionId)
    return found === null || id === null ? null : fromPlain(plainPersonFacet(id, found), context)
  },
})

const setOrganizationFacetInstance = define({
  name: 'SetOrganizationFacetInstance',
  category,
  parameters: [any('organizationId'), any('facetDefinitionId'), any('values')],
  returns: 'boolean',
  about:
    'Replaces all values of a facet of an organization; an empty array clears it. Returns false when the organization or the definition is unknown, or when the definition does not allow the values. Null as values changes nothing and returns false.',
  waits: (context, organizationId, facetDefinitionId, values) =>
    setInstance(context, 'Organization', organizationId, facetDefinitionId, values),
})

const setPersonFacetInstance = define({
  name: 'SetPersonFacetInstance',
  category,
  parameters: [any('personId'), any('facetDefinitionId'), any('values')],
  returns: 'boolean',
  about:
    'Replaces all values of a facet of a person; an empty array clears it. Returns false when the person or the definition is unknown, or when the definition does not allow the values. Null as values changes nothing and returns false.',
  waits: (context, personId, facetDefinitionId, values) =>
    setInstance(context, 'Person', personId, facetDefinitionId, values),
})

export const facetFunctions: readonly NativeFunction[] = [
  getFacetDefinitionByName,
  getAllFacetDefinitions,
  getOrganizationFacetInstances,
  getOrganizationFacetInstance,
  setOrganizationFacetInstance,
  getPersonFacetInstance,
  setPersonFacetInstance,
]

async function instanceOf(
  context: NativeContext,
  owner: FacetOwner,
  ownerId: string | null,
  definition: Value,
): Promise<FacetInstance | null> {
  const definitionId = await definitionIdOf(context, owner, definition)
  if (ownerId === null || definitionId === null) return null
  return hostOf(context).directory().facets.instance(owner, ownerId, definitionId)
}

/**
 * The most values of one call. Repeated values count once, so a call may give more than are kept; more would hold up other
 * runs.
 */
const MOST_GIVEN = 10_000

async function setInstance(
  context: NativeContext,
  owner: FacetOwner,
  ownerId: Value,
  definition: Value,
  values: Value,
): Promise<boolean> {
  const name = `Set${owner}FacetInstance`
  const id = idOf(ownerId)
  const definitionId = await definitionIdOf(context, owner, definition)
  if (values !== null && !(values instanceof ScriptArray)) {
    throw wrongArgument(name, 'an array of texts as values', values)
  }
  if (values !== null && values.items.length > MOST_GIVEN) {
    return refused(context, name, false, `at most ${MOST_GIVEN} values can be given`)
  }
  // A mistyped member is null and must not clear a facet.
  const texts = values === null ? null : textsOf(values)
  if (id === null) return refused(context, name, false, 'no id was given')
  if (definitionId === null) return refused(context, name, false, 'there is no such facet definition')
  if (texts === null) return refused(context, name, false, 'values have to be an array of texts')
  const { actor, directoryToChange } = hostOf(context)
  const { facets } = await directoryToChange()
  return unlessRefused(context, name, false, async () => {
    await facets.setInstance(owner, id, definitionId, texts, actor)
    return true
  })
}

/** A text is first looked up as an id, then as a name. An object stands for its id. */
async function definitionIdOf(
  context: NativeContext,
  owner: FacetOwner,
  definition: Value,
): Promise<string | null> {
  if (definition instanceof ScriptObject) return idOf(definition)
  const text = plainText(definition)
  if (text === null) return null
  const { facets } = hostOf(context).directory()
  const byId = await facets.definitionById(text)
  if (byId !== null) return byId.id
  const name = fold(text.trim())
  const named = (await facets.definitions(owner)).find((candidate) => fold(candidate.name) === name)
  return named?.id ?? null
}
