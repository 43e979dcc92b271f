import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { refusedWith } from '../testing/people-store.ts'
import { secretKey } from './secret-key.ts'

let root: string
let folders = 0
before(() => {
  root = mkdtempSync(join(tmpdir(), 'tripfolio-key-'))
})
after(() => rmSync(root, { recursive: true }))
const freshFolder = () => join(root, String(++folders))
const ofFile = (data: string) => secretKey({ data, secretKey: undefined })

describe('the key of secrets', () => {
  it('is the setting, hexadecimal or base64, without a file', () => {
    const bytes = Buffer.from(Array.from({ length: 32 }, (_, i) => 255 - i))
    const data = freshFolder()
    for (const text of [
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      bytes.toString('base64'),
    ]) {
      assert.deepEqual(secretKey({ data, secretKey: text }), bytes)
    }
    assert.ok(!existsSync(data))
  })

  it('must be a setting when nodes share the secrets', () => {
    const data = freshFolder()
    const store = 'postgres://db.example/trips'
    assert.throws(() => secretKey({ data, store, secretKey: undefined }), refusedWith('CFG203', /secretKey/))
    assert.equal(secretKey({ data, store, secretKey: 'ab'.repeat(32) }).length, 32)
    assert.ok(!existsSync(data))
  })

  it('is created once without the setting, random and for its owner only', () => {
    const [data, other] = [freshFolder(), freshFolder()]
    const key = ofFile(data)
    assert.equal(key.length, 32)
    assert.deepEqual(ofFile(data), key)
    assert.notDeepEqual(ofFile(other), key)
    assert.deepEqual(readdirSync(data), ['secret.key'])
    assert.equal(statSync(join(data, 'secret.key')).mode & 0o777, 0o600)
  })

  it('is closed to other users when its file was copied carelessly', () => {
    const data = freshFolder()
    const key = ofFile(data)
    chmodSync(join(data, 'secret.key'), 0o644)
    assert.deepEqual(ofFile(data), key)
    assert.equal(statSync(join(data, 'secret.key')).mode & 0o777, 0o600)
  })

  it('is refused when its file holds no key, which is left as it is', () => {
    const data = freshFolder()
    ofFile(data)
    writeFileSync(join(data, 'secret.key'), 'no key')
    assert.throws(() => ofFile(data), refusedWith('CFG202'))
    assert.equal(statSync(join(data, 'secret.key')).size, 6)
  })

  it('is the same for processes that first need it at once', async () => {
    const run = promisify(execFile)
    const module = new URL('secret-key.ts', import.meta.url).href
    for (let round = 0; round < 3; round++) {
      const data = freshFolder()
      const program = `
        const { secretKey } = await import(${JSON.stringify(module)})
        process.stdout.write(secretKey({ data: ${JSON.stringify(data)} }).toString('hex'))`
      const processes = Array.from({ length: 4 }, () =>
        run(process.execPath, ['--input-type=module', '--eval', program]),
      )
      const keys = (await Promise.all(processes)).map(({ stdout }) => stdout)
      assert.deepEqual(keys, Array(4).fill(ofFile(data).toString('hex')))
      assert.deepEqual(readdirSync(data), ['secret.key'])
    }
  })
})
