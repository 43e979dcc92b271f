/** `tripfolio demo`: writes a realistic extract. With `--today`, the same options always write the same extract. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { day } from '../config/setting-types.ts'
import type { DemoFormat } from '../demo/extract-folder.ts'
import { currentDay, writeDemoExtract } from '../demo/write-demo-extract.ts'
import type { Invocation } from './invocation.ts'
import { openProgress } from './progress.ts'

type Options = {
  readonly out: string
  readonly clients: number
  readonly bookings: number
  readonly seed: number
  readonly today: number
  readonly format: DemoFormat
  readonly json?: boolean
}

export function demoCommand(cli: Invocation): Command {
  return new Command('demo')
    .description(
      'Write a realistic demo extract; the same options, --today included, always write the same extract',
    )
    .requiredOption('--out <folder>', 'folder to write the tables to')
    .option('--clients <n>', 'number of clients', wholeNumber, 10)
    .option('--bookings <n>', 'number of bookings of all clients together', wholeNumber, 20_000)
    .option('--seed <n>', 'seed of the random numbers', wholeNumber, 1)
    .addOption(
      new Option('--today <date>', 'day before which bookings were made, and after which some trips begin')
        .argParser(date)
        .default(currentDay(), 'the current date, UTC'),
    )
    .addOption(
      new Option('--format <format>', 'file format').choices(['csv', 'ndjson', 'parquet']).default('csv'),
    )
    .option('--json', 'print JSON')
    .action((options: Options) => demo(cli, options))
}

async function demo(cli: Invocation, { json, ...request }: Options): Promise<void> {
  const progress = openProgress(cli.io)
  try {
    const { tables, clients, milliseconds } = await writeDemoExtract({
      ...request,
      onProgress: progress.show,
    })
    progress.close()
    if (json) {
      cli.printJson({ tables, clients, milliseconds })
      return
    }
    cli.printRows(tables, { json, empty: '' })
    cli.print(`\nWritten to ${request.out} in ${(milliseconds / 1000).toFixed(1)} s.\n`)
  } finally {
    progress.close()
  }
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.')
  return Number(text)
}

function date(text: string): number {
  const read = day.read(text)
  if (read === undefined) throw new InvalidArgumentError(`Expected ${day.expected}.`)
  return read
}
