/** Organizations. Each may have a parent. */

import { fold } from '../../kernel/text.ts'
import Type from '../../kernel/type.ts'
import { DeletedOrganization, Organization, OrganizationDraft } from '../../schema/directory-shapes.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute } from '../admin-route.ts'
import { pageOf, pageParameters, pageShape, queryShape } from '../paging.ts'
import { notFound } from '../problems.ts'
import { requestShape } from '../request-shape.ts'
import { facetsOfOwner } from './owner-facets.ts'

const params = Type.Object({ id: Type.String({ description: 'Id of the organization' }) })
const refusals = { 404: 'There is no such organization' } as const
const draft = requestShape(OrganizationDraft)

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
    summary: 'List organizations, sorted by name',
    query: queryShape({
      text: Type.Optional(Type.String({ description: 'A part of number or name, in any letter case' })),
      parentId: Type.Optional(
        Type.String({
          description: 'Only direct children of this organization; `none` for organizations without a parent',
        }),
      ),
      ...pageParameters,
    }),
    answer: { description: 'A page of organizations', shape: pageShape(Organization) },
    handle: async ({ query: { text = '', parentId, ...page } }) => {
      const wanted = fold(text)
      const wantedParent = parentId === 'none' ? null : parentId
      const found = (await organizations.list()).filter(
        ({ number, name, parentOrganizationId }) =>
          (wantedParent === undefined || parentOrganizationId === wantedParent) &&
          [number ?? '', name].some((one) => fold(one).includes(wanted)),
      )
      return pageOf(found, ({ name, id }) => [fold(name), id], page)
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
    handle: async ({ params: { id } }) => {
      const organization = await organizations.byId(id)
      if (organization === null) throw notFound('organization', id)
      return organization
    },
  })
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
    summary: 'List the organizations that scripts have deleted, sorted by name',
    query: queryShape(pageParameters),
    answer: { description: 'A page of deleted organizations', shape: pageShape(DeletedOrganization) },
    handle: async ({ query }) =>
      pageOf(await organizations.deleted(), ({ name, id }) => [fold(name), id], query),
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
    handle: ({ params: { id }, by }) => organizations.restore(id, by),
  })
}
