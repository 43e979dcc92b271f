/** The account that a first run creates for the demo. */
import type { Account } from '../directory/accounts/account.ts'

/** The client is the second largest of every demo extract. */
export const DEMO_ACCOUNT = { clientNumber: 'C00001', name: 'Demo' }

export const isDemoAccount = ({ clientNumber, name }: Pick<Account, 'clientNumber' | 'name'>): boolean =>
  clientNumber === DEMO_ACCOUNT.clientNumber && name === DEMO_ACCOUNT.name
