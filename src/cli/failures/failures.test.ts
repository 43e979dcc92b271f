/** What a command prints and returns when it fails, as a person and as a program see it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { DetailedProblem, Problem, type ProblemCode } from '../../kernel/problem.ts'
import { callCli } from '../testing/call-cli.ts'

const failing = (error: unknown) => ({ composition: { startService: () => Promise.reject(error) } })

describe('a call that does not fit its command', () => {
  const calls: readonly (readonly [args: readonly string[], code: string, stderr: RegExp])[] = [
    [
      ['account', 'list', '--jsn'],
      'CFG220',
      /^tripfolio: Unknown option '--jsn'\n {11}Did you mean --json\? `tripfolio account list --help` lists its arguments and options\.\n$/,
    ],
    [
      ['account', 'rotate'],
      'CFG220',
      /^tripfolio: Missing required argument 'account'\n {11}`tripfolio account rotate --help` .*\n$/,
    ],
    [
      ['demo', '--seed', 'x', '--out', 'y'],
      'CFG220',
      /^tripfolio: .*Expected a whole number\n {11}`tripfolio demo --help` .*\n$/,
    ],
    [
      ['demo', '--today', '2026-13-01', '--out', 'y'],
      'CFG220',
      /Expected a date from 1980-01-01 to 2999-12-31/,
    ],
    [
      ['account', 'found'],
      'CFG220',
      /^tripfolio: Unknown command 'found'\n {11}`tripfolio account --help` lists its commands\.\n$/,
    ],
    [
      ['--port', '0'],
      'CFG220',
      /^tripfolio: Expected a command before '--port'\n {11}`tripfolio serve --port` may be meant\. `tripfolio --help` lists its commands\.\n$/,
    ],
    [
      ['ingest', '/srv/extract'],
      'CFG220',
      /^tripfolio: Expected no '\/srv\/extract' after 'tripfolio ingest'\n {11}Did you mean --source '\/srv\/extract'\? /,
    ],
    [['explain', 'CostCentre^EQa'], 'CFG220', /Did you mean --v1 'CostCentre\^EQa'\?/],
    [['refresh', 'histroy'], 'CFG220', /Did you mean history\?/],
    [
      ['account', 'rotate', 'Nightly', 'export'],
      'CFG220',
      /Expected no 'export' after 'tripfolio account rotate Nightly'\n {11}A name with blanks is written in quotes\. /,
    ],
    [['--check'], 'CFG220', /`tripfolio ingest --check` may be meant/],
    [
      ['account'],
      'CFG221',
      /^tripfolio: Expected a command after 'tripfolio account': create, list, .*\n {11}`tripfolio account --help` lists its commands\.\n$/,
    ],
  ]
  for (const [args, code, stderr] of calls) {
    it(`gets the error and a pointer to the help: ${args.join(' ')}`, async () => {
      const plain = await callCli(args)
      assert.deepEqual([plain.code, plain.stdout], [2, ''])
      assert.match(plain.stderr, stderr)
      const json = await callCli([...args, '--json'])
      assert.deepEqual([json.code, json.stdout], [2, ''])
      // A group of commands has no option of its own.
      assert.equal(JSON.parse(json.stderr).error.code, args.length === 1 ? 'CFG220' : code)
    })
  }

  it('gets the help when it is nothing but the name of the program', async () => {
    const { code, stdout, stderr } = await callCli([])
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, /^Usage: tripfolio \[options\] \[command\]\n/)
  })

  it('still gets the help and the version that it asks for', async () => {
    for (const args of [
      ['account', '--help'],
      ['account', 'create', '-h'],
      ['help', 'account'],
      ['--version'],
    ]) {
      const { code, stdout, stderr } = await callCli(args)
      assert.deepEqual([code, stderr], [0, ''], args.join(' '))
      assert.ok(stdout.length > 5)
    }
  })
})

describe('a command that fails', () => {
  const rows: readonly (readonly [code: ProblemCode, exitCode: number])[] = [
    ['DIR201', 1],
    ['ING101', 1],
    ['ING105', 1],
    ['ING107', 1],
    ['CFG101', 2],
    ['QRY201', 2],
    ['ING121', 4],
    ['ING122', 4],
    ['DIR102', 5],
    ['ING124', 5],
    ['ING130', 5],
    ['END103', 70],
  ]
  for (const [code, exitCode] of rows) {
    it(`with ${code} ends with ${exitCode}`, async () => {
      const problem = new Problem(code, 'What is wrong', { hint: 'What to do.' })
      const plain = await callCli(['serve'], failing(problem))
      assert.deepEqual(plain, {
        code: exitCode,
        stdout: '',
        stderr: 'tripfolio: What is wrong\n           What to do.\n',
      })
    })
  }

  for (const command of [['ingest'], ['ingest', '--check'], ['refresh']]) {
    it(`ends with 1 without the folder of the extract: ${command.join(' ')}`, async (t) => {
      const data = mkdtempSync(join(tmpdir(), 'tripfolio-failing-'))
      t.after(() => rmSync(data, { recursive: true }))
      const env = { TRIPFOLIO_DATA: data, TRIPFOLIO_SOURCE: join(data, 'nowhere') }
      const { code, stderr } = await callCli(command, { env })
      assert.deepEqual([code, /Source folder '.*nowhere' cannot be read: ENOENT/.test(stderr)], [1, true])
    })
  }

  it('says so in one line of JSON when a program called it, with what to do also where the error has no hint', async () => {
    const args = ['account', 'list', '--data', '/nowhere', '--json']
    const { code, stdout, stderr } = await callCli(args)
    assert.deepEqual([code, stdout, stderr.split('\n').length], [5, '', 2])
    const { hint, message, ...rest } = JSON.parse(stderr).error
    assert.deepEqual(rest, { code: 'DIR106', kind: 'file-access', exitCode: 5 })
    assert.match(message, /no control store at \/nowhere/)
    assert.match(hint, /--data/)
    const withoutHint = await callCli(['script', 'run', '-', '--input', '-', '--', '--json'])
    assert.match(withoutHint.stderr, /^tripfolio: /)
  })

  it('with something unforeseen prints where it happened, and ends with 70', async () => {
    const plain = await callCli(['serve'], failing(new Error('Broken')))
    assert.equal(plain.code, 70)
    assert.match(plain.stderr, /^tripfolio: The command failed: Broken\n.*defect.*\nError: Broken\n {4}at /)
  })
})

describe('a command whose standard output cannot be written', () => {
  const main = join(import.meta.dirname, '../../main.ts')
  /** @param sink what the shell does with standard output */
  const into = (sink: string, ...args: readonly string[]) =>
    spawnSync(
      'bash',
      ['-o', 'pipefail', '-c', `"$@" ${sink}`, 'bash', process.execPath, '--no-warnings', main, ...args],
      { encoding: 'utf8' },
    )
  const folder = (t: TestContext) => {
    const data = mkdtempSync(join(tmpdir(), 'tripfolio-output-'))
    t.after(() => rmSync(data, { recursive: true }))
    return data
  }

  it('says so in one line and ends with 5, on a full disk', () => {
    const { status, stderr } = into('> /dev/full', 'demo', '--help')
    assert.equal(status, 5)
    assert.match(
      stderr,
      /^tripfolio: Standard output cannot be written: .*ENOSPC.*\n {11}The command itself .*\n$/,
    )
  })

  it('ends quietly when the reader has ended', () => {
    const { status, stderr } = into('| (exec 0<&-; sleep 0.5)', 'demo', '--help')
    assert.deepEqual([status, stderr], [0, ''])
  })

  it('says how to get another key, psk or token when the one that it made is lost', async (t) => {
    const data = folder(t)
    const create = (name: string) => ['account', 'create', '--client', 'C1', '--name', name, '--data', data]
    const started = into('> /dev/full', ...create('zero'))
    assert.equal(started.status, 5, started.stderr)
    assert.match(started.stderr, /the API key could not/)
    // One process shows that it ends so; the others run here, and write to the same full disk.
    const called = (args: readonly string[]) => callCli(args, { into: createWriteStream('/dev/full') })
    const calls = [
      [
        create('one'),
        /changed, but the API key could not.*ENOSPC.*\n.*`tripfolio account rotate [0-9a-f-]{36}`/,
      ],
      [['account', 'rotate', 'one', '--data', data], /API key could not.*\n.*`tripfolio account rotate/],
      [['account', 'psk', 'one', '--data', data], /psk could not be written.*\n.*`tripfolio account psk/],
      [['token', 'issue', '--data', data], /the token could not be written.*\n.*Issue another one/],
    ] as const
    for (const [args, expected] of calls) {
      const { code, stderr } = await called(args)
      assert.deepEqual([code, expected.test(stderr)], [5, true], stderr)
      assert.doesNotMatch(stderr, / {4}at /)
    }
    const { stderr } = await called(['token', 'issue', '--data', data, '--json'])
    assert.equal(JSON.parse(stderr).error.code, 'CFG224')
    const listed = await called(['account', 'list', '--data', data, '--json'])
    assert.equal(JSON.parse(listed.stderr).error.code, 'CFG223')
  })
})

describe('an error as JSON', () => {
  it('has the faults of a document, the text of the catalogue as hint, and the stack of a defect', async () => {
    const { errorJson } = await import('./problem-text.ts')
    const { unexpected } = await import('./problems.ts')
    const details = [{ path: '/name', message: 'Expected a name' }]
    const documented = JSON.parse(await errorJson(new DetailedProblem('ADM105', 'Two faults', details))).error
    assert.deepEqual([documented.details, documented.exitCode], [details, 2])
    assert.match(documented.hint, /\w+.*\.$/)
    const defect = JSON.parse(await errorJson(unexpected(new Error('Broken')))).error
    assert.deepEqual([defect.code, defect.kind, defect.exitCode], ['CFG222', 'defect', 70])
    assert.match(defect.stack, /^Error: Broken\n/)
  })
})

describe('bin/tripfolio', () => {
  it('ends with 5 and says what to run when it is not installed yet', (t) => {
    const home = mkdtempSync(join(tmpdir(), 'tripfolio-home-'))
    t.after(() => rmSync(home, { recursive: true }))
    cpSync(join(import.meta.dirname, '../../../bin'), join(home, 'bin'), { recursive: true })
    const { status, stderr } = spawnSync(join(home, 'bin/tripfolio'), ['serve'], { encoding: 'utf8' })
    assert.equal(status, 5)
    assert.match(stderr, /run 'npm ci' in /)
  })
})
