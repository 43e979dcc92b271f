import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RunLog } from './run-log.ts'

const asItIs = (text: string): string => text
const messages = async (log: RunLog, clean = asItIs) =>
  (await log.entries(clean)).map(({ message }) => message)
const newLog = () => new RunLog(() => 0)

describe('the log of a run', () => {
  it('has the time of each line', async () => {
    let time = 0
    const log = new RunLog(() => (time += 1000))
    log.add('Error', 'a')
    log.add('whatever', 'b')
    assert.deepEqual(await log.entries(asItIs), [
      { time: '1970-01-01T00:00:01.000Z', level: 'Error', message: 'a' },
      { time: '1970-01-01T00:00:02.000Z', level: 'Information', message: 'b' },
    ])
  })

  it('keeps 1,000 lines and says how many are missing', async () => {
    const log = newLog()
    for (let line = 0; line < 1000; line++) log.add('Debug', String(line))
    assert.equal((await log.entries(asItIs)).length, 1000)
    log.add('Debug', 'one more')
    log.add('Debug', 'and another')
    const entries = await log.entries(asItIs)
    assert.equal(entries.length, 1001)
    assert.equal(entries[999]?.message, '999')
    assert.deepEqual(
      [entries[1000]?.level, entries[1000]?.message],
      ['Warning', 'The log is cut here: 2 more lines were not kept'],
    )
  })

  it('keeps 4 KiB of a line and marks longer lines as cut', async () => {
    const log = newLog()
    log.add('Debug', 'a'.repeat(4096))
    log.add('Debug', 'a'.repeat(4097))
    log.add('Debug', `a${'é'.repeat(4096)}`)
    assert.deepEqual(await messages(log), [
      'a'.repeat(4096),
      `${'a'.repeat(4096)} [cut]`,
      `a${'é'.repeat(2047)} [cut]`,
    ])
  })

  it('finds a secret that lies across the cut', async () => {
    const log = newLog()
    log.add('Debug', `${'a'.repeat(4090)}${'secret'.repeat(500)}${'b'.repeat(100_000)}`)
    const [message] = await messages(log, (text) => text.replaceAll('secret'.repeat(500), '*'))
    assert.equal(message, `${'a'.repeat(4090)}*bbbbb [cut]`)
  })

  it('has a bounded size, whatever is logged', async () => {
    const log = newLog()
    for (let line = 0; line < 1000; line++) log.add('Debug', 'x'.repeat(1_000_000))
    const told = await messages(log)
    assert.ok(told.length < 1000 && told.length > 100, `${told.length} lines`)
    assert.match(told.at(-1) ?? '', /^The log is cut here: \d+ more lines were not kept$/)
  })
})
