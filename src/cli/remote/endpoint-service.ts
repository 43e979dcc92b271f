/**
 * What the commands for endpoints, secrets and executions work on: the stores of a data folder (`local-service.ts`), or the
 * admin API of a service elsewhere (`remote-service.ts`). The commands do not know which. `by` is the actor of the audit entry
 * on a data folder; a service takes the holder of the token.
 */
import type { PushModules } from '../../automation/endpoint-files/push-modules.ts'
import type { EndpointOperations } from '../../automation/operations/endpoint-operations.ts'
import type { RunReport } from '../../automation/runs/run-states.ts'
import type { Endpoints } from '../../directory/endpoints/endpoints.ts'
import type { History } from '../../directory/history/history.ts'
import type { Secrets } from '../../directory/secrets/secrets.ts'
import type { PublishedVersion } from '../../schema/endpoint-shapes.ts'

export type EndpointService = {
  readonly endpoints: Pick<
    Endpoints,
    'list' | 'find' | 'create' | 'saveDraft' | 'publish' | 'version' | 'modulesOf' | 'restore' | 'remove'
  > & { readonly versions: (id: string) => Promise<readonly VersionSummary[]> }
  readonly modules: PushModules
  readonly compare: EndpointOperations['compare']
  readonly secrets: Pick<Secrets, 'list' | 'set' | 'remove'>
  readonly executions: Pick<History, 'list' | 'find'> & {
    /** Its writes stay. @throws Problem END207 on a data folder */
    readonly rerun: (id: string, version: 'original' | 'current') => Promise<RunReport>
  }
}

export type VersionSummary = Omit<PublishedVersion, 'definition'>
