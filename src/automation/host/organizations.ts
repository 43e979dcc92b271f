/** Host functions for organizations (specification 4.3). */
import { any, define, fromPlain, type NativeFunction, optional, type Value } from '../../script/values.ts'
import { refusedArgument, unlessRefused } from './failures.ts'
import { listOf, plainOrganization } from './host-answers.ts'
import { idOf, isOn, plainText } from './host-arguments.ts'
import { hostOf } from './run-host.ts'

const category = 'Organizations'

const getOrganizationById = define({
  name: 'GetOrganizationById',
  category,
  parameters: [any('organizationId')],
  returns: 'object or null',
  about: 'Answers an organization with its facets, or null when there is none with that id.',
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
  about: 'Lists all organizations by name, active and inactive ones.',
  async waits(context) {
    return listOf(context, await hostOf(context).directory().organizations.list(), plainOrganization)
  },
})

const getChildOrganizations = define({
  name: 'GetChildOrganizations',
  category,
  parameters: [any('parentOrganizationId')],
  returns: 'array',
  about: 'Lists the direct children of an organization by name; of an unknown one there are none.',
  async waits(context, parentOrganizationId) {
    const id = idOf(parentOrganizationId)
    const found = id === null ? [] : await hostOf(context).directory().organizations.children(id)
    return listOf(context, found, plainOrganization)
  },
})

/** Two forms, told apart by the number of arguments. */
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
    'Creates an organization, or answers null when that is refused: CreateOrganization(name, description?, parentId?), or with 8 to 11 arguments (number, name, "Replace" or "Extend", isActive, four flags of inheritance that mean nothing here, description?, parentOrganizationId?, createdBy?).',
  async waits(context, ...args) {
    const draft = organizationDraft(args)
    const { organizations } = await hostOf(context).directoryToChange()
    const created = await unlessRefused(context, 'CreateOrganization', null, () =>
      organizations.create(draft, hostOf(context).actor),
    )
    return created === null ? null : fromPlain(plainOrganization(created), context)
  },
})

type Arguments = readonly (Value | undefined)[]

const LEAST_OF_LONG_FORM = 8
const MOST_OF_SHORT_FORM = 3

function organizationDraft(args: Arguments) {
  const given = args.findLastIndex((arg) => arg !== undefined) + 1
  if (given >= LEAST_OF_LONG_FORM) return longForm(args)
  if (given <= MOST_OF_SHORT_FORM) return shortForm(args)
  throw refusedArgument(`CreateOrganization takes 1 to 3 arguments, or 8 to 11, but is given ${given}`)
}

const shortForm = ([name, description, parentOrPolicy]: Arguments) => ({
  number: null,
  name: plainText(name) ?? '',
  description: plainText(description),
  isActive: true,
  parentOrganizationId: isPolicy(parentOrPolicy) ? null : parentOf(parentOrPolicy),
})

/** How list items of the parent would be taken over, which is nothing that organizations here have. */
const isPolicy = (value: Value | undefined): boolean =>
  typeof value === 'string' && /^(?:replace|extend)$/i.test(value)

const longForm = ([number, name, , isActive, , , , , description, parent]: Arguments) => ({
  number: plainText(number),
  name: plainText(name) ?? '',
  description: plainText(description),
  isActive: isOn(isActive),
  parentOrganizationId: parentOf(parent),
})

/** What is no id at all is an unknown parent, too. */
const parentOf = (parent: Value | undefined): string | null =>
  parent === undefined || parent === null ? null : (idOf(parent) ?? 'no id')

export const organizationFunctions: readonly NativeFunction[] = [
  getOrganizationById,
  getAllOrganizations,
  getChildOrganizations,
  createOrganization,
]
