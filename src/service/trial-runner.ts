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
import { Manifests } from '../snapshot/manifests.ts'
import { openSnapshots } from '../snapshot/open-snapshots.ts'
import { openThread, runServices } from './open-thread.ts'

export async function openTrialRunner(
  config: Config,
  onDefect: (cause: unknown) => void,
): Promise<TrialRunner> {
  const observe = (observation: Observation) => {
    if (observation.kind === 'script-defect') onDefect(observation.cause)
  }
  const stores = await openTrialStores(config, { control: { secretKey: () => secretKey(config) } })
  const snapshots = openSnapshots(config, observe)
  const { open: openFiles } = new SharedFiles(snapshots.files, observe, config.memoryBudget)
  const manifests = snapshots.manifests(stores.control.snapshots)
  const thread = await openThread({ config, observe, openFiles, manifests, stores })
  const current = await new Manifests(manifests, observe).successorOf(undefined)
  if (current !== null) await thread.readServices.announce(current)
  const close = async () => {
    snapshots.close()
    await Promise.all([thread.readServices.close(), stores.close()])
  }
  return { run: createScriptRunner(runServices(thread)), close }
}
