import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RejectCauses } from './reject-causes.ts'
import type { Reject } from './reject-log.ts'
import { refuseTooManyRejects } from './validate.ts'

const reject = (rule: string, field: string | null, row: number): Reject => ({
  table: 'segments',
  client: null,
  file: 'segments.csv',
  row,
  key: null,
  field,
  rule,
  value: `value ${row}`,
  message: 'expected another',
})

describe('the causes of rejects', () => {
  it('have at most three examples each, the first ones', () => {
    const causes = new RejectCauses()
    for (let row = 1; row <= 5; row++) causes.add(reject('length', 'origin', row))
    const [group] = causes.groups()
    assert.deepEqual([group?.count, group?.examples.map((example) => example.row)], [5, [1, 2, 3]])
  })

  it('are the three most frequent rules and fields of a table, each with its first reject', () => {
    const causes = new RejectCauses()
    const found = [
      reject('length', 'origin', 1),
      reject('type.minute', 'start_local', 2),
      reject('length', 'destination', 3),
      reject('type.minute', 'start_local', 4),
      reject('length', 'destination', 5),
      reject('length', 'destination', 6),
      reject('line.malformed', null, 7),
      // Such a row has no fault of its own.
      ...[8, 9, 10, 11].map((row) => reject('parent.rejected', 'record_locator', row)),
    ]
    for (const each of found) causes.add(each)
    assert.deepEqual(
      causes.of('segments').map(({ count, rule, field, row, value }) => [count, rule, field, row, value]),
      [
        [3, 'length', 'destination', 3, 'value 3'],
        [2, 'type.minute', 'start_local', 2, 'value 2'],
        [1, 'length', 'origin', 1, 'value 1'],
      ],
    )
    assert.deepEqual(causes.of('clients'), [])
  })
})

describe('a refusal of many rejects', () => {
  it('says that more rejects have a cause than are listed', () => {
    const causes = new RejectCauses()
    causes.add(reject('length', 'origin', 1))
    const table = { table: 'segments', rows: 20_000, withParent: 0 }
    const refusing = (rejects: number) => () =>
      refuseTooManyRejects([{ ...table, rejects }], 0, 0, { causes, rejectsFile: '/rejects.ndjson' })
    const cause = "1 x length in origin: expected another: 'value 1' \\(segments.csv, row 1\\)$"
    assert.throws(refusing(10_001), { message: new RegExp(`\\n  at least ${cause}`) })
    assert.throws(refusing(10_000), { message: new RegExp(`\\n  ${cause}`) })
  })
})
