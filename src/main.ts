/**
 * The process: runs one command of the command line. Only two commands load the composition in `service/`; the others start
 * without it:
 *
 * - `serve` starts the service, in the phases of `service/start-service.ts`;
 * - `endpoint trial` runs a script in this process, with what `service/trial-runner.ts` opens.
 */
import './kernel/relative-imports.ts'

// Not at the top, where they would be resolved before the line above applies.
const { processIo } = await import('./cli/cli-io.ts')
const { runCli } = await import('./cli/run-cli.ts')
const { ignoreLostTerminal } = await import('./kernel/stop-signals.ts')

ignoreLostTerminal()

process.exitCode = await runCli(process.argv.slice(2), processIo, {
  startService: async (config) => (await import('./service/start-service.ts')).startService(config),
  openTrialRunner: async (...parts) => (await import('./service/trial-runner.ts')).openTrialRunner(...parts),
})
