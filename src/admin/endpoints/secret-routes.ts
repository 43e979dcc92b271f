/** Secrets of scripts. Values can be written but never read. */
import type { Secrets } from '../../directory/secrets/secrets.ts'
import { fold } from '../../kernel/text.ts'
import Type from '../../kernel/type.ts'
import { SecretDraft, SecretSummary } from '../../schema/directory-shapes.ts'
import type { ResourceRoutes } from '../admin-deps.ts'
import type { Resource } from '../changes/resource.ts'
import { type Listed, listOf, listParameters, listShape, queryShape } from '../paging.ts'
import { notFound } from '../problems.ts'

const params = Type.Object({
  name: Type.String({ description: 'Name of the secret; letter case does not matter' }),
})

const listed: Listed<SecretSummary> = {
  sorts: {
    name: ({ name }) => [fold(name)],
    expiresAt: ({ expiresAt }) => [expiresAt],
    updatedAt: ({ updatedAt }) => [updatedAt],
  },
  id: ({ name }) => name,
  texts: ({ name, description }) => [name, description],
}

const resource: Resource<{ readonly name: string }> = {
  read: async ({ secrets }, { name }) => findSecret(secrets, name),
}

const findSecret = async (secrets: Pick<Secrets, 'list'>, name: string): Promise<SecretSummary | null> =>
  (await secrets.list()).find((secret) => fold(secret.name) === fold(name)) ?? null

export const secretRoutes: ResourceRoutes = (add, { store: { secrets } }) => {
  add({
    method: 'GET',
    path: '/secrets',
    operationId: 'listSecrets',
    role: 'author',
    tag: 'Secrets',
    summary: 'List secrets without their values, by default sorted by name',
    query: queryShape(listParameters(listed, 'name or description')),
    answer: { description: 'A page of secrets', shape: listShape(SecretSummary) },
    handle: async ({ query }) => listOf(await secrets.list(), listed, query),
  })
  add({
    method: 'GET',
    path: '/secrets/:name',
    operationId: 'getSecret',
    role: 'author',
    tag: 'Secrets',
    summary: 'Get a secret without its value',
    params,
    answer: { description: 'The secret, without its value', shape: SecretSummary },
    refusals: { 404: 'There is no such secret' },
    resource,
    handle: async ({ params: { name } }) => {
      const secret = await findSecret(secrets, name)
      if (secret === null) throw notFound('secret', name)
      return secret
    },
  })
  add({
    method: 'PUT',
    path: '/secrets/:name',
    operationId: 'setSecret',
    role: 'admin',
    tag: 'Secrets',
    summary: 'Create or change a secret',
    description:
      'A new secret needs a value. Members of an existing secret that are left out stay as they are.',
    params,
    body: SecretDraft,
    answer: { description: 'The secret, without its value', shape: SecretSummary },
    refusals: { 409: 'The other secrets are sealed with another key than that of this service' },
    resource,
    handle: ({ params: { name }, body, by }) => secrets.set(name, body, by),
  })
  add({
    method: 'DELETE',
    path: '/secrets/:name',
    operationId: 'removeSecret',
    role: 'admin',
    tag: 'Secrets',
    summary: 'Remove a secret for good',
    params,
    answer: { status: 204, description: 'The secret is removed' },
    refusals: { 404: 'There is no such secret' },
    resource,
    handle: async ({ params: { name }, by }) => {
      if (!(await secrets.remove(name, by))) throw notFound('secret', name)
    },
  })
}
