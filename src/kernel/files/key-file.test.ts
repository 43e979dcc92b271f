import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { Problem } from '../problem.ts'
import { readKeyFile, readOrMakeKeyFile } from './key-file.ts'

let root: string
before(() => {
  root = mkdtempSync(join(tmpdir(), 'tripfolio-key-'))
})
after(() => rmSync(root, { recursive: true }))

const fresh = () => join(mkdtempSync(join(root, 'case-')), 'some.key')
const modeOf = (path: string) => statSync(path).mode & 0o777
const problem = (code: string) => (error: unknown) => error instanceof Problem && error.code === code

describe('readOrMakeKeyFile', () => {
  it('makes a key of the given length, returns the same key from then on, and leaves no other file', () => {
    const path = fresh()
    const key = readOrMakeKeyFile(path, 32)
    assert.equal(key.length, 32)
    assert.deepEqual(readOrMakeKeyFile(path, 32), key)
    assert.deepEqual(readdirSync(join(path, '..')), ['some.key'])
    assert.notDeepEqual(readOrMakeKeyFile(fresh(), 32), key)
  })

  it('keeps it as base64 in a file that only its owner reads, in a folder that only its owner enters', () => {
    const path = join(fresh(), 'deeper', 'some.key')
    const key = readOrMakeKeyFile(path, 32)
    assert.equal(readFileSync(path, 'utf8'), `${key.toString('base64')}\n`)
    assert.equal(modeOf(path), 0o600)
    assert.equal(modeOf(join(path, '..')), 0o700)
  })

  it('gives processes that start at the same time the same key', async () => {
    const paths = Array.from({ length: 25 }, (_, i) => `${fresh()}.${i}`)
    const program = `
      import { readOrMakeKeyFile } from ${JSON.stringify(join(import.meta.dirname, 'key-file.ts'))}
      const keys = ${JSON.stringify(paths)}.map((path) => readOrMakeKeyFile(path, 32).toString('hex'))
      process.stdout.write(JSON.stringify(keys))`
    const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
    const runs = await Promise.all([run(), run(), run()])
    const keys = JSON.stringify(paths.map((path) => readOrMakeKeyFile(path, 32).toString('hex')))
    for (const { stdout } of runs) assert.equal(stdout, keys)
  })

  it('refuses a place where it cannot write, and a link to a missing file', () => {
    const file = fresh()
    writeFileSync(file, '')
    assert.throws(() => readOrMakeKeyFile(join(file, 'below.key'), 32), problem('CFG201'))
    const link = fresh()
    symlinkSync(join(link, '..', 'none', 'none.key'), link)
    assert.throws(() => readOrMakeKeyFile(link, 32), problem('CFG201'))
  })
})

describe('readKeyFile', () => {
  it('returns undefined for a missing file, and refuses one that cannot be read', () => {
    const path = fresh()
    assert.equal(readKeyFile(path, 32), undefined)
    assert.ok(!existsSync(path))
    assert.throws(() => readKeyFile(join(path, '..'), 32), problem('CFG201'))
  })

  it('takes the rights of other users from a file', () => {
    const path = fresh()
    const key = readOrMakeKeyFile(path, 32)
    chmodSync(path, 0o644)
    assert.deepEqual(readKeyFile(path, 32), key)
    assert.equal(modeOf(path), 0o600)
  })

  const others: readonly (readonly [what: string, content: string])[] = [
    ['nothing', ''],
    ['a shorter key', Buffer.alloc(31, 7).toString('base64')],
    ['a longer key', Buffer.alloc(33, 7).toString('base64')],
    ['hexadecimal digits', Buffer.alloc(32, 7).toString('hex')],
    ['raw bytes', Buffer.alloc(32, 7).toString('latin1')],
    ['a key and more', `${Buffer.alloc(32, 7).toString('base64')}\nmore`],
    ['base64 without its end', Buffer.alloc(32, 7).toString('base64url')],
  ]
  for (const [what, content] of others) {
    it(`refuses ${what}, leaves the file as it is and does not show its content`, () => {
      const path = fresh()
      writeFileSync(path, content)
      assert.throws(
        () => readOrMakeKeyFile(path, 32),
        (error) =>
          problem('CFG202')(error) && (content === '' || !(error as Problem).message.includes(content)),
      )
      assert.equal(readFileSync(path, 'utf8'), content)
    })
  }
})
