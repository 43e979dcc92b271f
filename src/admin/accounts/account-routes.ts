/** Service accounts. A key or psk is only in the response that created it. */

import type { RequiredRole } from '../../auth/operator-roles.ts'
import { isUsable, type Account as StoredAccount } from '../../directory/accounts/account.ts'
import { fold } from '../../kernel/text.ts'
import Type from '../../kernel/type.ts'
import { moment, nullable } from '../../schema/shapes.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute, AdminRoute } from '../admin-route.ts'
import type { Resource } from '../changes/resource.ts'
import { type Listed, listOf, listParameters, listShape, queryShape } from '../paging.ts'
import { notFound } from '../problems.ts'
import { requestShape } from '../request-shape.ts'

const id = Type.String({ format: 'uuid' })

const Account = Type.Object({
  id,
  name: Type.String(),
  clientNumber: Type.String({ description: 'The client whose records the account may read' }),
  active: Type.Boolean({ description: 'False when the account is switched off' }),
  locked: Type.Boolean({ description: 'True while the account is locked' }),
  expiresAt: nullable(moment('When its key and psk stop working; null: never')),
  lastUsedAt: nullable(moment('Last use, to about a minute; null: never used')),
  createdAt: moment('When it was created'),
  rotatedAt: nullable(moment('When its key was last replaced')),
  pskIssuedAt: nullable(moment('When its psk was issued; null without a psk')),
  notes: nullable(Type.String({ description: 'What operators want to remember of it' })),
})

const Change = Type.Object({
  at: moment('When the change was made'),
  actor: Type.String({ description: 'Who made the change' }),
  action: Type.String({ description: 'What was done, such as `account.lock`' }),
  subjectId: Type.String(),
  before: Type.Unknown({ description: 'The changed members before the change' }),
  after: Type.Unknown({ description: 'The changed members after the change' }),
})
const AccountWithHistory = Type.Object({
  ...Account.properties,
  history: Type.Array(Change, { description: 'Oldest first' }),
})
const AccountWithKey = Type.Object({
  account: Account,
  apiKey: Type.String({ description: 'Shown only now' }),
})
const AccountWithPsk = Type.Object({
  account: Account,
  psk: Type.String({ description: 'Shown only now; works only with version 1 of the API' }),
})
const members = {
  name: Type.String({ description: '1 to 100 characters' }),
  expiresAt: nullable(
    Type.String({
      description: 'When its key and psk stop working: a date or date-time in the future; null: never',
    }),
  ),
  notes: nullable(Type.String({ maxLength: 1000, description: 'What operators want to remember of it' })),
}
const AccountDraft = requestShape(
  Type.Object({ ...members, clientNumber: Type.String({ description: '1 to 20 characters' }) }),
)
const AccountChange = Type.Object(
  {
    name: Type.Optional(members.name),
    expiresAt: Type.Optional(members.expiresAt),
    notes: Type.Optional(members.notes),
  },
  { additionalProperties: false },
)
const params = Type.Object({ id: Type.String({ description: 'Id of the account' }) })
/** `lastUsedAt` changes with every use. */
const resource: Resource<{ readonly id: string }> = {
  read: ({ accounts }, { id }) => accounts.byId(id),
  within: 'account',
  without: ['lastUsedAt', 'history'],
}
const listed: Listed<StoredAccount> = {
  sorts: {
    clientNumber: ({ clientNumber, name }) => [clientNumber, name],
    name: ({ name }) => [fold(name)],
    createdAt: ({ createdAt }) => [createdAt],
    lastUsedAt: ({ lastUsedAt }) => [lastUsedAt],
    expiresAt: ({ expiresAt }) => [expiresAt],
  },
  id: ({ id }) => id,
  texts: ({ name, clientNumber, notes }) => [name, clientNumber, notes],
}
/** What the list can be narrowed to. */
const states = {
  usable: isUsable,
  disabled: ({ active }) => !active,
  locked: ({ locked }) => locked,
  expired: ({ expiresAt }, now) => expiresAt !== null && expiresAt <= now.toISOString(),
} satisfies Readonly<Record<string, (account: StoredAccount, now: Date) => boolean>>

const refusals = { 404: 'There is no such account' } as const

export const accountRoutes: ResourceRoutes = (add, deps) => {
  readingRoutes(add, deps)
  changingRoutes(add, deps)
}

function readingRoutes(add: AddRoute, { store: { accounts } }: AdminDeps): void {
  add({
    method: 'GET',
    path: '/accounts',
    operationId: 'listAccounts',
    role: 'viewer',
    tag: 'Service accounts',
    summary: 'List accounts, by default sorted by client and name',
    query: queryShape({
      clientNumber: Type.Optional(Type.String({ description: 'Only accounts of this client' })),
      state: Type.Optional(
        Type.Enum(Object.keys(states) as (keyof typeof states)[], {
          description:
            '`usable`: its key is accepted; `disabled`: switched off; `locked`; `expired`. An account can be in several of the last three',
        }),
      ),
      ...listParameters(listed, 'name, client number or notes'),
    }),
    answer: { description: 'A page of accounts', shape: listShape(Account) },
    handle: async ({ query: { clientNumber, state, ...query } }) => {
      const now = new Date()
      const found = (await accounts.list()).filter(
        (account) =>
          (clientNumber === undefined || account.clientNumber === clientNumber) &&
          (state === undefined || states[state](account, now)),
      )
      return listOf(found, listed, query)
    },
  })
  add({
    method: 'GET',
    path: '/accounts/:id',
    operationId: 'getAccount',
    role: 'viewer',
    tag: 'Service accounts',
    summary: 'Get an account and its history',
    params,
    answer: { description: 'The account and its changes', shape: AccountWithHistory },
    refusals,
    resource,
    handle: async ({ params: { id } }) => {
      const account = await accounts.byId(id)
      if (account === null) throw notFound('account', id)
      return { ...account, history: await accounts.history(id) }
    },
  })
}

function changingRoutes(add: AddRoute, { store: { accounts } }: AdminDeps): void {
  add({
    method: 'POST',
    path: '/accounts',
    operationId: 'createAccount',
    role: 'admin',
    tag: 'Service accounts',
    summary: 'Create an account',
    body: AccountDraft,
    answer: { status: 201, description: 'The account and its API key', shape: AccountWithKey },
    resource,
    handle: ({ body, by }) => accounts.create(body, by),
  })
  add({
    method: 'PATCH',
    path: '/accounts/:id',
    operationId: 'changeAccount',
    role: 'admin',
    tag: 'Service accounts',
    summary: 'Change name, expiry or notes of an account',
    description: 'Members that are left out stay as they are. The client of an account never changes.',
    params,
    body: AccountChange,
    answer: { description: 'The account', shape: Account },
    refusals,
    resource,
    handle: ({ params: { id }, body, by }) => accounts.change(known(id), body, by),
  })
  add({
    method: 'DELETE',
    path: '/accounts/:id',
    operationId: 'removeAccount',
    role: 'admin',
    tag: 'Service accounts',
    summary: 'Remove an account for good',
    description:
      'Its key and psk are refused from the next request. Its webhooks and its usage are removed too; the audit trail stays.',
    params,
    answer: { status: 204, description: 'The account is removed' },
    refusals,
    resource,
    handle: async ({ params: { id }, by }) => void (await accounts.remove(known(id), by)),
  })
  add({
    method: 'POST',
    path: '/accounts/:id/rotate',
    operationId: 'rotateAccountKey',
    role: 'support',
    tag: 'Service accounts',
    summary: 'Replace the API key of an account',
    description:
      'The former key stops working with the next request. An account that is switched off or locked stays so.',
    params,
    answer: { description: 'The account and its new API key', shape: AccountWithKey },
    refusals,
    resource,
    handle: ({ params: { id }, by }) => accounts.rotate(known(id), by),
  })
  add({
    method: 'POST',
    path: '/accounts/:id/psk',
    operationId: 'issueAccountPsk',
    role: 'support',
    tag: 'Service accounts',
    summary: 'Issue a psk to an account, or replace its psk',
    params,
    answer: { description: 'The account and its new psk', shape: AccountWithPsk },
    refusals,
    resource,
    handle: ({ params: { id }, by }) => accounts.issuePsk(known(id), by),
  })
  add({
    method: 'DELETE',
    path: '/accounts/:id/psk',
    operationId: 'removeAccountPsk',
    role: 'support',
    tag: 'Service accounts',
    summary: 'Remove the psk of an account',
    description: 'Changes nothing when the account has no psk.',
    params,
    answer: { status: 204, description: 'The account has no psk' },
    refusals,
    resource,
    handle: ({ params: { id }, by }) => accounts.removePsk(known(id), by),
  })
  const switches = [
    ['enable', 'admin', 'Switch an account on', (id, by) => accounts.setActive(id, true, by)],
    ['disable', 'admin', 'Switch an account off', (id, by) => accounts.setActive(id, false, by)],
    ['lock', 'support', 'Lock an account', (id, by) => accounts.setLocked(id, true, by)],
    ['unlock', 'support', 'Unlock an account', (id, by) => accounts.setLocked(id, false, by)],
  ] as const satisfies readonly Switch[]
  for (const each of switches) add(switchRoute(each))
}

type Switch = readonly [
  verb: string,
  role: RequiredRole,
  summary: string,
  set: (id: string, by: string) => Promise<StoredAccount>,
]

const switchRoute = ([verb, role, summary, set]: Switch) =>
  ({
    method: 'POST',
    path: `/accounts/:id/${verb}`,
    operationId: `${verb}Account`,
    role,
    tag: 'Service accounts',
    summary,
    description:
      'Takes effect with the next request. When the account already is in this state, nothing changes and nothing is recorded.',
    params,
    answer: { description: 'The account', shape: Account },
    refusals,
    resource,
    handle: ({ params: { id }, by }) => set(known(id), by),
  }) satisfies AdminRoute<typeof params, never, never>

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Accepts whole ids only: the store would also find accounts by name and by the beginning of an id. */
function known(id: string): string {
  if (UUID.test(id)) return id
  throw notFound('account', id)
}
