/**
 * What host functions get as `context.host`: the run that they work for, and its stores. Scripts never see it: host functions
 * take values of scripts and return values of scripts.
 */

import type { History } from '../../directory/history/history.ts'
import type { Notifications } from '../../directory/notifications/notifications.ts'
import type { Facets } from '../../directory/people/facets.ts'
import type { Organizations } from '../../directory/people/organizations.ts'
import type { Persons } from '../../directory/people/persons.ts'
import type { Secrets } from '../../directory/secrets/secrets.ts'
import type { ScriptState } from '../../directory/state/script-state.ts'
import type { User } from '../../kernel/user.ts'
import type { Tenant } from '../../schema/directory-shapes.ts'
import type { NativeContext } from '../../script/values.ts'
import type { Redaction } from '../redaction/redaction.ts'
import type { RunLog } from '../runs/run-log.ts'
import type { RunReads } from '../runs/run-reads.ts'
import type { RunOutbound } from './outbound/run-outbound.ts'
import type { RunRecords } from './query-records.ts'

/** Organizations, facets and persons: of the store, or of the copy that a trial works on. */
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
  /** The author in audit entries: `endpoint:<name> for <principalId or anonymous>`. */
  readonly actor: string
  readonly log: RunLog
  readonly redaction: Redaction
  /** For reading. Shows what the run itself has written. */
  readonly directory: () => Directory
  /** For writing. A trial makes its copy with the first call. */
  readonly directoryToChange: () => Promise<Directory>
  readonly notepads: History['notepads']
  readonly state: Pick<ScriptState, 'get' | 'set' | 'increment' | 'remove'>
  readonly notifications: Pick<Notifications, 'send'>
  readonly secrets: Pick<Secrets, 'read'>
  readonly tenant: () => Promise<Tenant>
  readonly records: RunRecords
  /** What the run has read: filled by `secrets`, `records` and every function that waits. */
  readonly reads: RunReads
  readonly outbound: RunOutbound
  /** Counts what the run has written so far. */
  readonly written: { notepads: number; notepadBytes: number; notifications: number }
  /** The reason of a script that has cancelled its run. */
  cancelled: string | null
  /** What the caller is told when something was away that a function needed, such as the database: the run may succeed later. */
  unavailable: string | null
  /** When the function was called that the script waits for, as performance.now() counts; null while it waits for none. */
  waitingSince: number | null
  /** Errors inside the service, for its log. Scripts only learn that there was one. */
  readonly defects: unknown[]
}

export const hostOf = (context: NativeContext): RunHost => context.host as RunHost
