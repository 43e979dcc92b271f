/**
 * What the commands for endpoints, secrets, runs and schedules work on: the stores of a data folder (`local-service.ts`), or the
 * admin API of a service elsewhere (`remote-service.ts`). The commands do not know which. `by` is the actor of the audit entry
 * on a data folder; a service takes the holder of the token.
 */
import type { PushModules } from '../../automation/endpoint-files/push-modules.ts'
import type { CancelTarget } from '../../automation/live/live-control.ts'
import type { EndpointOperations } from '../../automation/operations/endpoint-operations.ts'
import type { RunReport } from '../../automation/runs/run-states.ts'
import type { ScheduleOperations } from '../../automation/schedules/schedule-operations.ts'
import type { Endpoints } from '../../directory/endpoints/endpoints.ts'
import type { History } from '../../directory/history/history.ts'
import type { Holds } from '../../directory/holds/holds.ts'
import type { Modules } from '../../directory/modules/modules.ts'
import type { Secrets } from '../../directory/secrets/secrets.ts'
import type { PublishedVersion } from '../../schema/endpoint-shapes.ts'
import type { LiveRun } from '../../schema/execution-shapes.ts'
import type { ModuleVersion } from '../../schema/module-shapes.ts'

export type EndpointService = {
  readonly endpoints: Pick<
    Endpoints,
    'list' | 'find' | 'create' | 'saveDraft' | 'publish' | 'version' | 'modulesOf' | 'restore' | 'remove'
  > & { readonly versions: (id: string) => Promise<readonly VersionSummary[]> }
  readonly modules: PushModules &
    Pick<Modules, 'version'> & {
      readonly versions: (name: string) => Promise<readonly Pick<ModuleVersion, 'version'>[]>
    }
  readonly compare: EndpointOperations['compare']
  readonly secrets: Pick<Secrets, 'list' | 'set' | 'remove'>
  readonly executions: Pick<History, 'list' | 'find'> & {
    /** Its writes stay. @throws Problem END207 on a data folder */
    readonly rerun: (id: string, version: 'original' | 'current') => Promise<RunReport>
  }
  readonly schedules: Pick<ScheduleOperations, 'list' | 'run' | 'setPaused'>
  /** Refreshes, and schedules as a whole. */
  readonly holds: Pick<Holds, 'find' | 'hold' | 'resume'>
  readonly liveRuns: {
    readonly list: () => Promise<{ readonly runs: readonly LiveRun[] } & Silent>
    /** @returns the ids of the runs that end soon @throws Problem ADM133 when no such run waits or runs */
    readonly cancel: (
      target: CancelTarget,
      by: string,
    ) => Promise<{ readonly cancelled: readonly string[] } & Silent>
  }
}

/** The nodes that did not answer: their runs are missing. */
type Silent = { readonly silent: readonly string[] }

export type VersionSummary = Omit<PublishedVersion, 'definition'>
