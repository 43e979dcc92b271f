/** The user who runs a command, by the name in the operating system; in a container the user may only have a number. */
import { userInfo } from 'node:os'

export function operatorName(): string {
  try {
    return userInfo().username
  } catch {
    return `${process.getuid?.() ?? 'unknown'}`
  }
}

/** The name for the audit trail. */
export const operator = (): string => `operator:${operatorName()}`
