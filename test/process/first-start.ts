/**
 * A first start in the process of the test: the service of `tripfolio serve` on an empty data folder, with a demo where it makes
 * one. What the command prints of it is tested with `whileServing`.
 */
import type { FirstRunStep } from '../../src/cli/service.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { startService } from '../../src/service/start-service.ts'
import { openTranscript } from './transcript.ts'
import { SMALL_SERVICE } from './tripfolio-process.ts'

export type FirstStart = {
  readonly address: string
  /** The key of the demo, on the node that has made its account. */
  readonly apiKey: string | undefined
  readonly steps: readonly FirstRunStep['kind'][]
  readonly hasSnapshot: () => boolean
  readonly close: () => Promise<unknown>
}

export async function firstStart(data: string, env: Readonly<Record<string, string>>): Promise<FirstStart> {
  const config = loadConfig({ env: { ...SMALL_SERVICE, ...env }, flags: { data, port: 0 } })
  const { address, firstRun, hasSnapshot, close } = await startService(config, {
    write: openTranscript().add,
  })
  const steps: FirstRunStep['kind'][] = []
  try {
    const demo = await firstRun(({ kind }) => steps.push(kind), new AbortController().signal)
    return { address, apiKey: demo?.apiKey, steps, hasSnapshot, close }
  } catch (cause) {
    await close()
    throw cause
  }
}
