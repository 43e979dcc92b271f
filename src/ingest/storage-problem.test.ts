import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { after, before, describe, it } from 'node:test'
import { Problem } from '../kernel/problem.ts'
import { fileUnreadable } from './problems.ts'
import { storageProblem } from './storage-problem.ts'

let data: string
before(() => {
  data = mkdtempSync(`${tmpdir()}/tripfolio-storage-`)
})
after(() => rmSync(data, { recursive: true }))

const system = (code: string) => Object.assign(new Error(`${code}: it did not work, write`), { code })
const lock = (errcode: number) => Object.assign(new Error('database or disk is full'), { errcode })

describe('a refresh that ended is reported as a fault of the disk when', () => {
  const cases: readonly [title: string, cause: () => unknown, code: string][] = [
    ['the system says so', () => system('ENOSPC'), 'ENOSPC'],
    ['the quota is used up', () => system('EDQUOT'), 'EDQUOT'],
    ['the file system is read-only', () => system('EROFS'), 'EROFS'],
    [
      'the file of the work database takes no more',
      () =>
        new Error(`IO Error: Could not write file "${data}/work/refresh.duckdb": No space left on device`),
      'ENOSPC',
    ],
    [
      'the quota is used up by the work database',
      () => new Error(`IO Error: Could not write file "${data}/work/refresh.duckdb": Disk quota exceeded`),
      'EDQUOT',
    ],
    [
      'the work database cannot be made',
      () => new Error(`IO Error: Cannot open file "${data}/work/refresh.duckdb": Read-only file system`),
      'EROFS',
    ],
    [
      'the work database has nowhere to spill to',
      () =>
        new Error(
          'Out of Memory Error: failed to offload data block of size 256.0 KiB (3.5 MiB/3.5 MiB used).\n' +
            "This limit was set by the 'max_temp_directory_size' setting.",
        ),
      'ENOSPC',
    ],
    ['the refresh lock cannot be written', () => lock(13), 'ENOSPC'],
  ]
  for (const [title, cause, code] of cases) {
    it(`${title}, also while it reads a file of the extract`, () => {
      for (const error of [cause(), fileUnreadable('bookings', 'bookings.csv', cause())]) {
        const problem = storageProblem(error, data)
        assert.equal(problem?.code, 'ING130')
        assert.ok(problem.message.startsWith(`Cannot write in the data folder '${data}': `), problem.message)
        assert.ok(problem.message.endsWith(`(${code})`), problem.message)
        assert.ok(problem.hint)
      }
    })
  }
})

describe('a fault of the disk is not reported for', () => {
  const cases: readonly [title: string, cause: unknown][] = [
    ['a file that may not be read', system('EACCES')],
    ['a file that is gone', system('ENOENT')],
    ['a damaged file', new Error('Invalid Input Error: CSV Error on Line: 7')],
    [
      'a file that cannot be opened',
      new Error('IO Error: Cannot open file "/x/bookings.csv": Permission denied'),
    ],
    ['text that quotes an error', new Error("Conversion Error: could not convert 'No space left on device'")],
    ['a lock that is held', lock(5)],
    ['a lock file whose path is a folder', lock(14)],
    ['anything else', 'a text'],
    ['a problem without a cause', new Problem('ING102', 'Table is missing')],
  ]
  for (const [title, cause] of cases) {
    it(title, () => {
      assert.equal(storageProblem(cause, data), undefined)
      assert.equal(storageProblem(fileUnreadable('bookings', 'bookings.csv', cause), data), undefined)
    })
  }
})
