/**
 * Runs scripts of files in this process, for `tripfolio endpoint trial`: on the stores and the snapshot of the data folder, as
 * far as there are any. Only trials may run here, because what they write is held back.
 */
import { createScriptRunner } from '../automation/runs/run-endpoint.ts'
import type { TrialRunner } from '../cli/endpoints/endpoint-trial.ts'
import type { Config } from '../config/load-config.ts'
import { openTrialStores } from '../directory/open-stores.ts'
import { secretKey } from '../directory/secrets/secret-key.ts'
import type { Observation } from '../observe/observation.ts'
import { SharedFiles } from '../snapshot/files/shared-files.ts'
import { openRecords } from './query-records.ts'
import { openAnswering } from './read-services.ts'

export async function openTrialRunner(
  config: Config,
  onDefect: (cause: unknown) => void,
): Promise<TrialRunner> {
  const observe = (observation: Observation) => {
    if (observation.kind === 'script-defect') onDefect(observation.cause)
  }
  const stores = await openTrialStores(config.data, { control: { secretKey: () => secretKey(config) } })
  const openFiles = new SharedFiles(config.data, observe, config.memoryBudget).open
  const answering = openAnswering({ config, observe, openFiles })
  await answering.catalogue.refresh()
  const run = createScriptRunner({
    store: stores.control,
    notepads: stores.history.notepads,
    records: openRecords(answering),
    observe,
    historyBodyBytes: config.historyBodyBytes,
  })
  return { run, close: stores.close }
}
