/**
 * `tripfolio serve`: starts the service, prepares a demo on the first run, keeps the data fresh, and drains on SIGTERM.
 * The port is taken first: a start on a busy port fails at once, and early clients get an answer that tells them to retry.
 */
import { flushCompileCache } from 'node:module'
import { Command } from 'commander'
import type { Config } from '../config/load-config.ts'
import { isDemoAccount } from '../demo/demo-account.ts'
import { formatDate } from '../kernel/calendar.ts'
import { Problem } from '../kernel/problem.ts'
import { stopSignals } from '../kernel/stop-signals.ts'
import { choice } from './choice.ts'
import { exitCodes } from './failures/exit-codes.ts'
import type { Invocation } from './invocation.ts'
import type { DemoKey, FirstRunStep, Service, StartService } from './service.ts'
import { startFaults } from './start-faults.ts'

/** How long closing may take after the last request has ended, e.g. to write the records of scripts. */
const CLOSE_MS = 10_000

export function serveCommand(cli: Invocation, startService: StartService): Command {
  return new Command('serve')
    .description('Serve the API; on an empty data folder, make and serve a demo first')
    .option('--data <folder>', 'data folder (default: ./data)')
    .option('--port <port>', 'TCP port; 0 for any free port (default: 8080)')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option(
      '--threads <count>',
      'number of threads that answer requests (default: one for each processor core)',
    )
    .option(
      '--source <folder/url>',
      'folder of the warehouse extract to refresh from, or the URL of a warehouse',
    )
    .option('--mapping <file>', 'SQL of the tables, for a source that is a URL')
    .option('--refresh <cron>', 'when to refresh from the source, as a cron expression, e.g. "0 * * * *"')
    .option(
      '--quiet',
      'begin no schedules and scheduled refreshes and send nothing to others until `tripfolio resume`',
    )
    .addOption(choice('--log-level <level>', 'lowest level of log lines to write', 'logLevel'))
    .action((flags: Record<string, unknown>) => serve(cli, cli.config(flags), startService))
}

async function serve(cli: Invocation, config: Config, startService: StartService): Promise<void> {
  if (config.refresh !== undefined && config.source === undefined) throw refreshWithoutSource()
  // Before the start, so that a signal during the start also leads to a clean stop.
  const stop = onStopSignal()
  try {
    await serveUntil(stop, cli, config, await startService(config))
  } finally {
    stop.forget()
  }
}

async function serveUntil(
  { signal, stopped }: StopSignal,
  cli: Invocation,
  config: Config,
  service: Service,
): Promise<void> {
  let failure: unknown = null
  if (isInTheClear(config)) service.observe({ kind: 'keys-in-the-clear', host: config.host })
  for (const fault of startFaults(config)) service.observe({ kind: 'setting-without-effect', ...fault })
  try {
    if (!signal.aborted) await firstData(cli, config, service, signal)
    // Node.js keeps compiled code when a process exits. A service that is killed leaves it to the next start as well.
    flushCompileCache()
    const stopKeeping = service.keepFresh((cause) => report(cli, cause))
    await stopped
    stopKeeping()
  } catch (error) {
    if (signal.aborted) return
    failure = error
    throw error
  } finally {
    const reason = failure === null ? String(signal.reason) : `it failed: ${describe(failure)}`
    await drain(cli, service, config, reason)
  }
}

/** The service itself does not encrypt. When there are trusted proxies, we assume that they do. */
export const isInTheClear = ({ host, trustedProxies }: Pick<Config, 'host' | 'trustedProxies'>): boolean =>
  trustedProxies === undefined && !LOOPBACK.test(host)

const LOOPBACK = /^(?:localhost|(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/i

/**
 * Makes a demo or a first refresh when there is no snapshot, and tells a person what is still missing: on standard error,
 * because every line on standard output is a line of the log.
 */
async function firstData(
  cli: Invocation,
  config: Config,
  service: Service,
  signal: AbortSignal,
): Promise<void> {
  const say = (line: string) => cli.printError(`${line}\n`)
  const demo = await service.firstRun((step) => say(stepText(step)), signal)
  if (demo !== null) {
    say(welcome(service, demo))
    return
  }
  if (!service.hasSnapshot() && config.source !== undefined) {
    await service.refreshes.run('start', { signal })
  }
  say(addresses(service))
  if (!service.hasSnapshot()) say('There is no snapshot yet: run `tripfolio ingest --source FOLDER`.')
  const accounts = await service.store.accounts.list()
  if (accounts.length === 0) {
    say('There is no account yet: run `tripfolio account create --client NUMBER --name NAME`.')
  } else if (accounts.every((account) => isDemoAccount(account) && account.lastUsedAt === null)) {
    say(
      'The demo key has not been used yet. If you have lost it, `tripfolio account rotate Demo` prints a new one.',
    )
  }
}

function stepText(step: FirstRunStep): string {
  switch (step.kind) {
    case 'waiting':
      return `Another process is preparing a demo in ${step.place}: waiting until it is done`
    case 'extracting':
      return `First run: making a demo extract of ${step.bookings} bookings in ${step.source}`
    case 'ingesting':
      return 'First run: turning it into a snapshot'
  }
}

/** Reports a failure of background work, which must not end a service that answers requests. */
function report(cli: Invocation, cause: unknown): void {
  cli.printError(`tripfolio: ${describe(cause)}\n`)
}

const describe = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const refreshWithoutSource = (): Problem =>
  new Problem('SRV302', 'A refresh is scheduled, but there is no source to refresh from', {
    hint: 'Name the folder of the extract with --source or TRIPFOLIO_SOURCE.',
  })

type StopSignal = {
  /** Aborted by the first of `stopSignals`, with its name as the reason. */
  readonly signal: AbortSignal
  readonly stopped: Promise<void>
  readonly forget: () => void
}

/** A second signal ends the process at once. */
function onStopSignal(): StopSignal {
  const stopping = new AbortController()
  const { promise: stopped, resolve } = Promise.withResolvers<void>()
  const stop = (name: NodeJS.Signals) => {
    if (stopping.signal.aborted) process.exit(exitCodes.cutOff)
    stopping.abort(name)
    resolve()
  }
  for (const name of stopSignals) process.on(name, stop)
  const forget = () => {
    for (const name of stopSignals) process.off(name, stop)
  }
  return { signal: stopping.signal, stopped, forget }
}

async function drain(
  cli: Invocation,
  service: Service,
  { stopSeconds }: Config,
  reason: string,
): Promise<void> {
  const deadline = setTimeout(
    () => {
      cli.printError(
        `The service did not stop within ${stopSeconds + CLOSE_MS / 1000} s, so the process was ended.\n`,
      )
      process.exit(exitCodes.cutOff)
    },
    1000 * stopSeconds + CLOSE_MS,
  )
  const { requestsCutOff } = await service.close(reason)
  clearTimeout(deadline)
  if (requestsCutOff > 0) cli.exitCode = exitCodes.cutOff
}

/** With `operatorListen`, the reference and the console are at the address of operators only. */
function addresses(service: Service): string {
  const operators = service.operatorAddress ?? service.address
  return `Tripfolio serves ${service.address}/api/v2 (reference: ${operators}/docs)
In a browser: ${service.address}/explore for clients, ${operators}/console for operators`
}

/**
 * The greeting of a first run. Its commands work when they are pasted into a shell: names of parameters have no `$`, which a
 * shell would replace (specification 4.1).
 */
function welcome(service: Service, { apiKey, clientNumber, today }: DemoKey): string {
  const { address } = service
  const curl = `curl -sG -H 'X-API-Key: ${apiKey}'`
  const nextWeek = `tripStartLocal ge '${formatDate(today)}' and tripStartLocal lt '${formatDate(today + 7)}'`
  return `
${addresses(service)}

The API key of demo client ${clientNumber}, shown only now; the explorer asks for it:

  ${apiKey}

Try it:

  ${curl} '${address}/api/v2/bookings' -d pageSize=2
  ${curl} '${address}/api/v2/bookings' --data-urlencode "filter=${nextWeek}" -d pageSize=2
  ${curl} '${address}/api/v2/itineraries' --data-urlencode "filter=segments.vendor eq 'QF' and isInternational eq true" -d pageSize=1
  ${curl} '${address}/api/v2/invoices' --data-urlencode "filter=any(lineItems, lineType eq 'FARE' and lineAmountIncGst gt 1000)" --data-urlencode 'orderby=invoiceDate desc' -d pageSize=1
`
}
