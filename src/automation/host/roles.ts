/**
 * Host functions for roles. Roles come with tokens, so the service knows those of the caller. For other persons it knows what
 * the directory says: the values of their facet `Roles`, if the operators keep one.
 */
import { fold } from '../../kernel/text.ts'
import type { User } from '../../kernel/user.ts'
import type { FacetDefinition, Person } from '../../schema/directory-shapes.ts'
import { any, define, type NativeContext, type NativeFunction, type Value } from '../../script/values.ts'
import { derivedId, listOf } from './host-answers.ts'
import { idOf } from './host-arguments.ts'
import { hostOf } from './run-host.ts'

const category = 'Caller'

const ROLES_FACET = 'roles'

const getCurrentUserRoles = define({
  name: 'GetCurrentUserRoles',
  category,
  parameters: [],
  returns: 'array',
  about:
    'Lists the roles of the token of the caller: {id, name, description, scopeLevel, isActive, permissions}. Tokens name roles only, so the scope is Tenant, and description and permissions are empty. The list is empty without a token.',
  waits: (context) => rolesNamed(context, hostOf(context).user.roles),
})

const getPersonRoles = define({
  name: 'GetPersonRoles',
  category,
  parameters: [any('personId')],
  returns: 'array',
  about:
    'Lists the roles of a person, as GetCurrentUserRoles does: those of the token when the person is the caller, otherwise the values of the person facet with the name Roles. The list is empty for an unknown person, and when there is no such facet; then the log says so.',
  async waits(context, personId) {
    const { directory, user } = hostOf(context)
    const id = idOf(personId)
    const person = id === null ? null : await directory().persons.byId(id)
    if (person === null) return context.array([])
    return rolesNamed(context, isCaller(person, user) ? user.roles : await rolesInDirectory(context, person))
  },
})

/** A person is the caller when the verified address or the identity of the token is one of the person's; never a name that callers choose. */
function isCaller({ emailAddress, userPrincipalName }: Person, user: User): boolean {
  if (!user.isAuthenticated) return false
  const identity = /^user:(.*)$/s.exec(user.principalId)?.[1] ?? ''
  const namesOfUser = [user.email, identity].filter((name) => name !== '').map(foldAscii)
  return [emailAddress, userPrincipalName ?? ''].some((name) => namesOfUser.includes(foldAscii(name)))
}

/** Folding all of Unicode would make one address of two that a mail server keeps apart. */
const foldAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

async function rolesInDirectory(
  context: NativeContext,
  { facetInstances }: Person,
): Promise<readonly string[]> {
  const { directory, log } = hostOf(context)
  const isRoles = ({ name, isActive }: FacetDefinition) => isActive && fold(name) === ROLES_FACET
  const definition = (await directory().facets.definitions('Person')).find(isRoles)
  if (definition === undefined) {
    log.add(
      'Warning',
      'GetPersonRoles returned []: roles come with tokens, and there is no person facet Roles',
    )
    return []
  }
  return facetInstances.find(({ facetDefinitionId }) => facetDefinitionId === definition.id)?.values ?? []
}

/** The same name always gives the same id. */
const rolesNamed = (context: NativeContext, names: readonly string[]): Promise<Value> =>
  listOf(context, [...new Set(names)], (name) => ({
    id: derivedId(`role ${name}`),
    name,
    description: null,
    scopeLevel: 'Tenant',
    isActive: true,
    permissions: [],
  }))

export const roleFunctions: readonly NativeFunction[] = [getCurrentUserRoles, getPersonRoles]
