/**
 * The process: runs one command of the command line. Only two commands load the composition in `service/`; the others start
 * without it:
 *
 * - `serve` starts the service, in the phases of `service/start-service.ts`;
 * - `endpoint trial` runs a script in this process, with what `service/trial-runner.ts` opens.
 */
import { processIo } from './cli/cli-io.ts'
import { runCli } from './cli/run-cli.ts'

process.exitCode = await runCli(process.argv.slice(2), processIo, {
  startService: async (config) => (await import('./service/start-service.ts')).startService(config),
  openTrialRunner: async (...parts) => (await import('./service/trial-runner.ts')).openTrialRunner(...parts),
})
