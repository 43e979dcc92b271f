/**
 * A command in the process of the test, as `main.ts` composes it. What only a real start can show (exit codes, signals, limits of
 * the process) is tested with `runTripfolio`.
 */
import { type Called, callCli } from '../../src/cli/testing/call-cli.ts'

export const runCommand = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
): Promise<Called> =>
  callCli(args, {
    env,
    input,
    composition: {
      // For starts that fail: one that succeeds goes on until its process is told to stop.
      startService: async (config) =>
        (await import('../../src/service/start-service.ts')).startService(config),
      openTrialRunner: async (...parts) =>
        (await import('../../src/service/trial-runner.ts')).openTrialRunner(...parts),
    },
  })
