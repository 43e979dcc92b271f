/** What accounts asked for: one account day by day, and all accounts over some days. */
import type { Static } from 'typebox'
import { fold } from '../../kernel/text.ts'
import Type from '../../kernel/type.ts'
import { nullable } from '../../schema/shapes.ts'
import type { ResourceRoutes } from '../admin-deps.ts'
import { dayParameter, type Listed, listOf, listParameters, listShape, queryShape } from '../paging.ts'
import { notFound } from '../problems.ts'

const tag = 'Service accounts'
const days = { from: dayParameter('Days at or after this one'), to: dayParameter('Days before this one') }
const counts = {
  requests: Type.Integer({
    description: 'Requests that were answered, also with an error',
    examples: [1200],
  }),
  bytes: Type.Integer({ description: 'Bytes of the bodies of the answers', examples: [48_000_000] }),
}
const day = (description: string) => Type.String({ format: 'date', description, examples: ['2026-01-31'] })

const UsageDay = Type.Object({
  day: day('A day in UTC'),
  ...counts,
  lastAddress: nullable(Type.String({ description: 'Address of the last caller' })),
})

const UsageOfAccount = Type.Object({
  accountId: Type.String({ format: 'uuid' }),
  name: Type.String({ description: 'Name of the account', examples: ['Night export'] }),
  clientNumber: Type.String({ description: 'The client whose records the account may read' }),
  ...counts,
  lastDay: nullable(day('The last of these days with a request, in UTC; null without one')),
})

const listed: Listed<Static<typeof UsageOfAccount>> = {
  sorts: {
    requests: ({ requests }) => [requests],
    bytes: ({ bytes }) => [bytes],
    lastDay: ({ lastDay }) => [lastDay],
    name: ({ name }) => [fold(name)],
    clientNumber: ({ clientNumber, name }) => [clientNumber, name],
  },
  byDefault: '-requests',
  id: ({ accountId }) => accountId,
  texts: ({ name, clientNumber }) => [name, clientNumber],
}

const written = 'Counts are written about once a minute and kept for 400 days.'

export const usageRoutes: ResourceRoutes = (add, { store: { accounts } }) => {
  add({
    method: 'GET',
    path: '/accounts/:id/usage',
    operationId: 'getAccountUsage',
    role: 'viewer',
    tag,
    summary: 'Get what an account asked for, day by day',
    description: `Oldest first; days without requests are left out. ${written}`,
    params: Type.Object({ id: Type.String({ description: 'Id of the account' }) }),
    query: queryShape(days),
    answer: {
      description: 'One item per day',
      shape: Type.Object({
        items: Type.Array(UsageDay),
        total: Type.Integer({ description: 'How many items' }),
      }),
    },
    refusals: { 404: 'There is no such account' },
    handle: async ({ params: { id }, query }) => {
      if ((await accounts.byId(id)) === null) throw notFound('account', id)
      const items = await accounts.usage(id, query)
      return { items, total: items.length }
    },
  })
  add({
    method: 'GET',
    path: '/accounts/usage',
    operationId: 'listAccountUsage',
    role: 'viewer',
    tag,
    summary: 'List what each account asked for, by default the most requests first',
    description: `Accounts without requests on these days have zeros. ${written}`,
    query: queryShape({ ...days, ...listParameters(listed, 'name or client number') }),
    answer: { description: 'A page of accounts', shape: listShape(UsageOfAccount) },
    handle: async ({ query: { from, to, ...query } }) => {
      const totals = await accounts.usageTotals({ from, to })
      const totalOf = new Map(totals.map((total) => [total.accountId, total]))
      const all = (await accounts.list()).map(({ id, name, clientNumber }) => {
        const { requests = 0, bytes = 0, lastDay = null } = totalOf.get(id) ?? {}
        return { accountId: id, name, clientNumber, requests, bytes, lastDay }
      })
      return listOf(all, listed, query)
    },
  })
}
