/** The columns of a list of accounts, which the page of a client has, too. */
import type { ReactNode } from 'react'
import type { Column } from '../../parts/list-table.tsx'
import { Age, Moment } from '../../parts/time.tsx'
import { Tone } from '../../parts/tone.tsx'
import { accountTexts as texts } from '../../texts/accounts.ts'
import type { Account } from './account-queries.ts'
import { accountState, accountTones } from './account-state.ts'

export function AccountStateTone({ account }: { readonly account: Account }): ReactNode {
  const state = accountState(account)
  return <Tone tone={accountTones[state]}>{texts.states[state]}</Tone>
}

export const accountColumns: readonly Column<Account>[] = [
  { id: 'name', header: texts.name, sort: 'name', cell: ({ name }) => name },
  { id: 'client', header: texts.client, sort: 'clientNumber', cell: ({ clientNumber }) => clientNumber },
  { id: 'state', header: texts.state, cell: (account) => <AccountStateTone account={account} /> },
  {
    id: 'lastUsed',
    header: texts.lastUsed,
    sort: 'lastUsedAt',
    isWide: true,
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? texts.never : <Age value={lastUsedAt} />),
  },
  {
    id: 'expires',
    header: texts.expires,
    sort: 'expiresAt',
    isWide: true,
    cell: ({ expiresAt }) => (expiresAt === null ? texts.never : <Age value={expiresAt} />),
  },
  {
    id: 'created',
    header: texts.created,
    sort: 'createdAt',
    isWide: true,
    cell: ({ createdAt }) => <Moment value={createdAt} />,
  },
]
