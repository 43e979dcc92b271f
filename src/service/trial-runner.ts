/**
 * Runs scripts of files in this process, for `tripfolio endpoint trial`, on the stores and the snapshot if there are
 * any. Only trials may run here, because their writes are held back.
 */
import { createScriptRunner } from '../automation/runs/run-endpoint.ts'
import type { TrialRunner } from '../cli/endpoints/endpoint-trial.ts'
import type { Config } from '../config/load-config.ts'
import { openTrialStores } from '../directory/open-stores.ts'
import { secretKey } from '../directory/secrets/secret-key.ts'
import type { Observation } from '../observe/observation.ts'
import { SharedFiles } from '../snapshot/files/shared-files.ts'
import { openThread, runServices } from './open-thread.ts'

export async function openTrialRunner(
  config: Config,
  onDefect: (cause: unknown) => void,
): Promise<TrialRunner> {
  const observe = (observation: Observation) => {
    if (observation.kind === 'script-defect') onDefect(observation.cause)
  }
  const stores = await openTrialStores(config, { control: { secretKey: () => secretKey(config) } })
  const { open: openFiles } = new SharedFiles(config.data, observe, config.memoryBudget)
  const thread = openThread({ config, observe, openFiles, stores })
  await thread.readServices.catalogue.refresh()
  return { run: createScriptRunner(runServices(thread)), close: stores.close }
}
