/**
 * `endpoint test --request`: runs the endpoint in a file once, in this process or on a service, with one sample request. It is a dry run: writes of the
 * script are held back and printed. When an expectation is given, the differences from it are printed too.
 */
import { existsSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import { dirname } from 'node:path'
import { type EndpointFile, readEndpointFile } from '../../automation/endpoint-files/endpoint-file.ts'
import { differenceFrom, expectationText } from '../../automation/endpoint-files/expectation.ts'
import { modulesBeside } from '../../automation/endpoint-files/module-files.ts'
import { oneFileForRequest } from '../../automation/endpoint-files/problems.ts'
import { replaceFile } from '../../automation/endpoint-files/replace-file.ts'
import { readCaller, readExpectation, readSample } from '../../automation/endpoint-files/sample.ts'
import { sampleRequest } from '../../automation/operations/script-request.ts'
import { type RecordedRun, type RunScript, runReport } from '../../automation/runs/run-states.ts'
import { signatureHeaders } from '../../automation/webhooks/signature.ts'
import type { Config } from '../../config/load-config.ts'
import { anonymous, type User } from '../../kernel/user.ts'
import { type ExecutionError, TRIAL } from '../../schema/execution-shapes.ts'
import type { PublishedModule } from '../../schema/module-shapes.ts'
import type { SampleRequest } from '../../schema/sample-request.ts'
import { printable, problemText } from '../../script/problems.ts'
import { exitCodes } from '../failures/exit-codes.ts'
import type { Invocation } from '../invocation.ts'
import { operator, operatorName } from '../operator.ts'
import type { Place } from '../remote/admin-client.ts'
import { reportFaults } from './report-faults.ts'

export type TrialRunner = { readonly run: RunScript; readonly close: () => Promise<void> }

/** @param onDefect called with the cause of an internal error */
export type OpenTrialRunner = (config: Config, onDefect: (cause: unknown) => void) => Promise<TrialRunner>

/** Runs the definition of a file with a sample request. */
export type FileRunner = {
  readonly run: (file: EndpointFile, sample: SampleRequest) => Promise<RecordedRun>
  readonly close: () => Promise<void>
}

export const localRunner = ({ run, close }: TrialRunner): FileRunner => ({
  run: async (file, sample) => {
    const request = sampleRequest(file.definition, sample, operatorAsUser())
    const modules = await modulesBeside(dirname(file.path), file.definition.script)
    return run({ ...jobOf(file, request, modules), sampleAnswers: sample.http })
  },
  close,
})

export async function remoteRunner(place: Place): Promise<FileRunner> {
  const { remoteTrials } = await import('../remote/remote-service.ts')
  return { run: remoteTrials(place), close: async () => undefined }
}

export type CallerOptions = { readonly claims?: string; readonly role?: readonly string[] }

/** The sample with the caller of the command line, if that names one. */
export async function asCaller({
  claims,
  role,
}: CallerOptions): Promise<(sample: SampleRequest) => SampleRequest> {
  if (claims === undefined && role === undefined) return (sample) => sample
  const given = claims === undefined ? undefined : await readCaller(claims)
  return (sample) => {
    if (given === null && role === undefined) return { ...sample, user: null }
    const user = given ?? sample.user ?? { name: operatorName(), principalId: operator() }
    return { ...sample, user: { ...user, ...(role && { roles: [...role] }) } }
  }
}

type Options = CallerOptions & {
  readonly request: string
  readonly expect?: string
  readonly update?: boolean
  readonly json?: boolean
}

export async function tryEndpoint(
  cli: Invocation,
  paths: readonly string[],
  options: Options,
  open: () => Promise<FileRunner>,
): Promise<void> {
  const { request, expect, update, json } = options
  const [path, second] = paths
  if (path === undefined || second !== undefined || (update && expect === undefined)) {
    throw oneFileForRequest()
  }
  const sample = (await asCaller(options))(await readSample(request))
  const expectation = expect === undefined || update ? null : await readExpectation(expect)
  const read = await readEndpointFile(path)
  if ('faults' in read) return reportFaults(cli, read.faults, { json })
  const { file } = read
  const runner = await open()
  let run: RecordedRun
  try {
    run = await runner.run(file, sample)
  } finally {
    await runner.close()
  }
  if (update && expect !== undefined) {
    const before = existsSync(expect) ? await readExpectation(expect) : null
    await replaceFile(expect, expectationText(run, before))
  }
  const difference = expectation && differenceFrom(run, expectation)
  if (json) cli.printJson({ ...runReport(run), difference })
  else cli.print(told(run))
  const { error = null } = run.execution ?? {}
  if (error !== null) cli.printError(errorText(file, error))
  if (difference !== null) cli.printError(`\nThe result differs from ${expect}:\n${difference}`)
  const good = expectation === null ? run.response.status < 500 : difference === null
  cli.exitCode = good ? exitCodes.done : exitCodes.refused
}

function jobOf(
  { definition }: EndpointFile,
  request: ReturnType<typeof sampleRequest>,
  modules: readonly PublishedModule[],
) {
  const { name, category, limits, allowedHosts, script, signature } = definition
  return {
    executionId: crypto.randomUUID(),
    type: TRIAL,
    endpoint: { id: crypto.randomUUID(), name, category, limits, allowedHosts },
    source: { script, modules },
    request,
    requestId: null,
    rerunOf: null,
    signatureHeaders: signatureHeaders(signature),
    arrivedAt: Date.now(),
  } as const
}

/** The user of the request when the sample names none. */
const operatorAsUser = (): User => ({
  ...anonymous,
  isAuthenticated: true,
  name: operatorName(),
  principalId: operator(),
})

function told({ response, execution, dryRunWrites }: RecordedRun): string {
  const { status, headers, body } = response
  const log = execution?.log ?? []
  return [
    `${status} ${STATUS_CODES[status] ?? ''}`.trimEnd(),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : ['', shownBody(body).replace(/\n$/, '')]),
    ...section(
      'Log',
      log.map(({ level, message }) => `${level.padEnd(11)}  ${printable(message)}`),
    ),
    ...section(
      'Held back',
      dryRunWrites.map(({ action, after }) => `${action}  ${printable(JSON.stringify(after))}`),
    ),
    '',
    execution === null
      ? 'The script did not run: the request was refused.'
      : `${execution.statementCount} statements, ${execution.loopCount} rounds, ${execution.executionTimeMs} ms`,
    '',
  ].join('\n')
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`)]

/** Shows control characters, except line ends and tabs, as text: a body may hold data of others that a terminal would act on. */
const shownBody = (body: string): string => body.replaceAll(/(?![\t\n])[\p{Cc}\u2028\u2029]/gu, shownControl)

const shownControl = (unit: string): string => (unit === '\r' ? '' : printable(unit))

export function errorText({ scriptPath, definition }: EndpointFile, error: ExecutionError): string {
  const { code, message, line, column } = error
  const { script } = definition
  const at = line === null || column === null ? null : offsetOf(script, line, column)
  return `\n${problemText(scriptPath, script, { code, message, at })}`
}

/** Offset of a place in a script. Scripts from files have only line feeds as line ends. */
const offsetOf = (script: string, line: number, column: number): number =>
  script
    .split('\n')
    .slice(0, line - 1)
    .reduce((sum, text) => sum + text.length + 1, 0) +
  column -
  1
