/**
 * Runs scripts of files in this process, for `tripfolio endpoint test`: on the stores and the snapshot of the data folder, as
 * far as there are any. Only tests may run here: what they write is held back.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createScriptRunner } from '../automation/runs/run-endpoint.ts'
import type { TestRunner } from '../cli/endpoints/endpoint-trial.ts'
import type { Config } from '../config/load-config.ts'
import type { Observation } from '../observe/observation.ts'
import { SharedFiles } from '../snapshot/files/shared-files.ts'
import { openThread, runServices } from './open-thread.ts'
import { openStores } from './stores.ts'

export async function openTestRunner(
  config: Config,
  onDefect: (cause: unknown) => void,
): Promise<TestRunner> {
  const observe = (observation: Observation) => {
    if (observation.kind === 'script-defect') onDefect(observation.cause)
  }
  const elsewhere = await mkdtemp(join(tmpdir(), 'tripfolio-test-'))
  // A store that is not there yet is made elsewhere, so that a test leaves nothing behind.
  const folderOf = (path: (folder: string) => string) =>
    existsSync(path(config.data)) ? config.data : elsewhere
  const stores = await openStores(config, { observe, folderOf })
  const { open: openFiles } = new SharedFiles(config.data, observe, config.memoryBudget)
  const thread = openThread({ config, observe, openFiles, stores })
  await thread.readServices.catalogue.refresh()
  const close = async () => {
    await stores.close()
    await rm(elsewhere, { recursive: true })
  }
  return { run: createScriptRunner(runServices(thread)), close }
}
