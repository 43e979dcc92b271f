/**
 * `tripfolio script run | check | format | docs`: scripts of endpoints outside of any service. Standard output holds the result
 * alone; problems go to standard error as `file:line:column: CODE message` with the line they are about, and the exit code is 1.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { text as textOf } from 'node:stream/consumers'
import { Command, InvalidArgumentError, Option } from 'commander'
import { byteSize } from '../config/setting-types.ts'
import { Problem } from '../kernel/problem.ts'
import {
  type LimitName,
  type Limits,
  languageLimits,
  printable,
  problemText,
  type ScriptProblem,
} from '../script/problems.ts'
import {
  compileScript,
  type Dialect,
  dialects,
  formatScript,
  libraryPage,
  runScript,
  warningsOf,
} from '../script/script.ts'
import { JsonFault } from '../script/values.ts'

export function scriptCommands(): Command {
  return new Command('script')
    .description('Run, check and format scripts of endpoints')
    .addCommand(runCommand())
    .addCommand(checkCommand())
    .addCommand(formatCommand())
    .addCommand(docsCommand())
}

const dialectOption = () =>
  new Option('--dialect <name>', 'strict: the language without the additions for endpoints')
    .choices(dialects)
    .default('service')

type RunOptions = { readonly dialect: Dialect; readonly input?: string; readonly limits?: Limits }

function runCommand(): Command {
  return new Command('run')
    .description('Run a script and print the Data it leaves behind as JSON')
    .argument('<file>', "the script; '-' for standard input")
    .option('--input <file>', 'JSON of Data; an empty object by default')
    .addOption(dialectOption())
    .option(
      '--limits <name=value,...>',
      'statements, loops, depth, milliseconds, memoryBytes, outputBytes; one of them sets the others to those of the language',
      readLimits,
    )
    .action(run)
}

async function run(file: string, { dialect, input, limits }: RunOptions): Promise<void> {
  if (file === '-' && input === '-') {
    throw new Problem('SCR204', 'The script and its input cannot both come from standard input')
  }
  const text = await readScript(file)
  const { program, problems } = compileScript(text, { dialect })
  if (program === null) {
    report(file, text, problems)
    return
  }
  const data = input === undefined ? undefined : await readText(input, 'the input')
  const result = await runScript(program, { input: data, limits }).catch((fault: unknown) => {
    if (!(fault instanceof JsonFault)) throw fault
    throw new Problem('SCR202', `${input} is no JSON: ${fault.message}`, { cause: fault })
  })
  if (result.problem !== null) {
    report(file, text, [result.problem])
    return
  }
  process.stdout.write(`${result.output}\n`)
  // What was given to exit.
  if (result.returnMessage !== null) process.stderr.write(`${printable(result.returnMessage)}\n`)
}

type CheckOptions = Pick<RunOptions, 'dialect'> & { readonly endpoint?: true }

function checkCommand(): Command {
  return new Command('check')
    .description('Say what is wrong with scripts without running them')
    .argument('<file...>', 'the scripts')
    .addOption(dialectOption())
    .addOption(
      new Option('--endpoint', 'with the functions that scripts of endpoints have').conflicts('dialect'),
    )
    .action(async (files: readonly string[], { dialect, endpoint }: CheckOptions) => {
      // Not at the top: whoever only runs scripts need not wait for it.
      const functions = endpoint ? (await import('../automation/host/host-functions.ts')).hostFunctions : []
      for (const file of files) {
        const text = await readScript(file)
        const { program, problems } = compileScript(text, { dialect, functions })
        if (program === null) report(file, text, problems)
        else
          process.stderr.write(
            warningsOf(text, dialect)
              .map((warning) => problemText(file, text, warning))
              .join(''),
          )
      }
    })
}

type FormatOptions = { readonly dialect: Dialect; readonly check?: true }

function formatCommand(): Command {
  return new Command('format')
    .description('Lay scripts out anew, in place; comments stay where they belong')
    .argument('<file...>', "the scripts; '-' writes what comes from standard input to standard output")
    .addOption(dialectOption())
    .option('--check', 'change nothing; exit with 1 when something would change')
    .action(async (files: readonly string[], options: FormatOptions) => {
      for (const file of files) await format(file, options)
    })
}

async function format(file: string, { dialect, check }: FormatOptions): Promise<void> {
  const text = await readScript(file)
  const formatted = await formatScript(text, dialect)
  if (typeof formatted !== 'string') return report(file, text, formatted)
  if (check) {
    if (formatted === text) return
    process.stderr.write(`${file}: is not formatted\n`)
    process.exitCode = 1
  } else if (file === '-') process.stdout.write(formatted)
  else if (formatted !== text) {
    await writeFile(file, formatted).catch((cause) => {
      throw new Problem('SCR203', `Cannot write ${file}: ${(cause as Error).message}`, { cause })
    })
  }
}

function docsCommand(): Command {
  return new Command('docs')
    .description('Print the reference of the standard library as Markdown')
    .action(async () => {
      process.stdout.write(await libraryPage())
    })
}

function report(file: string, text: string, problems: readonly ScriptProblem[]): void {
  for (const problem of problems) process.stderr.write(problemText(file, text, problem))
  process.exitCode = 1
}

const readScript = (file: string): Promise<string> => readText(file, 'the script')

async function readText(file: string, what: string): Promise<string> {
  const reading = file === '-' ? textOf(process.stdin) : readFile(file, 'utf8')
  const text = await reading.catch((cause) => {
    throw new Problem('SCR201', `Cannot read ${what} ${file}: ${(cause as Error).message}`, { cause })
  })
  return text.replace(/^\ufeff/, '')
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
        `There is no limit '${name.trim()}'; there are: ${limitNames.join(', ')}.`,
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
