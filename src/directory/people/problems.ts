/** Problems of organizations, facets and persons (DIR4xx). */
import { DetailedProblem, Problem, type ProblemDetail } from '../../kernel/problem.ts'
import { MOST_ORGANIZATION_LEVELS } from '../../schema/directory-shapes.ts'

export const unknownOrganization = (id: string) =>
  new Problem('DIR401', `There is no organization ${shown(id)}`, {
    hint: 'The list of organizations shows the ids.',
  })

export const unknownPerson = (id: string) =>
  new Problem('DIR402', `There is no person ${shown(id)}`, { hint: 'The list of persons shows the ids.' })

export const unknownFacetDefinition = (id: string) =>
  new Problem('DIR403', `There is no facet definition ${shown(id)}`, {
    hint: 'The list of facet definitions shows the ids.',
  })

export const organizationNameTaken = (holder: Named) =>
  new Problem(
    'DIR410',
    `Another organization with the same parent has the name ${shown(holder.name)}: ${holder.id}`,
    {
      hint: 'Names are unique among siblings, without regard to case: choose another, or change that organization.',
    },
  )

export const organizationNumberTaken = (number: string, holder: Named) =>
  new Problem(
    'DIR411',
    `Another organization has the number ${shown(number)}: ${shown(holder.name)} (${holder.id})`,
    {
      hint: 'Numbers are unique without regard to case: choose another, or change that organization.',
    },
  )

export const organizationsInCircle = (id: string, parent: Named) =>
  new Problem(
    'DIR412',
    `${shown(parent.name)} (${parent.id}) cannot be the parent of ${id}: it is that organization itself or below it`,
    { hint: 'Choose a parent outside the branch, or move that parent elsewhere first.' },
  )

export const organizationTooDeep = (parent: Named) =>
  new Problem(
    'DIR418',
    `Organizations are at most ${MOST_ORGANIZATION_LEVELS} levels deep, and below ${shown(parent.name)} (${parent.id}) there would be more`,
    { hint: 'Choose a parent that is higher.' },
  )

export const organizationHasChildren = (name: string, children: number) =>
  new Problem('DIR413', `${shown(name)} has child organizations (${children}) and cannot be removed`, {
    hint: 'Give them another parent, or remove them first.',
  })

export const organizationIsOnlyOne = (name: string, persons: number) =>
  new Problem(
    'DIR414',
    `${shown(name)} is the only organization of persons (${persons}) and cannot be removed`,
    {
      hint: 'Add these persons to another organization, or remove them first.',
    },
  )

export const notDeleted = (id: string) =>
  new Problem('DIR640', `There is no deleted organization ${shown(id)}`, {
    hint: 'The audit trail shows the ids of deleted organizations under organization.soft-delete.',
  })

export const parentIsGone = (name: string, parentId: string) =>
  new Problem('DIR641', `${shown(name)} cannot be restored: its parent ${shown(parentId)} does not exist`, {
    hint: 'Restore the parent first if it was deleted as well.',
  })

export const facetNameTaken = (resourceType: string, holder: Named) =>
  new Problem(
    'DIR415',
    `Another facet of the type ${resourceType} has the name ${shown(holder.name)}: ${holder.id}`,
    {
      hint: 'Names are unique per resource type, without regard to case.',
    },
  )

export const facetIsInactive = (name: string) =>
  new Problem('DIR416', `The facet ${shown(name)} is inactive: its values cannot be changed`, {
    hint: 'Activate its definition first.',
  })

export const facetIsInUse = (name: string, owners: number) =>
  new Problem(
    'DIR417',
    `The facet ${shown(name)} has values (${owners}) and cannot get another resource type`,
    {
      hint: 'Make a new definition for the other type.',
    },
  )

export const badPeopleDraft = (what: string, details: readonly ProblemDetail[]) =>
  new DetailedProblem('DIR430', `The ${what} is invalid: ${listed(details)}`, details)

export const unknownParent = (id: string) =>
  new Problem('DIR431', `There is no organization ${shown(id)} that could be the parent`, {
    hint: 'Give the id of an organization, or null for an organization without a parent.',
  })

export const unknownMembership = (id: string) =>
  new Problem('DIR432', `There is no organization ${shown(id)} to which the person could belong`, {
    hint: 'Give the ids of 1 to 50 organizations, the main one first.',
  })

export const facetOfOtherType = (name: string, expected: string, found: string) =>
  new Problem('DIR433', `Expected a facet of the type ${expected}, found ${shown(name)} of the type ${found}`)

export const facetValueNotListed = (name: string, value: string, nearest: string | undefined) =>
  new Problem('DIR434', `Expected a value that the facet ${shown(name)} lists, found ${shown(value)}`, {
    hint:
      nearest === undefined ? 'The facet definition lists its values.' : `Did you mean ${shown(nearest)}?`,
  })

export const facetTakesOneValue = (name: string, found: number) =>
  new Problem('DIR435', `Expected one value of the facet ${shown(name)}, found ${found}`, {
    hint: 'Give one value, or allow several in its definition.',
  })

export const badFacetValue = (name: string, expected: string, found: string) =>
  new Problem('DIR436', `Expected ${expected} of the facet ${shown(name)}, found ${found}`)

export const badTenantName = (found: string) =>
  new Problem('DIR437', `Expected a name of 1 to 200 characters without line breaks, found ${shown(found)}`)

type Named = { readonly id: string; readonly name: string }

const listed = (details: readonly ProblemDetail[]): string =>
  details.map(({ path, message }) => `${path || 'it'} ${message}`).join('; ')

/** Shortens texts of callers so that they fit into a message. */
export const shown = (text: string): string => `'${text.length > 80 ? `${text.slice(0, 80)}…` : text}'`
