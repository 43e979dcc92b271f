/** Organizations. Each may have a parent. */

import type { Organizations } from '../../directory/people/organizations.ts'
import { fold } from '../../kernel/text.ts'
import Type from '../../kernel/type.ts'
import { DeletedOrganization, Organization, OrganizationDraft } from '../../schema/directory-shapes.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute } from '../admin-route.ts'
import type { Resource } from '../changes/resource.ts'
import { type Listed, listOf, listParameters, listShape, queryShape } from '../paging.ts'
import { notFound } from '../problems.ts'
import { requestShape } from '../request-shape.ts'
import { facetsOfOwner } from './owner-facets.ts'

const params = Type.Object({ id: Type.String({ description: 'Id of the organization' }) })
const refusals = { 404: 'There is no such organization' } as const
const draft = requestShape(OrganizationDraft)

type Id = { readonly id: string }
const resource: Resource<Id> = { read: ({ organizations }, { id }) => organizations.byId(id) }
const deletedResource: Resource<Id> = { read: ({ organizations }, { id }) => findDeleted(organizations, id) }
const removable: Resource<Id> = {
  read: async ({ organizations }, { id }) =>
    (await organizations.byId(id)) ?? (await findDeleted(organizations, id)),
}

const findDeleted = async (organizations: Organizations, id: string): Promise<DeletedOrganization | null> =>
  (await organizations.deleted()).find((one) => one.id === id.toLowerCase()) ?? null

const listed: Listed<Organization> = {
  sorts: {
    name: ({ name }) => [fold(name)],
    number: ({ number }) => [number === null ? null : fold(number)],
    createdAt: ({ createdAt }) => [createdAt],
    updatedAt: ({ updatedAt }) => [updatedAt],
  },
  id: ({ id }) => id,
  texts: ({ number, name, description }) => [number, name, description],
}
const listedDeleted: Listed<DeletedOrganization> = {
  sorts: { name: ({ name }) => [fold(name)], deletedAt: ({ deletedAt }) => [deletedAt] },
  id: ({ id }) => id,
  texts: ({ number, name, deletedBy }) => [number, name, deletedBy],
}

export const organizationRoutes: ResourceRoutes = (add, deps) => {
  readingRoutes(add, deps)
  changingRoutes(add, deps)
  restoringRoutes(add, deps)
  const exists = async (id: string) => (await deps.store.organizations.byId(id)) !== null
  facetsOfOwner(add, deps, { owner: 'Organization', what: 'organization', path: '/organizations', exists })
}

function readingRoutes(add: AddRoute, { store: { organizations } }: AdminDeps): void {
  add({
    method: 'GET',
    path: '/organizations',
    operationId: 'listOrganizations',
    role: 'viewer',
    tag: 'Organizations',
    summary: 'List organizations, by default sorted by name',
    query: queryShape({
      parentId: Type.Optional(
        Type.String({
          description: 'Only direct children of this organization; `none` for organizations without a parent',
        }),
      ),
      rootId: Type.Optional(
        Type.String({ description: 'Only this organization and everything below it, at any depth' }),
      ),
      ...listParameters(listed, 'number, name or description'),
    }),
    answer: { description: 'A page of organizations', shape: listShape(Organization) },
    handle: async ({ query: { parentId, rootId, ...query } }) => {
      const wantedParent = parentId === 'none' ? null : parentId?.toLowerCase()
      const all = await organizations.list()
      const branch = rootId === undefined ? all : branchOf(all, rootId.toLowerCase())
      const found = branch.filter(
        ({ parentOrganizationId }) => wantedParent === undefined || parentOrganizationId === wantedParent,
      )
      return listOf(found, listed, query)
    },
  })
  add({
    method: 'GET',
    path: '/organizations/:id',
    operationId: 'getOrganization',
    role: 'viewer',
    tag: 'Organizations',
    summary: 'Get an organization',
    params,
    answer: { description: 'The organization', shape: Organization },
    refusals,
    resource,
    handle: async ({ params: { id } }) => {
      const organization = await organizations.byId(id)
      if (organization === null) throw notFound('organization', id)
      return organization
    },
  })
}

/** The organization with this id and those below it. */
function branchOf(all: readonly Organization[], rootId: string): readonly Organization[] {
  const children = Map.groupBy(all, ({ parentOrganizationId }) => parentOrganizationId)
  const branch = all.filter(({ id }) => id === rootId)
  // The list grows while it is walked.
  for (const { id } of branch) branch.push(...(children.get(id) ?? []))
  return branch
}

function changingRoutes(add: AddRoute, { store: { organizations } }: AdminDeps): void {
  add({
    method: 'POST',
    path: '/organizations',
    operationId: 'createOrganization',
    role: 'support',
    tag: 'Organizations',
    summary: 'Create an organization',
    body: draft,
    answer: { status: 201, description: 'The organization', shape: Organization },
    refusals: { 409: 'The name or the number is taken' },
    resource,
    handle: ({ body, by }) => organizations.create(body, by),
  })
  add({
    method: 'PUT',
    path: '/organizations/:id',
    operationId: 'updateOrganization',
    role: 'support',
    tag: 'Organizations',
    summary: 'Replace an organization',
    description:
      'Replaces all members; members that are left out get their defaults. Facets stay as they are.',
    params,
    body: draft,
    answer: { description: 'The organization', shape: Organization },
    refusals: { ...refusals, 409: 'The name or the number is taken, or the parent would close a circle' },
    resource,
    handle: ({ params: { id }, body, by }) => organizations.update(id, body, by),
  })
  add({
    method: 'DELETE',
    path: '/organizations/:id',
    operationId: 'removeOrganization',
    role: 'admin',
    tag: 'Organizations',
    summary: 'Remove an organization with its facets',
    description: 'Removes it for good, also one that a script has deleted.',
    params,
    answer: { status: 204, description: 'The organization is removed' },
    refusals: { ...refusals, 409: 'It has children, or is the only organization of a person' },
    resource: removable,
    handle: ({ params: { id }, by }) => organizations.remove(id, by),
  })
}

/** Scripts delete organizations with `DeleteOrganization`. */
function restoringRoutes(add: AddRoute, { store: { organizations } }: AdminDeps): void {
  add({
    method: 'GET',
    path: '/deleted-organizations',
    operationId: 'listDeletedOrganizations',
    role: 'viewer',
    tag: 'Organizations',
    summary: 'List the organizations that scripts have deleted, by default sorted by name',
    query: queryShape(listParameters(listedDeleted, 'number, name or who deleted it')),
    answer: { description: 'A page of deleted organizations', shape: listShape(DeletedOrganization) },
    handle: async ({ query }) => listOf(await organizations.deleted(), listedDeleted, query),
  })
  add({
    method: 'GET',
    path: '/deleted-organizations/:id',
    operationId: 'getDeletedOrganization',
    role: 'viewer',
    tag: 'Organizations',
    summary: 'Get an organization that a script has deleted',
    params,
    answer: { description: 'The deleted organization', shape: DeletedOrganization },
    refusals: { 404: 'There is no such deleted organization' },
    resource: deletedResource,
    handle: async ({ params: { id } }) => {
      const deleted = await findDeleted(organizations, id)
      if (deleted === null) throw notFound('deleted organization', id)
      return deleted
    },
  })
  add({
    method: 'POST',
    path: '/organizations/:id/restore',
    operationId: 'restoreOrganization',
    role: 'support',
    tag: 'Organizations',
    summary: 'Restore an organization that a script has deleted',
    description:
      'Brings back its facets and persons as far as they still exist. It becomes the last organization of each person.',
    params,
    answer: { description: 'The organization', shape: Organization },
    refusals: {
      404: 'There is no such deleted organization',
      409: 'Another organization has its name or number, or its parent does not exist',
    },
    resource: deletedResource,
    handle: ({ params: { id }, by }) => organizations.restore(id, by),
  })
}
