/** The tenant: the company that runs this service, as scripts see it. */
import Type from '../../kernel/type.ts'
import { Tenant } from '../../schema/directory-shapes.ts'
import type { ResourceRoutes } from '../admin-deps.ts'
import type { Resource } from '../changes/resource.ts'

const resource: Resource<unknown> = { read: ({ tenant }) => tenant() }

export const tenantRoutes: ResourceRoutes = (add, { store }) => {
  add({
    method: 'GET',
    path: '/tenant',
    operationId: 'getTenant',
    role: 'viewer',
    tag: 'Tenant',
    summary: 'Get the tenant',
    answer: { description: 'The tenant', shape: Tenant },
    resource,
    handle: () => store.tenant(),
  })
  add({
    method: 'PUT',
    path: '/tenant',
    operationId: 'renameTenant',
    role: 'admin',
    tag: 'Tenant',
    summary: 'Rename the tenant',
    body: Type.Object(
      { name: Type.String({ description: '1 to 200 characters' }) },
      { additionalProperties: false },
    ),
    answer: { description: 'The tenant', shape: Tenant },
    resource,
    handle: ({ body: { name }, by }) => store.renameTenant(name, by),
  })
}
