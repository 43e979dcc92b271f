/** Host functions for organizations (specification 4.3). */
import { any, define, fromPlain, type NativeFunction, optional, type Value } from '../../script/values.ts'
import { refused, refusedArgument, unlessRefused } from './failures.ts'
import { listOf, plainOrganization } from './host-answers.ts'
import { idOf, isOn, plainText } from './host-arguments.ts'
import { hostOf } from './run-host.ts'

const category = 'Organizations'

const getOrganizationById = define({
  name: 'GetOrganizationById',
  category,
  parameters: [any('organizationId')],
  returns: 'object or null',
  about: 'Returns an organization with its facets, or null when no organization has that id.',
  async waits(context, organizationId) {
    const id = idOf(organizationId)
    const found = id === null ? null : await hostOf(context).directory().organizations.byId(id)
    return found === null ? null : fromPlain(plainOrganization(found), context)
  },
})

const getAllOrganizations = define({
  name: 'GetAllOrganizations',
  category,
  parameters: [],
  returns: 'array',
  about: 'Lists all organizations, active and inactive, sorted by name.',
  async waits(context) {
    return listOf(context, await hostOf(context).directory().organizations.list(), plainOrganization)
  },
})

const getChildOrganizations = define({
  name: 'GetChildOrganizations',
  category,
  parameters: [any('parentOrganizationId')],
  returns: 'array',
  about:
    'Lists the direct children of an organization, sorted by name. The list is empty for an unknown organization.',
  async waits(context, parentOrganizationId) {
    const id = idOf(parentOrganizationId)
    const found = id === null ? [] : await hostOf(context).directory().organizations.children(id)
    return listOf(context, found, plainOrganization)
  },
})

/** Has two forms; the number of arguments decides which one is meant. */
const createOrganization = define({
  name: 'CreateOrganization',
  category,
  parameters: [
    any('name'),
    optional(any('description')),
    optional(any('parentId')),
    ...[
      'isActive',
      'inheritParentFieldInstances',
      'inheritParentEntitlements',
      'inheritParentFacets',
      'inheritParentHybridLists',
      'descriptionOfLongForm',
      'parentOrganizationId',
      'createdBy',
    ].map((name) => optional(any(name))),
  ],
  returns: 'object or null',
  about:
    'Creates an organization and returns it, or returns null when the store refuses it. The short form is CreateOrganization(name, description?, parentId?). The long form has 8 to 11 arguments: number, name, "Replace" or "Extend", isActive, four inheritance flags that are ignored, description?, parentOrganizationId?, createdBy?.',
  async waits(context, ...args) {
    const draft = organizationDraft(args)
    const { organizations } = await hostOf(context).directoryToChange()
    const created = await unlessRefused(context, 'CreateOrganization', null, () =>
      organizations.create(draft, hostOf(context).actor),
    )
    return created === null ? null : fromPlain(plainOrganization(created), context)
  },
})

const deleteOrganization = define({
  name: 'DeleteOrganization',
  category,
  parameters: [any('organizationId')],
  returns: 'boolean',
  about:
    'Deletes an organization: nothing finds it any more, and its name is free, but operators can restore it with its facets and persons. Returns false when no organization has that id, and while it has children or is the only organization of a person.',
  async waits(context, organizationId) {
    const { actor, directoryToChange } = hostOf(context)
    const { organizations } = await directoryToChange()
    const id = idOf(organizationId)
    if (id === null) return refused(context, 'DeleteOrganization', false, 'no id was given')
    return unlessRefused(context, 'DeleteOrganization', false, async () => {
      await organizations.delete(id, actor)
      return true
    })
  },
})

type Arguments = readonly (Value | undefined)[]

const LEAST_OF_LONG_FORM = 8
const MOST_OF_SHORT_FORM = 3

function organizationDraft(args: Arguments) {
  const given = args.findLastIndex((arg) => arg !== undefined) + 1
  if (given >= LEAST_OF_LONG_FORM) return longForm(args)
  if (given <= MOST_OF_SHORT_FORM) return shortForm(args)
  throw refusedArgument(`CreateOrganization takes 1 to 3 or 8 to 11 arguments; it was given ${given}`)
}

const shortForm = ([name, description, parentOrPolicy]: Arguments) => ({
  number: null,
  name: plainText(name) ?? '',
  description: plainText(description),
  isActive: true,
  parentOrganizationId: isPolicy(parentOrPolicy) ? null : parentOf(parentOrPolicy),
})

/** A policy for list items of the parent. It is ignored, because organizations here have no list items. */
const isPolicy = (value: Value | undefined): boolean =>
  typeof value === 'string' && /^(?:replace|extend)$/i.test(value)

const longForm = ([number, name, , isActive, , , , , description, parent]: Arguments) => ({
  number: plainText(number),
  name: plainText(name) ?? '',
  description: plainText(description),
  isActive: isOn(isActive),
  parentOrganizationId: parentOf(parent),
})

/** Null without a parent. A value that cannot be an id counts as an unknown parent, which the store refuses. */
const parentOf = (parent: Value | undefined): string | null =>
  parent === undefined || parent === null ? null : (idOf(parent) ?? 'no id')

export const organizationFunctions: readonly NativeFunction[] = [
  getOrganizationById,
  getAllOrganizations,
  getChildOrganizations,
  createOrganization,
  deleteOrganization,
]
