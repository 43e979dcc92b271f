/** Service accounts. A key or psk is only in the response that created it. */

import type { RequiredRole } from '../../auth/operator-roles.ts'
import type { Account as StoredAccount } from '../../directory/accounts/account.ts'
import { fold } from '../../kernel/text.ts'
import Type from '../../kernel/type.ts'
import { moment, nullable } from '../../schema/shapes.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute, AdminRoute } from '../admin-route.ts'
import { pageOf, pageParameters, pageShape, queryShape } from '../paging.ts'
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
const AccountDraft = requestShape(
  Type.Object({
    name: Type.String({ description: '1 to 100 characters' }),
    clientNumber: Type.String({ description: '1 to 20 characters' }),
    expires: nullable(Type.String({ description: 'A date or date-time in the future' })),
  }),
)

const params = Type.Object({ id: Type.String({ description: 'Id of the account' }) })
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
    summary: 'List accounts, sorted by client and name',
    query: queryShape({
      clientNumber: Type.Optional(Type.String({ description: 'Only accounts of this client' })),
      text: Type.Optional(Type.String({ description: 'A part of the name, in any letter case' })),
      ...pageParameters,
    }),
    answer: { description: 'A page of accounts', shape: pageShape(Account) },
    handle: async ({ query: { clientNumber, text = '', ...page } }) => {
      const wanted = fold(text)
      const found = (await accounts.list()).filter(
        (account) =>
          (clientNumber === undefined || account.clientNumber === clientNumber) &&
          fold(account.name).includes(wanted),
      )
      return pageOf(found, ({ clientNumber, name, id }) => [clientNumber, name, id], page)
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
    handle: async ({ params: { id } }) => {
      const account = (await accounts.list()).find((one) => one.id === id)
      if (account === undefined) throw notFound('account', id)
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
    handle: ({ body: { name, clientNumber, expires }, by }) =>
      accounts.create({ name, clientNumber, expires: expires ?? undefined }, by),
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
    handle: ({ params: { id }, by }) => set(known(id), by),
  }) satisfies AdminRoute<typeof params, never, never>

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Accepts whole ids only: the store would also find accounts by name and by the beginning of an id. */
function known(id: string): string {
  if (UUID.test(id)) return id
  throw notFound('account', id)
}
