/** What stands in the place of a credential, in the history and in logs. */
export const REDACTED = '[redacted]'
