/** What an operator should look at, by itself: a console asks for it more often than for the whole system. */
import Type from '../../kernel/type.ts'
import type { ResourceRoutes } from '../admin-deps.ts'
import { queryShape } from '../paging.ts'
import { Attention, needsAttention, usualRules } from './needs-attention.ts'

const daysParameter = (description: string, days: number) =>
  Type.Integer({ minimum: 1, maximum: 3650, default: days, description })

export const attentionRoute: ResourceRoutes = (add, deps) =>
  add({
    method: 'GET',
    path: '/system/attention',
    operationId: 'listAttention',
    role: 'viewer',
    tag: 'System',
    summary: 'List what an operator should look at',
    description:
      'A refused refresh, failing endpoints and schedules, accounts that do not match their checksums, accounts and secrets that expire, unused accounts, paused webhooks. Looked up at each request; empty when all is well.',
    query: queryShape({
      expiresWithinDays: daysParameter(
        'Accounts and secrets that expire within so many days',
        usualRules.expiresWithinDays,
      ),
      unusedDays: daysParameter('Accounts that were not used for so many days', usualRules.unusedDays),
      limit: Type.Integer({
        minimum: 1,
        maximum: 500,
        default: usualRules.mostNamed,
        description: 'The most subjects of each kind',
      }),
    }),
    answer: {
      description: 'One item for each kind that there is',
      shape: Type.Object({
        items: Type.Array(Attention),
        next: Type.Null(),
        total: Type.Integer({ description: 'How many items' }),
      }),
    },
    handle: async ({ query: { limit, ...rules } }) => {
      const items = await needsAttention(deps, new Date(), { ...rules, mostNamed: limit })
      return { items, next: null, total: items.length }
    },
  })
