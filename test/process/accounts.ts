/** Accounts for the tests of this folder, made in the store itself, without starting a command for each. */
import { openControlStore } from '../../src/directory/open-stores.ts'

/** @returns the API key of a new account */
export async function createAccount(data: string, clientNumber: string, name: string): Promise<string> {
  const store = await openControlStore(data)
  try {
    return (await store.accounts.create({ clientNumber, name }, 'test')).apiKey
  } finally {
    await store.close()
  }
}
