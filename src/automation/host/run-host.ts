/**
 * What the functions of the host find as `context.host`: the one run that they work for, and the stores behind it. Scripts
 * never see it: functions take values of scripts and answer values of scripts.
 */

import type { History } from '../../directory/history/history.ts'
import type { Notifications } from '../../directory/notifications/notifications.ts'
import type { Facets } from '../../directory/people/facets.ts'
import type { Organizations } from '../../directory/people/organizations.ts'
import type { Persons } from '../../directory/people/persons.ts'
import type { Secrets } from '../../directory/secrets/secrets.ts'
import type { User } from '../../kernel/user.ts'
import type { Tenant } from '../../schema/directory-shapes.ts'
import type { NativeContext } from '../../script/values.ts'
import type { Redaction } from '../redaction/redaction.ts'
import type { RunLog } from '../runs/run-log.ts'
import type { RunRecords } from './query-records.ts'

/** Organizations and people: the store, or the copy that a trial works on. */
export type Directory = {
  readonly organizations: Organizations
  readonly facets: Facets
  readonly persons: Persons
}

export type RunHost = {
  readonly executionId: string
  readonly endpointId: string
  readonly user: User
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Of audit entries: `endpoint:<name> for <principalId or anonymous>`. */
  readonly actor: string
  readonly log: RunLog
  readonly redaction: Redaction
  /** For reading: what the run has written is there. */
  readonly directory: () => Directory
  /** For writing. */
  readonly directoryToChange: () => Promise<Directory>
  readonly notepads: History['notepads']
  readonly notifications: Pick<Notifications, 'send'>
  readonly secrets: Pick<Secrets, 'read'>
  readonly tenant: () => Promise<Tenant>
  readonly records: RunRecords
  /** What the run has written so far. */
  readonly written: { notepads: number; notepadBytes: number; notifications: number }
  /** What went wrong inside of the service, for its log: scripts are only told that something did. */
  readonly defects: unknown[]
}

export const hostOf = (context: NativeContext): RunHost => context.host as RunHost
