/**
 * `endpoint test` without `--request`: runs every endpoint in the files with every request beside it, in this process or on a
 * service, and compares the answers with the expectations beside them. A case without an expectation passes unless it fails
 * with 5xx. All are dry runs.
 */
import { type EndpointFile, readEndpointFiles } from '../../automation/endpoint-files/endpoint-file.ts'
import { differenceFrom, expectationText } from '../../automation/endpoint-files/expectation.ts'
import { noSampleRequests } from '../../automation/endpoint-files/problems.ts'
import { replaceFile } from '../../automation/endpoint-files/replace-file.ts'
import { readExpectation, readSample } from '../../automation/endpoint-files/sample.ts'
import { type TestCase, testCasesOf } from '../../automation/endpoint-files/test-cases.ts'
import { Problem } from '../../kernel/problem.ts'
import { exitCodes } from '../failures/exit-codes.ts'
import type { Invocation } from '../invocation.ts'
import { asCaller, type CallerOptions, errorText, type FileRunner } from './endpoint-trial.ts'
import { reportFaults } from './report-faults.ts'

type Options = CallerOptions & { readonly update?: boolean; readonly json?: boolean }

type Tested = {
  readonly case: string
  /** The status of the answer; null when the request was refused before it ran. */
  readonly status: number | null
  readonly milliseconds: number | null
  readonly result: 'passed' | 'failed' | 'updated' | 'not compared'
  /** Why it failed: a diff, the error of the script, or the refusal. */
  readonly reason: string | null
}

/** @throws Problem END209 when there is nothing to test */
export async function testEndpoints(
  cli: Invocation,
  paths: readonly string[],
  options: Options,
  open: () => Promise<FileRunner>,
): Promise<void> {
  const { json } = options
  const { files, faults } = await readEndpointFiles(paths)
  if (faults.length > 0) return reportFaults(cli, faults, options)
  const cases: { readonly file: EndpointFile; readonly test: TestCase }[] = []
  for (const file of files) {
    for (const test of await testCasesOf(file.path)) cases.push({ file, test })
  }
  if (cases.length === 0) throw noSampleRequests(paths.join(', '))
  const caller = await asCaller(options)
  const tested: Tested[] = []
  const runner = await open()
  try {
    for (const { file, test } of cases) {
      tested.push(await testOne(file, test, runner, { ...options, caller }))
    }
  } finally {
    await runner.close()
  }
  const failed = tested.filter(({ result }) => result === 'failed')
  const untested = files.filter((file) => !cases.some((one) => one.file === file)).map(({ path }) => path)
  if (json) cli.printJson({ cases: tested, failed: failed.length, untested })
  else {
    const rows = tested.map(({ reason, milliseconds, ...row }) => ({ ...row, ms: milliseconds }))
    cli.printRows(rows, { json, empty: '' })
    cli.print(`\n${tested.length - failed.length} of ${tested.length} are as they should be.\n`)
    for (const path of untested) cli.printError(`tripfolio: ${path} has no sample request\n`)
  }
  for (const { case: name, reason } of failed) cli.printError(`\n${name}: ${reason}\n`)
  cli.exitCode = failed.length === 0 ? exitCodes.done : exitCodes.refused
}

type Caller = Awaited<ReturnType<typeof asCaller>>

async function testOne(
  file: EndpointFile,
  test: TestCase,
  runner: FileRunner,
  { caller, update }: Options & { readonly caller: Caller },
): Promise<Tested> {
  const common = { case: test.name, status: null, milliseconds: null }
  try {
    const sample = caller(await readSample(test.requestPath))
    const expectation = test.isExpected ? await readExpectation(test.expectPath) : null
    const run = await runner.run(file, sample)
    const { response, execution } = run
    const ran = {
      ...common,
      status: response.status,
      milliseconds: execution && Math.round(execution.executionTimeMs),
    }
    const difference = expectation && differenceFrom(run, expectation)
    const error = execution?.error ? errorText(file, execution.error) : ''
    if (update) {
      if (expectation !== null && difference === null) return { ...ran, result: 'passed', reason: null }
      await replaceFile(test.expectPath, expectationText(run, expectation))
      return { ...ran, result: 'updated', reason: null }
    }
    if (difference !== null) {
      const reason = `The result differs from ${test.expectPath}:\n${difference}${error}`
      return { ...ran, result: 'failed', reason }
    }
    if (expectation !== null) return { ...ran, result: 'passed', reason: null }
    return response.status < 500
      ? { ...ran, result: 'not compared', reason: null }
      : { ...ran, result: 'failed', reason: `It was answered with ${response.status}.${error}` }
  } catch (problem) {
    // The other cases may still say more. What would fail each of them ends the command.
    if (!(problem instanceof Problem) || !ofOneCase.has(problem.code)) throw problem
    return { ...common, result: 'failed', reason: problem.message }
  }
}

/** Files that cannot be used, requests that no caller could send, and an endpoint that a service does not have. */
const ofOneCase: ReadonlySet<string> = new Set(['END130', 'END135', 'END143', 'END147', 'DIR301'])
