/**
 * Compares all accounts with their seals: when the service starts, and from then on so often that damage of accounts which nobody
 * uses is found, and that what was mended is soon no longer reported. Look-ups do not wait for it.
 */
import type { ControlStore } from '../directory/control-store.ts'
import { Problem } from '../kernel/problem.ts'
import type { Observe } from '../observe/observation.ts'

const EVERY_MS = 600_000
const WHILE_REFUSED_MS = 60_000

type Accounts = Pick<ControlStore['accounts'], 'adoptKey' | 'verify'>

/** @returns a function that ends the checks */
export async function checkAccounts(accounts: Accounts, observe: Observe): Promise<() => Promise<void>> {
  let timer: NodeJS.Timeout | undefined
  let checking: Promise<void> = Promise.resolve()
  let isEnding = false
  const check = async () => {
    const hasRefused = await checkOnce(accounts, observe)
    if (isEnding) return
    const next = () => {
      checking = check()
    }
    timer = setTimeout(next, hasRefused ? WHILE_REFUSED_MS : EVERY_MS).unref()
  }
  await check()
  return async () => {
    isEnding = true
    clearTimeout(timer)
    await checking
  }
}

/** @returns whether any account is refused, or could not be read: the store itself reports why */
async function checkOnce(accounts: Accounts, observe: Observe): Promise<boolean> {
  try {
    // Again, because the store could perhaps not be written at the start.
    await accounts.adoptKey().catch(ignoreProblem)
    const { key, refused } = await accounts.verify()
    const faults = refused.map(({ account, fault }) => ({ accountId: account.id, fault }))
    observe({ kind: 'accounts-checked', refused: faults, isOfOtherKey: key === 'other' })
    return faults.length > 0
  } catch (error) {
    ignoreProblem(error)
    return true
  }
}

export function ignoreProblem(error: unknown): void {
  if (!(error instanceof Problem)) throw error
}
