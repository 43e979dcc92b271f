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
import { controlStorePath, openControlStore } from '../directory/control-store.ts'
import { historyPath, openHistory } from '../directory/history/open-history.ts'
import { secretKey } from '../directory/secrets/secret-key.ts'
import type { Observation } from '../observe/observation.ts'
import { SharedFiles } from '../snapshot/files/shared-files.ts'
import { openRecords } from './query-records.ts'
import { openReadServices } from './read-services.ts'

export async function openTestRunner(
  config: Config,
  onDefect: (cause: unknown) => void,
): Promise<TestRunner> {
  const observe = (observation: Observation) => {
    if (observation.kind === 'script-defect') onDefect(observation.cause)
  }
  const stores = await openStores(config)
  const openFiles = new SharedFiles(config.data, observe, config.memoryBudget).open
  const readServices = openReadServices({ config, observe, openFiles })
  await readServices.catalogue.refresh()
  const run = createScriptRunner({
    store: stores.store,
    notepads: stores.history.notepads,
    records: openRecords(readServices),
    observe,
    historyBodyBytes: config.historyBodyBytes,
  })
  return { run, close: stores.close }
}

/** A store that is not there yet is made elsewhere: whoever only tests leaves nothing behind. */
async function openStores(config: Config) {
  const elsewhere = await mkdtemp(join(tmpdir(), 'tripfolio-test-'))
  const pathOf = (path: (folder: string) => string) =>
    existsSync(path(config.data)) ? path(config.data) : path(elsewhere)
  const store = await openControlStore(pathOf(controlStorePath), { secretKey: () => secretKey(config) })
  const history = await openHistory(pathOf(historyPath))
  return {
    store,
    history,
    close: async () => {
      await history.close()
      await store.close()
      await rm(elsewhere, { recursive: true })
    },
  }
}
