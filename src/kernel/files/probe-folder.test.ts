import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { probeFolder } from './probe-folder.ts'
import { storageFault } from './storage-fault.ts'

describe('probeFolder', () => {
  it('finds no fault in a folder that can be written, and leaves no file in it', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tripfolio-probe-'))
    t.after(() => rmSync(folder, { recursive: true }))
    assert.equal(probeFolder(folder), undefined)
    assert.deepEqual(readdirSync(folder), [])
  })

  it('gives the code of the system where there is no room, and leaves no file either', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tripfolio-probe-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const code = `
      import { probeFolder } from ${JSON.stringify(new URL('./probe-folder.ts', import.meta.url).href)}
      process.stdout.write(JSON.stringify(probeFolder(process.argv[1])))`
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', code, folder]
    const [program, ...limited] = ['prlimit', '--fsize=4096', process.execPath, ...args] as const
    assert.equal(JSON.parse(execFileSync(program, limited, { encoding: 'utf8' })).code, 'EFBIG')
    assert.deepEqual(readdirSync(folder), [])
  })
})

describe('storageFault', () => {
  for (const code of ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EFBIG', 'EIO']) {
    it(`gives a reason and a next step for ${code}`, () => {
      const fault = storageFault(Object.assign(new Error('x'), { code }))
      assert.equal(fault?.code, code)
      assert.ok(fault.reason.length > 10 && fault.hint.length > 20)
    })
  }
  for (const other of [
    new Error('x'),
    Object.assign(new Error('gone'), { code: 'ENOENT' }),
    Object.assign(new Error('own'), { code: 'constructor' }),
    'ENOSPC',
    null,
  ]) {
    it(`gives nothing for ${String(other)}`, () => assert.equal(storageFault(other), undefined))
  }
})
