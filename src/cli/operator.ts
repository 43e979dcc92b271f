/** Who runs a command, by the name that the system has for them. In a container the user may have a number only. */
import { userInfo } from 'node:os'

export function operatorName(): string {
  try {
    return userInfo().username
  } catch {
    return `${process.getuid?.() ?? 'unknown'}`
  }
}

/** Who the audit trail names. */
export const operator = (): string => `operator:${operatorName()}`
