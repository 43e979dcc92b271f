/** Secrets of scripts. Values can be written but never read. */
import Type from '../../kernel/type.ts'
import { SecretDraft, SecretSummary } from '../../schema/directory-shapes.ts'
import type { ResourceRoutes } from '../admin-deps.ts'
import { notFound } from '../problems.ts'

const params = Type.Object({
  name: Type.String({ description: 'Name of the secret; letter case does not matter' }),
})

export const secretRoutes: ResourceRoutes = (add, { store: { secrets } }) => {
  add({
    method: 'GET',
    path: '/secrets',
    operationId: 'listSecrets',
    role: 'author',
    tag: 'Secrets',
    summary: 'List secrets without their values, sorted by name',
    answer: {
      description: 'All secrets',
      shape: Type.Object({ items: Type.Array(SecretSummary), next: Type.Null() }),
    },
    handle: async () => ({ items: await secrets.list(), next: null }),
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
    handle: async ({ params: { name }, by }) => {
      if (!(await secrets.remove(name, by))) throw notFound('secret', name)
    },
  })
}
