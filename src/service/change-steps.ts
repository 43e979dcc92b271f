/** Opens what is known of changes between snapshots, for work that is not part of answering requests. */
import { engineDatabase } from '../config/engine-database.ts'
import type { Config } from '../config/load-config.ts'
import type { Observe } from '../observe/observation.ts'
import type { StepSource } from '../snapshot/changes/step-store.ts'
import { openStepFiles } from '../snapshot/open-snapshots.ts'

export type ChangeSteps = { readonly steps: StepSource; readonly close: () => void | Promise<void> }

/** One question at a time: changes are looked for once per snapshot. */
const CONNECTIONS = 1
const ANSWER_MS = 60_000

/** @param installation the id of the control store */
export async function openChangeSteps(
  config: Config,
  observe: Observe,
  installation: () => Promise<string>,
): Promise<ChangeSteps> {
  if (config.engine !== 'postgres') return openStepFiles(config, observe, installation)
  const { openPool } = await import('../postgres/connect.ts')
  const { tableStepSource } = await import('../snapshot/postgres/step-table.ts')
  const url = engineDatabase(config)
  const pool = openPool({ url, use: 'tripfolio changes', connections: CONNECTIONS, answerMs: ANSWER_MS })
  return { steps: tableStepSource(pool), close: pool.close }
}
