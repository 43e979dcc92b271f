/**
 * Every command on a machine that refuses it files: it ends with the code of such faults and names the folder, and never
 * takes them for a fault of its input or for a defect of its own.
 */
import assert from 'node:assert/strict'
import { chmodSync, readdirSync, statSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { exitCodes } from '../../src/cli/failures/exit-codes.ts'
import { commandsBelow } from '../../src/cli/testing/commands-below.ts'
import { everyCommand, type Installed, installIn } from './every-command.ts'
import { runInTurn } from './tripfolio-process.ts'

let root: string
let installed: Installed
let prepared: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'tripfolio-machine-'))
  prepared = join(root, 'prepared')
  await mkdir(prepared)
  installed = await installIn({ root: prepared, data: join(prepared, 'data') })
})
after(async () => {
  setRights(root, { folder: 0o755, file: 0o600 })
  await rm(root, { recursive: true })
})

function setRights(folder: string, modes: { readonly folder: number; readonly file: number }): void {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  for (const path of [folder, ...names.map((name) => join(folder, name))])
    chmodSync(path, statSync(path).isDirectory() ? modes.folder : modes.file)
}

/** For root without these capabilities, rights count as for everybody else. */
const obeysRights =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []

/** The temporary folder of the commands; the data folder stays sound where only that one is at fault. */
type Machine = {
  readonly name: string
  readonly wrapper: readonly string[]
  readonly temporary?: string
  /** What is refused below the folder of the copy. */
  readonly close?: (place: string) => void
  /** As the message names it. */
  readonly reason: RegExp
  /** The commands that need what is refused. The others do their work. */
  readonly fail: readonly string[]
}

const writing = [
  'ingest',
  'snapshot rollback',
  'secret set',
  'secret delete',
  'account create',
  'account rotate',
  'account disable',
  'account lock',
  'account psk',
  'account seal',
  'account delete',
  'directory import',
  'webhook create',
  'webhook change',
  'webhook rotate-secret',
  'webhook test',
  'webhook resend',
  'webhook delete',
  'token issue',
  'endpoint push',
  'endpoint pull',
  'endpoint restore',
  'endpoint delete',
  'schedule resume',
  'refresh hold',
  'quiet',
  'resume',
  'backup',
  'restore',
  'store copy',
  'demo',
  'script format',
]

const temporaryMachines = [
  { name: 'without its temporary folder', temporary: '/nonexistent', reason: /no such folder \(ENOENT\)/ },
  { name: 'that may not write its temporary folder', temporary: 'sealed', reason: /\(EACCES\)/ },
]

const machines: readonly Machine[] = [
  {
    name: 'with a full disk',
    wrapper: ['prlimit', '--fsize=0:'],
    reason: /(?:\(EFBIG\)|EFBIG: )/,
    fail: [...writing, 'ingest --check'],
  },
  {
    name: 'that may not write its folders',
    wrapper: obeysRights,
    close: (place) => setRights(place, { folder: 0o555, file: 0o400 }),
    reason: /(?:\(EACCES\)|EACCES: )/,
    fail: writing,
  },
  ...temporaryMachines.map((machine) => ({
    ...machine,
    wrapper: obeysRights,
    close: (place: string) => chmodSync(join(place, 'sealed'), 0o555),
    fail: ['ingest --check', 'endpoint trial'],
  })),
]

/** Without a service, or without a server, on every machine. */
const refusedAnyway: Readonly<Record<string, number>> = {
  'execution rerun': exitCodes.usage,
  'execution live': exitCodes.unavailable,
  'execution cancel': exitCodes.unavailable,
  'schedule run': exitCodes.refused,
  'store copy': exitCodes.unavailable,
}

for (const [at, { name, wrapper, temporary, close, reason, fail }] of machines.entries()) {
  it(`is told by every command: a machine ${name}`, async () => {
    const place = join(root, `machine-${at}`)
    await cp(prepared, place, { recursive: true })
    await mkdir(join(place, 'new'))
    await mkdir(join(place, 'sealed'))
    close?.(place)
    const temporaryFolder = temporary === 'sealed' ? join(place, temporary) : temporary
    // The store of a trial is a copy where there is none.
    const calls = everyCommand({ root: place, data: join(place, 'data') }, installed.names)
    if (temporary !== undefined)
      calls['endpoint trial'] = [...(calls['endpoint trial'] ?? []).slice(0, -1), join(place, 'none')]
    const ends = await runInTurn(Object.values(calls), wrapper, {
      ...installed.env,
      TRIPFOLIO_SCRIPT_THREADS: '1',
      ...(temporaryFolder !== undefined && { TMPDIR: temporaryFolder }),
    })
    for (const [each, command] of Object.keys(calls).entries()) {
      const { code = 0, stdout = '', stderr = '' } = ends[each] ?? {}
      const told = `${command}: ${code}\n${stderr}`
      assert.doesNotMatch(stderr + stdout, /report it| {4}at /, told)
      if (fail.includes(command)) {
        assert.equal(code, exitCodes.storage, told)
        assert.match(stderr, reason, told)
        assert.ok(stderr.includes(temporaryFolder ?? (command === 'ingest --check' ? tmpdir() : place)), told)
        assert.equal(stdout, '', told)
      } else assert.equal(code, refusedAnyway[command] ?? exitCodes.done, told)
    }
  })
}

describe('the table of commands', () => {
  it('has every command', async () => {
    const known = Object.keys(everyCommand({ root, data: root }, installed.names))
    const all = (await commandsBelow()).map((words) => words.join(' '))
    assert.deepEqual(
      all.filter((command) => !known.includes(command)),
      ['serve'],
    )
  })
})
