import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { lockFirstRun } from './first-run-lock.ts'

let data: string

function prepareEachTest(): void {
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'tripfolio-first-run-'))
  })
  afterEach(() => rmSync(data, { recursive: true }))
}

const noWait = () => assert.fail('no other process holds the lock')

describe('the lock of first runs', () => {
  prepareEachTest()

  const leftovers: readonly (readonly [title: string, content: string])[] = [
    ['empty', ''],
    ['cut off', 'SQLite format 3\0'],
    ['something else', 'x'.repeat(5000)],
  ]
  for (const [title, content] of leftovers) {
    it(`is taken although the file of an earlier run is ${title}, and keeps others out`, async () => {
      const path = join(data, 'first-run.lock')
      writeFileSync(path, content)
      const lock = await lockFirstRun(data, noWait, new AbortController().signal)
      const waiting = new AbortController()
      const other = lockFirstRun(data, () => waiting.abort(new Error('waited')), waiting.signal)
      await assert.rejects(other, /waited|aborted/)
      lock.done()
      lock.release()
      assert.equal(existsSync(path), false)
    })
  }
})
