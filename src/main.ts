/**
 * The process: one command of the command line. Only what serves or runs scripts needs the composition in `service/`, which
 * the other commands do not wait for:
 *
 * - `serve` starts the service, in the phases of `service/start-service.ts`;
 * - `endpoint test` runs a script in this process, with what `service/trial-runner.ts` opens.
 */
import { processIo } from './cli/cli-io.ts'
import { runCli } from './cli/run-cli.ts'

process.exitCode = await runCli(process.argv.slice(2), processIo, {
  startService: async (config) => (await import('./service/start-service.ts')).startService(config),
  openTrialRunner: async (...parts) => (await import('./service/trial-runner.ts')).openTrialRunner(...parts),
})
