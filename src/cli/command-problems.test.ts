/** Runs commands in this process and checks which problem stops them before they have done anything. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Command } from 'commander'
import { processIo } from './cli-io.ts'
import { endpointCommands } from './endpoints/endpoint-commands.ts'
import { explainCommand } from './explain-command.ts'
import { ingestCommand } from './ingest-command.ts'
import { Invocation } from './invocation.ts'
import { refreshCommand } from './operations/refresh-command.ts'
import { scriptCommands } from './scripts/script-commands.ts'
import { serveCommand } from './serve-command.ts'
import { snapshotCommands } from './snapshot-commands.ts'

let folder: string
const inFolder = (name: string): string => join(folder, name)
const file = (name: string, content: string): void => writeFileSync(inFolder(name), content)

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tripfolio-commands-'))
  file('fine.jyro', 'Data.a = 1\n')
  mkdirSync(inFolder('pushed'))
  file('pushed/fine.yaml', 'name: Fine\ncategory: Utility\nmethod: GET\npath: fine\n')
  file('pushed/fine.jyro', 'Data.a = 1\n')
  file('untidy.jyro', 'Data.a=1\n')
  mkdirSync(inFolder('half-restored'))
  file('half-restored/restore-unfinished', '2026-11-22T00:00:00.000Z\n')
  file('broken.json', '{"a": 1,}')
})
after(() => rmSync(folder, { recursive: true }))

const unused = (): never => {
  throw new Error('These commands start no service and run no script')
}
const invocation = () => new Invocation(processIo)
const endpoint = () => endpointCommands(invocation(), unused)

const refused: readonly (readonly [code: string, command: () => Command, args: () => readonly string[]])[] = [
  ['SCR201', () => scriptCommands(invocation()), () => ['run', inFolder('missing.jyro')]],
  [
    'SCR202',
    () => scriptCommands(invocation()),
    () => ['run', inFolder('fine.jyro'), '--input', inFolder('broken.json')],
  ],
  ['SCR204', () => scriptCommands(invocation()), () => ['run', '-', '--input', '-']],
  ['QRY424', () => explainCommand(invocation()), () => ['--v1', 'InvoiceNumber^EQa%0Ab']],
  ['ING100', () => ingestCommand(invocation()), () => ['--data', inFolder('data')]],
  ['ING100', () => refreshCommand(invocation()), () => ['--data', inFolder('data')]],
  [
    'DIR450',
    () => ingestCommand(invocation()),
    () => ['--source', folder, '--data', inFolder('half-restored')],
  ],
  ['SNP303', () => snapshotCommands(invocation()), () => ['list', '--data', inFolder('missing')]],
  [
    'SRV302',
    () => serveCommand(invocation(), unused),
    () => ['--data', inFolder('data'), '--refresh', '0 * * * *'],
  ],
  ['CFG210', endpoint, () => ['push', inFolder('pushed'), '--data', folder]],
  ['END143', endpoint, () => ['test', inFolder('x.yaml'), '--request', inFolder('missing.json')]],
  ['END146', endpoint, () => ['push', folder, '--note', 'Why', '--data', inFolder('data')]],
]

describe('a command that cannot begin', () => {
  for (const [code, command, args] of refused) {
    it(`ends with ${code}`, () => assert.rejects(command().parseAsync(args(), { from: 'user' }), { code }))
  }

  it('is not sent to an option that it does not have', () =>
    assert.rejects(refreshCommand(invocation()).parseAsync(['--data', inFolder('data')], { from: 'user' }), {
      hint: /^Set TRIPFOLIO_SOURCE, .* or run `tripfolio ingest --source FOLDER`/,
    }))

  it('ends with SCR203 when a script cannot be written', () => {
    const program = `
      import { processIo } from ${JSON.stringify(join(import.meta.dirname, 'cli-io.ts'))}
      import { Invocation } from ${JSON.stringify(join(import.meta.dirname, 'invocation.ts'))}
      import { scriptCommands } from ${JSON.stringify(join(import.meta.dirname, 'scripts/script-commands.ts'))}
      const ended = scriptCommands(new Invocation(processIo)).parseAsync(process.argv.slice(1), { from: 'user' })
      await ended.catch(({ code }) => process.stdout.write(code))`
    const node = [process.execPath, '--disable-warning=ExperimentalWarning', '--input-type=module', '-e']
    const args = ['--fsize=0:', ...node, program, '--', 'format', inFolder('untidy.jyro')]
    assert.equal(execFileSync('prlimit', args, { encoding: 'utf8' }), 'SCR203')
  })

  it('ends with END148 when the endpoint to pull is only a draft', async () => {
    const data = ['--data', inFolder('data'), '--json']
    const source = inFolder('endpoints')
    mkdirSync(source)
    mkdirSync(inFolder('data'), { recursive: true })
    file('data/tripfolio.json', '{}')
    file('endpoints/spend.yaml', 'name: Spend\ncategory: Utility\nmethod: GET\npath: spend\n')
    file('endpoints/spend.jyro', 'Data._payload = 1\n')
    await endpoint().parseAsync(['push', source, ...data], { from: 'user' })
    const pull = ['pull', inFolder('pulled'), 'Spend', '--published', ...data]
    await assert.rejects(endpoint().parseAsync(pull, { from: 'user' }), { code: 'END148' })
  })
})
