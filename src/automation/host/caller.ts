/** Host functions about the caller and the tenant of a run. */
import { define, fromPlain, type NativeFunction } from '../../script/values.ts'
import { hostOf } from './run-host.ts'

const category = 'Caller'

const getCurrentUser = define({
  name: 'GetCurrentUser',
  category,
  parameters: [],
  returns: 'object',
  about:
    'Returns the caller with roles and claims. Members that the token does not have are empty; without a token, isAuthenticated is false. Decide by principalId, roles or email, which is empty unless it is verified; callers may choose name and preferredUsername.',
  body(context) {
    const { user } = hostOf(context)
    const { isAuthenticated, name, principalId, preferredUsername, email, objectId, tenantId } = user
    const { roles, claims } = user
    return fromPlain(
      {
        isAuthenticated,
        name,
        principalId,
        preferredUsername,
        email,
        objectId,
        tenantId,
        roles,
        claims: claims.map(({ type, value }) => ({ type, value })),
      },
      context,
    )
  },
})

const getCurrentTenant = define({
  name: 'GetCurrentTenant',
  category,
  parameters: [],
  returns: 'object',
  about:
    'Returns the one tenant of this service, with counts of its organizations, persons and facet definitions. Each call reads it anew.',
  async waits(context) {
    const host = hostOf(context)
    const { organizations, persons, facets } = host.directory()
    const { id, name } = await host.tenant()
    return fromPlain(
      {
        id,
        tenantId: id,
        name,
        subdomain: '',
        isActive: true,
        administratorEmailAddress: '',
        authorizedEntraTenantIds: [],
        authorizedEntraDomains: [],
        propertyValues: {},
        statistics: {
          organizationCount: (await organizations.list()).length,
          personCount: (await persons.list()).length,
          facetDefinitionCount: (await facets.definitions()).length,
        },
      },
      context,
    )
  },
})

export const callerFunctions: readonly NativeFunction[] = [getCurrentUser, getCurrentTenant]
