/** The stores of a data folder, whether its service is running or not. */
import { createScheduleOperations } from '../../automation/schedules/schedule-operations.ts'
import type { Config } from '../../config/load-config.ts'
import type { ControlStore } from '../../directory/control-store.ts'
import type { History } from '../../directory/history/history.ts'
import { openHistory } from '../../directory/open-stores.ts'
import type { EndpointService } from './endpoint-service.ts'
import { localLiveRuns } from './local-live-runs.ts'
import { needsService } from './problems.ts'

export function localService(store: ControlStore, config: Config): EndpointService {
  const { endpoints, modules, secrets, holds } = store
  const fromHistory = async <T>(read: (history: History) => Promise<T>): Promise<T> => {
    const history = await openHistory(config)
    try {
      return await read(history)
    } finally {
      await history.close()
    }
  }
  return {
    endpoints: {
      ...endpoints,
      versions: async (id) => (await endpoints.versions(id)).map(({ definition, ...summary }) => summary),
    },
    modules,
    compare: async (id, from, to) => {
      const { compareEditions } = await import('../../automation/operations/endpoint-operations.ts')
      return compareEditions(endpoints, id, from, to)
    },
    secrets,
    schedules: createScheduleOperations({ store }),
    holds,
    liveRuns: localLiveRuns(store, config),
    executions: {
      list: (filter, page) => fromHistory((history) => history.list(filter, page)),
      find: (id) => fromHistory((history) => history.find(id)),
      rerun: async () => {
        // It would run beside the service, without its limits and its queue.
        throw needsService('run a request again')
      },
    },
  }
}
