import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type Reject, RejectLog } from './reject-log.ts'

const reject: Reject = {
  table: 'clients',
  client: null,
  file: 'clients.csv',
  row: 1,
  key: { client_number: 'C1' },
  field: 'name',
  rule: 'length',
  value: 'x',
  message: 'expected less',
}

async function logged(rejects: readonly Reject[]): Promise<readonly Reject[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-rejects-'))
  try {
    const path = join(folder, 'rejects.ndjson')
    const log = new RejectLog(path)
    for (const each of rejects) log.add(each)
    log.close()
    const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1)
    return lines.map((line) => JSON.parse(line))
  } finally {
    await rm(folder, { recursive: true })
  }
}

describe('the list of rejects', () => {
  it('holds one JSON object per line, in the order in which they were added', async () => {
    const many = Array.from({ length: 5000 }, (_, row) => ({ ...reject, row }))
    assert.deepEqual(await logged(many), many)
  })

  it('cuts long values only after their card numbers are masked', async () => {
    const value = `${'x'.repeat(190)}4111111111111111`
    const [shown] = await logged([{ ...reject, value }])
    assert.doesNotMatch(shown?.value ?? '', /\d/)
  })

  it('is an empty file when nothing was rejected', async () => {
    assert.deepEqual(await logged([]), [])
  })

  it('is in the file after sync, even if the process dies then', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tripfolio-rejects-'))
    const path = join(folder, 'rejects.ndjson')
    const log = new RejectLog(path)
    try {
      log.add(reject)
      assert.equal(readFileSync(path, 'utf8'), '')
      log.sync()
      assert.equal(readFileSync(path, 'utf8'), `${JSON.stringify(reject)}\n`)
    } finally {
      log.close()
      await rm(folder, { recursive: true })
    }
  })

  const masked: readonly [value: string, shown: string][] = [
    ['4111111111111111', '************1111'],
    ['paid with 4111 1111 1111 1111.', 'paid with ************1111.'],
    ['3782-822463-10005', '************0005'],
    ['2026-01-15T10:00', '2026-01-15T10:00'],
    ['INV00012345', 'INV00012345'],
  ]
  for (const [value, shown] of masked) {
    it(`shows ${value} as ${shown}`, async () => {
      const [found] = await logged([{ ...reject, value, message: `found '${value}'` }])
      assert.equal(found?.value, shown)
      assert.equal(found?.message, `found '${shown}'`)
    })
  }

  it('masks the card number in a key', async () => {
    const [found] = await logged([{ ...reject, key: { name: '4111111111111111' } }])
    assert.deepEqual(found?.key, { name: '************1111' })
  })

  it('cuts long values', async () => {
    const [found] = await logged([{ ...reject, value: 'x'.repeat(10_000) }])
    assert.equal(found?.value, `${'x'.repeat(199)}…`)
  })
})
