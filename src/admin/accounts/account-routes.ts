/** Service accounts. A key or psk is in the one answer that made it and in no other. */
import Type from 'typebox'
import type { Account as StoredAccount } from '../../directory/accounts/account.ts'
import { fold } from '../../kernel/text.ts'
import { moment, nullable } from '../../schema/shapes.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute, AdminRoute } from '../admin-route.ts'
import { pageOf, pageParameters, pageShape, queryShape } from '../paging.ts'
import { notFound } from '../problems.ts'
import { requestShape } from '../validate.ts'

const id = Type.String({ format: 'uuid' })

const Account = Type.Object({
  id,
  name: Type.String(),
  clientNumber: Type.String({ description: 'The client that it reads' }),
  active: Type.Boolean({ description: 'Switched off when false' }),
  locked: Type.Boolean({ description: 'Closed for the time being' }),
  expiresAt: nullable(moment('From then on its key and psk open nothing')),
  lastUsedAt: nullable(moment('Last use, to about a minute')),
  createdAt: moment('Creation'),
  rotatedAt: nullable(moment('When its key was last replaced')),
  pskIssuedAt: nullable(moment('When its psk was issued; null while it has none')),
})

const Change = Type.Object({
  at: moment('When'),
  actor: Type.String({ description: 'Who' }),
  action: Type.String({ description: 'What, such as `account.lock`' }),
  subjectId: Type.String(),
  before: Type.Unknown({ description: 'The changed members' }),
  after: Type.Unknown({ description: 'The changed members' }),
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
  psk: Type.String({ description: 'Shown only now; opens version 1 alone' }),
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
    tag: 'Service accounts',
    summary: 'The accounts, by client and name',
    query: queryShape({
      clientNumber: Type.Optional(Type.String({ description: 'Of this client only' })),
      text: Type.Optional(Type.String({ description: 'Within the name, without regard to case' })),
      ...pageParameters,
    }),
    answer: { description: 'A page of the accounts', shape: pageShape(Account) },
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
    tag: 'Service accounts',
    summary: 'One account and its history',
    params,
    answer: { description: 'The account and what was changed of it', shape: AccountWithHistory },
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
    tag: 'Service accounts',
    summary: 'Make an account',
    body: AccountDraft,
    answer: { status: 201, description: 'The account and its API key', shape: AccountWithKey },
    handle: ({ body: { name, clientNumber, expires }, by }) =>
      accounts.create({ name, clientNumber, expires: expires ?? undefined }, by),
  })
  add({
    method: 'POST',
    path: '/accounts/:id/rotate',
    operationId: 'rotateAccountKey',
    tag: 'Service accounts',
    summary: 'Replace the API key of an account',
    description:
      'The former key opens nothing from the next request on. An account that is closed stays closed.',
    params,
    answer: { description: 'The account and its new API key', shape: AccountWithKey },
    refusals,
    handle: ({ params: { id }, by }) => accounts.rotate(known(id), by),
  })
  add({
    method: 'POST',
    path: '/accounts/:id/psk',
    operationId: 'issueAccountPsk',
    tag: 'Service accounts',
    summary: 'Issue a psk to an account, or replace the one it has',
    params,
    answer: { description: 'The account and its new psk', shape: AccountWithPsk },
    refusals,
    handle: ({ params: { id }, by }) => accounts.issuePsk(known(id), by),
  })
  add({
    method: 'DELETE',
    path: '/accounts/:id/psk',
    operationId: 'removeAccountPsk',
    tag: 'Service accounts',
    summary: 'Take the psk of an account away',
    description: 'An account without a psk stays as it is.',
    params,
    answer: { status: 204, description: 'It has no psk' },
    refusals,
    handle: ({ params: { id }, by }) => accounts.removePsk(known(id), by),
  })
  const switches = [
    ['enable', 'Switch an account on', (id, by) => accounts.setActive(id, true, by)],
    ['disable', 'Switch an account off', (id, by) => accounts.setActive(id, false, by)],
    ['lock', 'Close an account for the time being', (id, by) => accounts.setLocked(id, true, by)],
    ['unlock', 'Open a locked account again', (id, by) => accounts.setLocked(id, false, by)],
  ] as const satisfies readonly Switch[]
  for (const each of switches) add(switchRoute(each))
}

type Switch = readonly [
  verb: string,
  summary: string,
  set: (id: string, by: string) => Promise<StoredAccount>,
]

const switchRoute = ([verb, summary, set]: Switch) =>
  ({
    method: 'POST',
    path: `/accounts/:id/${verb}`,
    operationId: `${verb}Account`,
    tag: 'Service accounts',
    summary,
    description:
      'Holds from the next request on. Nothing happens, and nothing is recorded, when it already is so.',
    params,
    answer: { description: 'The account', shape: Account },
    refusals,
    handle: ({ params: { id }, by }) => set(known(id), by),
  }) satisfies AdminRoute<typeof params, never, never>

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The store also finds accounts by name and by the beginning of an id; an address names exactly one. */
function known(id: string): string {
  if (UUID.test(id)) return id
  throw notFound('account', id)
}
