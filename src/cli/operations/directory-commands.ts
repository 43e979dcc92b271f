/**
 * `tripfolio directory ...`: organizations and persons as a file. The commands work on the control store directly, whether the
 * service is running or not.
 */
import { createReadStream } from 'node:fs'
import { Command } from 'commander'
import { DetailedProblem } from '../../kernel/problem.ts'
import type { DirectoryImport } from '../../schema/directory-import-shapes.ts'
import { printable } from '../../script/problems.ts'
import { directoryFileUnreadable } from '../failures/problems.ts'
import type { Invocation } from '../invocation.ts'
import { operator } from '../operator.ts'
import { type StoreOptions, withStore, withStoreOptions } from '../with-store.ts'

type ImportOptions = StoreOptions & { readonly dryRun?: boolean }

export function directoryCommands(cli: Invocation): Command {
  const command = new Command('directory').description('Import and export organizations and persons')
  withStoreOptions(command.command('import').description('Import organizations and persons from CSV'))
    .argument('<file>', 'the file, or - for standard input')
    .option('--dry-run', 'say what would be done, and write nothing')
    .option('--json', 'print JSON')
    .action((file: string, options: ImportOptions) => importFile(cli, file, options))
  withStoreOptions(
    command.command('export').description('Print all organizations and persons as CSV'),
  ).action((options: StoreOptions) =>
    withStore(cli, options, { create: false }, async ({ directoryFiles }) => {
      for await (const text of directoryFiles.export()) cli.print(text)
    }),
  )
  return command
}

const importFile = (cli: Invocation, file: string, options: ImportOptions): Promise<void> =>
  withStore(cli, options, { create: false }, async ({ directoryFiles }) => {
    const { dryRun = false, json } = options
    try {
      const done = await directoryFiles.import(textOf(cli, file), { by: operator(), dryRun })
      if (json) cli.printJson(done)
      else print(cli, done)
    } catch (cause) {
      if (cause instanceof DetailedProblem && !json)
        for (const { path, message } of cause.details)
          cli.printError(`${file}: ${printable(`${path}: ${message}`)}\n`)
      throw cause
    }
  })

/** @throws Problem DIR318 */
async function* textOf(cli: Invocation, file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const bytes: AsyncIterable<Buffer> = file === '-' ? cli.io.stdin : createReadStream(file)
  try {
    for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (cause) {
    throw directoryFileUnreadable(file, cause as Error)
  }
}

function print(cli: Invocation, { dryRun, organizations, persons, rows, total }: DirectoryImport): void {
  const changes = rows.filter(({ outcome }) => outcome !== 'unchanged')
  if (changes.length > 0)
    cli.printRows(
      changes.map(({ line, resource, name, outcome, members }) => ({
        line: String(line),
        resource: resource.toLowerCase(),
        name,
        outcome,
        members: outcome === 'created' ? '' : members.join(', '),
      })),
      { json: false, empty: '' },
    )
  if (rows.length < total) cli.print(`These are changes of the first ${rows.length} of ${total} rows.\n`)
  for (const [what, { created, changed, unchanged }] of Object.entries({ organizations, persons }))
    cli.print(`${what}: ${created} created, ${changed} changed, ${unchanged} unchanged\n`)
  if (dryRun) cli.print('This was a dry run: nothing was written.\n')
}
