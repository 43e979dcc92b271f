import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { makeFolder } from './make-folder.ts'

describe('makeFolder', () => {
  it('makes the missing folders and returns the topmost of them', (t) => {
    const root = mkdtempSync(join(tmpdir(), 'tripfolio-folder-'))
    t.after(() => rmSync(root, { recursive: true }))
    assert.equal(makeFolder(join(root, 'a/b/c'), 0o700), join(root, 'a'))
    assert.equal(statSync(join(root, 'a/b/c')).mode & 0o777, 0o700)
    assert.equal(makeFolder(join(root, 'a/b/c')), undefined)
  })

  it('refuses a path through a file, and a place where no folder can be made', (t) => {
    const root = mkdtempSync(join(tmpdir(), 'tripfolio-folder-'))
    t.after(() => rmSync(root, { recursive: true }))
    const file = join(root, 'file')
    writeFileSync(file, '')
    assert.throws(() => makeFolder(file), /not a folder/)
    assert.throws(() => makeFolder(join(file, 'below')), /not a folder/)
    if (process.platform === 'linux') assert.throws(() => makeFolder('/proc/none/below'), { code: 'ENOENT' })
  })
})
