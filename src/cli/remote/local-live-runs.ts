/**
 * The runs that wait or run in the services of a data folder or database. The services are asked through the history, so that a
 * command needs neither an address nor a token.
 */
import { type AnswersOfNodes, askNodes } from '../../automation/live/other-nodes.ts'
import { noLiveRun, noServiceAnswered } from '../../automation/problems.ts'
import type { Config } from '../../config/load-config.ts'
import type { ControlStore } from '../../directory/control-store.ts'
import { openHistory, showStores } from '../../directory/open-stores.ts'
import { serviceRuns } from '../../directory/service-lock.ts'
import type { EndpointService } from './endpoint-service.ts'

export function localLiveRuns(
  { audit }: Pick<ControlStore, 'audit'>,
  config: Config,
): EndpointService['liveRuns'] {
  /** @throws Problem ADM135 when no service answers */
  const ask = async (question: Parameters<typeof askNodes>[1]): Promise<AnswersOfNodes> => {
    const stores = showStores(config)
    if (config.store === undefined && !serviceRuns(config.data)) throw noServiceAnswered(stores)
    const history = await openHistory(config)
    const answers = await askNodes(history.live, question).finally(history.close)
    if (answers.silent.length === answers.nodes.length) throw noServiceAnswered(stores)
    return answers
  }
  return {
    list: () => ask({ kind: 'list' }),
    cancel: async (target, by) => {
      const { cancelled, silent } = await ask({ kind: 'cancel', target, reason: { kind: 'operator', by } })
      if ('endpointId' in target) {
        const { endpointId: subjectId } = target
        const after = { executionIds: cancelled }
        await audit.note({ actor: by, action: 'endpoint.cancel-runs', subjectId, after })
      } else {
        if (cancelled.length === 0) throw noLiveRun(target.id)
        await audit.note({ actor: by, action: 'execution.cancel', subjectId: target.id, after: null })
      }
      return { cancelled, silent }
    },
  }
}
