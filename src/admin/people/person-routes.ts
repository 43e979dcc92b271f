/** Persons and the organizations they belong to. */

import type { PersonBrief } from '../../directory/people/persons.ts'
import { fold } from '../../kernel/text.ts'
import Type from '../../kernel/type.ts'
import { Person, PersonDraft } from '../../schema/directory-shapes.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute } from '../admin-route.ts'
import type { Resource } from '../changes/resource.ts'
import { type Listed, listOf, listParameters, listShape, queryShape } from '../paging.ts'
import { notFound } from '../problems.ts'
import { requestShape } from '../request-shape.ts'
import { facetsOfOwner } from './owner-facets.ts'

const params = Type.Object({ id: Type.String({ description: 'Id of the person' }) })
const refusals = { 404: 'There is no such person' } as const
const draft = requestShape(PersonDraft)

const resource: Resource<{ readonly id: string }> = { read: ({ persons }, { id }) => persons.byId(id) }
const listed: Listed<PersonBrief> = {
  sorts: {
    lastName: ({ lastName, firstName, emailAddress }) => [lastName, firstName ?? '', emailAddress].map(fold),
    firstName: ({ firstName, lastName }) => [firstName ?? '', lastName].map(fold),
    emailAddress: ({ emailAddress }) => [fold(emailAddress)],
    createdAt: ({ createdAt }) => [createdAt],
    updatedAt: ({ updatedAt }) => [updatedAt],
  },
  id: ({ id }) => id,
  texts: ({ firstName, lastName, emailAddress, userPrincipalName }) => [
    `${firstName ?? ''} ${lastName}`,
    emailAddress,
    userPrincipalName,
  ],
}

export const personRoutes: ResourceRoutes = (add, deps) => {
  readingRoutes(add, deps)
  changingRoutes(add, deps)
  const exists = async (id: string) => (await deps.store.persons.byId(id)) !== null
  facetsOfOwner(add, deps, { owner: 'Person', what: 'person', path: '/persons', exists })
}

function readingRoutes(add: AddRoute, { store: { persons } }: AdminDeps): void {
  add({
    method: 'GET',
    path: '/persons',
    operationId: 'listPersons',
    role: 'support or author',
    tag: 'Persons',
    summary: 'List persons, by default sorted by last name, first name and email address',
    query: queryShape({
      organizationId: Type.Optional(Type.String({ description: 'Only persons of this organization' })),
      ...listParameters(listed, 'the name, email address or sign-in name'),
    }),
    answer: { description: 'A page of persons', shape: listShape(Person) },
    handle: async ({ query: { organizationId, ...query } }) => {
      const { items, ...page } = listOf(await persons.briefs(organizationId), listed, query)
      return { items: await persons.complete(items), ...page }
    },
  })
  add({
    method: 'GET',
    path: '/persons/:id',
    operationId: 'getPerson',
    role: 'support or author',
    tag: 'Persons',
    summary: 'Get a person',
    params,
    answer: { description: 'The person', shape: Person },
    refusals,
    resource,
    handle: async ({ params: { id } }) => {
      const person = await persons.byId(id)
      if (person === null) throw notFound('person', id)
      return person
    },
  })
}

function changingRoutes(add: AddRoute, { store: { persons } }: AdminDeps): void {
  add({
    method: 'POST',
    path: '/persons',
    operationId: 'createPerson',
    role: 'support',
    tag: 'Persons',
    summary: 'Create a person',
    body: draft,
    answer: { status: 201, description: 'The person', shape: Person },
    resource,
    handle: ({ body, by }) => persons.create(body, by),
  })
  add({
    method: 'PUT',
    path: '/persons/:id',
    operationId: 'updatePerson',
    role: 'support',
    tag: 'Persons',
    summary: 'Replace a person',
    description:
      'Replaces all members; members that are left out get their defaults. Facets stay as they are.',
    params,
    body: draft,
    answer: { description: 'The person', shape: Person },
    refusals,
    resource,
    handle: ({ params: { id }, body, by }) => persons.update(id, body, by),
  })
  add({
    method: 'DELETE',
    path: '/persons/:id',
    operationId: 'removePerson',
    role: 'admin',
    tag: 'Persons',
    summary: 'Remove a person with their facets',
    params,
    answer: { status: 204, description: 'The person is removed' },
    refusals,
    resource,
    handle: ({ params: { id }, by }) => persons.remove(id, by),
  })
}
