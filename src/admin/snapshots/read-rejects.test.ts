import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fixtures/any-character.ts'
import { type Reject, RejectLog } from '../../ingest/reject-log.ts'
import { readRejects } from './read-rejects.ts'

let folder: string
let path: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tripfolio-rejects-'))
  path = join(folder, 'rejects.ndjson')
})
after(() => rmSync(folder, { recursive: true }))

const reject = (row: number, message: string): Reject => ({
  table: 'bookings',
  client: null,
  file: 'bookings.csv',
  row,
  key: null,
  field: null,
  rule: 'type.date',
  value: null,
  message,
})

function written(rejects: readonly Reject[]): void {
  const log = new RejectLog(path)
  for (const each of rejects) log.add(each)
  log.close()
}

async function walk(limit: number): Promise<Reject[]> {
  const found: Reject[] = []
  for (let after: string | undefined; ; ) {
    const page = await readRejects(path, { limit, after })
    if (page === null) assert.fail('There is a list')
    assert.ok(page.items.length <= limit)
    found.push(...page.items)
    if (page.next === null) return found
    after = page.next
  }
}

describe('readRejects', () => {
  it('gives every line once and in order, with any content and length', async () => {
    const lines = fc.array(fc.oneof(fc.string({ unit: anyCharacter }), fc.constant('é'.repeat(50_000))), {
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 5 }), async (messages, limit) => {
        const all = messages.map((message, row) => reject(row, message.toWellFormed()))
        written(all)
        assert.deepEqual(await walk(limit), all)
      }),
      { numRuns: 50 },
    )
  })

  it('ends before a line that was not written completely', async () => {
    written([reject(1, 'whole')])
    appendFileSync(path, '{"table":"boo')
    assert.deepEqual(await readRejects(path, { limit: 5 }), { items: [reject(1, 'whole')], next: null })
    assert.equal((await readRejects(path, { limit: 1 }))?.next, null)
  })

  it('returns null when there is no list', async () => {
    assert.equal(await readRejects(join(folder, 'none.ndjson'), { limit: 1 }), null)
  })

  it('refuses an offset at which no line begins', async () => {
    written([reject(1, 'one'), reject(2, 'two')])
    const second = (await readRejects(path, { limit: 1 }))?.next as string
    for (const after of [
      '',
      '-1',
      '1',
      '1.5',
      'x',
      '0x0',
      String(Number(second) + 1),
      '999999',
      '9'.repeat(16),
    ]) {
      await assert.rejects(readRejects(path, { limit: 1, after }), { code: 'ADM105' }, after)
    }
    assert.deepEqual((await readRejects(path, { limit: 1, after: second }))?.items, [reject(2, 'two')])
  })

  it('reads no more of a large file than the page needs', async () => {
    const line = `${JSON.stringify(reject(1, 'x'.repeat(1000)))}\n`
    writeFileSync(path, line.repeat(20_000))
    const before = process.memoryUsage().arrayBuffers
    const page = await readRejects(path, { limit: 10, after: String(line.length * 19_000) })
    assert.equal(page?.items.length, 10)
    assert.ok(process.memoryUsage().arrayBuffers - before < 2 ** 22)
  })
})
