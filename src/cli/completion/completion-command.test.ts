/** Completes real words with the scripts that the command prints: bash runs its own; zsh and fish read theirs where they are installed. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { Argument, Command, Option } from 'commander'
import { callCli } from '../testing/call-cli.ts'
import { bashScript } from './bash-script.ts'
import { commandWords } from './command-words.ts'
import { fishScript } from './fish-script.ts'
import { shellTables } from './shell-tables.ts'
import { zshScript } from './zsh-script.ts'

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tripfolio-completion-'))
  mkdirSync(join(folder, 'extract'))
  mkdirSync(join(folder, 'ex tra'))
  writeFileSync(join(folder, 'example.jyro'), '')
})
after(() => rmSync(folder, { recursive: true }))

/** What bash offers for the last word, with the words split as bash splits them. */
async function completed(script: string, words: readonly string[]): Promise<readonly string[]> {
  const asks = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tripfolio; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await promisify(execFile)(
    'bash',
    ['--norc', '-c', `${script}\n${asks}`, 'bash', 'tripfolio', ...words],
    { cwd: folder },
  )
  return stdout.split('\n').filter((line) => line !== '')
}

describe('tripfolio completion bash', () => {
  let script: string
  before(async () => {
    script = (await callCli(['completion', 'bash'])).stdout
  })

  const cases: readonly (readonly [words: readonly string[], offered: readonly string[]])[] = [
    [['acc'], ['account']],
    [['account', 'cr'], ['create']],
    [['account', 'create', '--cl'], ['--client']],
    [['account', 'create', '--client', 'account', '--na'], ['--name']],
    [['account', 'create', '--client', ''], []],
    [['account', 'list', '--js'], ['--json']],
    [['endpoint', 'test', '--exp'], ['--expect']],
    [
      ['demo', '--format', ''],
      ['csv', 'ndjson', 'parquet'],
    ],
    [['demo', '--format', '=', 'p'], ['parquet']],
    [
      ['demo', '--format', '='],
      ['csv', 'ndjson', 'parquet'],
    ],
    [['demo', '--format', '=', 'csv', '--se'], ['--seed']],
    [
      ['demo', '--out', 'ex'],
      ['ex tra', 'extract'],
    ],
    [
      ['script', 'check', 'a.jyro', 'ex'],
      ['ex tra', 'example.jyro', 'extract'],
    ],
    [
      ['script', 'run', '--dialect', 's'],
      ['service', 'strict'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['completion', 'bash', ''], []],
    [
      ['serve', '--log-level', ''],
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    ],
    [
      ['ingest', '--offset-times', ''],
      ['keepLocal', 'refuse'],
    ],
    [
      ['help', 'se'],
      ['serve', 'secret'],
    ],
    [
      ['account', 'help', 'l'],
      ['list', 'lock'],
    ],
    [['account', 'help', 'list', ''], []],
    [['no-such-command', 'acc'], []],
  ]
  for (const [words, offered] of cases) {
    it(`offers ${offered.join(', ') || 'nothing'} after ${words.join(' ')}`, async () => {
      assert.deepEqual((await completed(script, words)).toSorted(), offered.toSorted())
    })
  }

  it('offers every command of the help', async () => {
    const { stdout } = await callCli(['--help'])
    const inHelp = Array.from(stdout.matchAll(/^ {2}(\w+) .*$/gm), ([, name]) => name)
    assert.deepEqual(await completed(script, ['']), inHelp)
  })
})

/** A command that no script was written for. */
const backup = (): Command =>
  new Command('tripfolio').addCommand(
    new Command('back-up')
      .description("Copies the operator's data: all of it")
      .addArgument(new Argument('<folder>', 'where to'))
      .addOption(new Option('--level <level>', "it's fast: or small").choices(['fast', 'very small'])),
  )

describe('the completion of a new command', () => {
  const tables = shellTables(commandWords(backup()))

  it('needs no edit in bash', async () => {
    const script = bashScript(tables)
    assert.deepEqual(await completed(script, ['ba']), ['back-up'])
    assert.deepEqual(await completed(script, ['back-up', '--l']), ['--level'])
    assert.deepEqual(await completed(script, ['back-up', '--level', 'v']), ['very\\ small'])
    assert.deepEqual((await completed(script, ['back-up', 'ex'])).toSorted(), ['ex tra', 'extract'])
  })

  it('needs no edit in zsh and fish', () => {
    const zsh = zshScript(tables)
    assert.match(zsh, /^#compdef tripfolio\n/)
    assert.ok(zsh.includes(`'|0') offered=('back-up:Copies the operator'\\''s data: all of it'`))
    assert.ok(zsh.includes(`'back-up|--level') compadd -- 'fast' 'very small' ;;`))
    assert.ok(zsh.includes(`'back-up|'0) _files -/ ;;`))
    const fish = fishScript(tables)
    assert.ok(
      fish.includes(`-n '__tripfolio_at "" "0"' -a 'back-up' -d 'Copies the operator'\\''s data: all of it'`),
    )
    assert.ok(fish.includes(`-n '__tripfolio_at "back-up" "*"' -l level -x -a 'fast "very small"'`))
    assert.ok(fish.includes(`-n '__tripfolio_at "back-up" "0"' -x -a '(__fish_complete_directories)'`))
  })
})

describe('tripfolio completion zsh | fish', () => {
  for (const shell of ['zsh', 'fish']) {
    it(`prints a script that names every command and that ${shell} can read where it is installed`, async () => {
      const { code, stdout } = await callCli(['completion', shell])
      assert.equal(code, 0)
      for (const name of ['serve', 'account create', 'endpoint trial', 'completion']) {
        assert.ok(stdout.includes(name), name)
      }
      const script = join(folder, shell)
      writeFileSync(script, stdout)
      const { error, status, stderr } = spawnSync(shell, ['-n', script], { encoding: 'utf8' })
      const isInstalled = error === undefined
      if (isInstalled) assert.deepEqual([status, stderr], [0, ''])
    })
  }

  it('refuses another shell with the ones that it knows', async () => {
    const { code, stdout, stderr } = await callCli(['completion', 'tcsh'])
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, /Allowed choices are bash, zsh, fish/)
  })
})
