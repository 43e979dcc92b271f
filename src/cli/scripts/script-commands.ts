/**
 * `tripfolio script run | check | format | docs`: works on scripts of endpoints without a service. Standard output gets only the
 * result; problems go to standard error as `file:line:column: CODE message` with the script line, and the exit code is 1.
 */
import { writeFile } from 'node:fs/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { byteSize } from '../../config/setting-types.ts'
import { Problem } from '../../kernel/problem.ts'
import {
  type LimitName,
  type Limits,
  languageLimits,
  printable,
  problemText,
  type ScriptProblem,
} from '../../script/problems.ts'
import {
  compileScript,
  type Dialect,
  dialects,
  formatScript,
  libraryPage,
  runScript,
  warningsOf,
} from '../../script/script.ts'
import { JsonFault } from '../../script/values.ts'
import { exitCodes } from '../failures/exit-codes.ts'
import type { Invocation } from '../invocation.ts'
import { moduleNameOf, modulesOf, readScript, readText, scriptsIn } from './script-files.ts'

export function scriptCommands(cli: Invocation): Command {
  return new Command('script')
    .description('Run, check and format scripts of endpoints, and print the library reference')
    .addCommand(runCommand(cli))
    .addCommand(checkCommand(cli))
    .addCommand(formatCommand(cli))
    .addCommand(docsCommand(cli))
}

const dialectOption = () =>
  new Option('--dialect <name>', 'language of the script; strict leaves out the additions for endpoints')
    .choices(dialects)
    .default('service')

type RunOptions = { readonly dialect: Dialect; readonly input?: string; readonly limits?: Limits }

function runCommand(cli: Invocation): Command {
  return new Command('run')
    .description('Run a script and print its final Data as JSON')
    .argument('<file>', "the script; '-' for standard input")
    .option(
      '--input <file>',
      "JSON file with the initial Data; '-' for standard input (default: an empty object)",
    )
    .addOption(dialectOption())
    .option(
      '--limits <name=value,...>',
      'statements, loops, depth, milliseconds, memoryBytes, outputBytes; limits that are not given are those of the language',
      readLimits,
    )
    .action((file: string, options: RunOptions) => run(cli, file, options))
}

async function run(cli: Invocation, file: string, { dialect, input, limits }: RunOptions): Promise<void> {
  if (file === '-' && input === '-') {
    throw new Problem('SCR204', 'The script and its input cannot both come from standard input')
  }
  const text = await readScript(cli, file)
  const modules = await modulesOf(file, text)
  const { program, problems } = compileScript(text, { dialect, syntaxProblems: 'all', modules })
  if (program === null) {
    report(cli, file, text, problems)
    return
  }
  const data = input === undefined ? undefined : await readText(cli, input, 'the input')
  const result = await runScript(program, { input: data, limits }).catch((fault: unknown) => {
    if (!(fault instanceof JsonFault)) throw fault
    throw new Problem('SCR202', `${input} is not JSON: ${fault.message}`, { cause: fault })
  })
  if (result.problem !== null) {
    report(cli, file, text, [result.problem])
    return
  }
  cli.print(`${result.output}\n`)
  // The argument of exit.
  if (result.returnMessage !== null) cli.printError(`${printable(result.returnMessage)}\n`)
}

type CheckOptions = Pick<RunOptions, 'dialect'> & { readonly endpoint?: true }

function checkCommand(cli: Invocation): Command {
  return new Command('check')
    .description('Find problems in scripts without running them')
    .argument('<file...>', 'the scripts, or folders of them')
    .addOption(dialectOption())
    .addOption(
      new Option('--endpoint', 'also allow the functions that scripts of endpoints may call').conflicts(
        'dialect',
      ),
    )
    .action(async (paths: readonly string[], options: CheckOptions) => {
      for (const path of paths) {
        for (const file of await scriptsIn(path)) await check(cli, file, options)
      }
    })
}

async function check(cli: Invocation, file: string, { dialect, endpoint }: CheckOptions): Promise<void> {
  const text = await readScript(cli, file)
  const { functions, members } = endpoint ? await ofEndpoints() : { functions: [], members: undefined }
  const { problems } = compileScript(text, {
    ...{ dialect, functions, syntaxProblems: 'all' },
    ...{ modules: await modulesOf(file, text), moduleName: moduleNameOf(file) },
  })
  if (problems.length > 0) return report(cli, file, text, problems)
  const warned = warningsOf(text, dialect, members && { members })
  cli.printError(warned.map((warning) => problemText(file, text, warning)).join(''))
}

/** Not imported at the top: the other script commands do not need it. */
async function ofEndpoints() {
  const [{ hostFunctions: functions }, { responseMembers: members }] = await Promise.all([
    import('../../automation/host/host-functions.ts'),
    import('../../automation/endpoint/response-members.ts'),
  ])
  return { functions, members }
}

type FormatOptions = { readonly dialect: Dialect; readonly check?: true }

function formatCommand(cli: Invocation): Command {
  return new Command('format')
    .description('Format scripts in place')
    .argument('<file...>', "the scripts; '-' formats standard input to standard output")
    .addOption(dialectOption())
    .option('--check', 'change nothing; exit with code 1 when a script is not formatted')
    .action(async (files: readonly string[], options: FormatOptions) => {
      for (const file of files) await format(cli, file, options)
    })
}

async function format(cli: Invocation, file: string, { dialect, check }: FormatOptions): Promise<void> {
  const text = await readScript(cli, file)
  const formatted = await formatScript(text, dialect)
  if (typeof formatted !== 'string') return report(cli, file, text, formatted)
  if (check) {
    if (formatted === text) return
    cli.printError(`${file}: is not formatted\n`)
    cli.exitCode = exitCodes.refused
  } else if (file === '-') cli.print(formatted)
  else if (formatted !== text) {
    await writeFile(file, formatted).catch((cause) => {
      throw new Problem('SCR203', `Cannot write ${file}: ${(cause as Error).message}`, { cause })
    })
  }
}

function docsCommand(cli: Invocation): Command {
  return new Command('docs')
    .description('Print the reference of the standard library as Markdown')
    .action(async () => {
      cli.print(await libraryPage())
    })
}

function report(cli: Invocation, file: string, text: string, problems: readonly ScriptProblem[]): void {
  for (const problem of problems) cli.printError(problemText(file, text, problem))
  cli.exitCode = exitCodes.refused
}

const limitNames = Object.keys(languageLimits) as readonly LimitName[]
const bytes = byteSize({ min: 1 })

function readLimits(text: string): Limits {
  const limits: { -readonly [L in LimitName]: number } = { ...languageLimits }
  for (const part of text.split(',')) {
    const [name = '', value = ''] = part.split('=', 2)
    const limit = limitNames.find((known) => known === name.trim())
    if (limit === undefined) {
      throw new InvalidArgumentError(
        `There is no limit '${name.trim()}'; the limits are: ${limitNames.join(', ')}.`,
      )
    }
    limits[limit] = readLimit(limit, value.trim())
  }
  return limits
}

function readLimit(limit: LimitName, value: string): number {
  const number = limit.endsWith('Bytes') ? bytes.read(value) : /^\d+$/.test(value) ? Number(value) : undefined
  if (number !== undefined) return number
  const expected = limit.endsWith('Bytes') ? bytes.expected : 'a whole number'
  throw new InvalidArgumentError(`${limit} takes ${expected}; found '${value}'.`)
}
