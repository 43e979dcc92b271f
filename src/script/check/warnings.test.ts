import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parsed, placed } from '../testing/check-script.ts'
import { warnings } from './warnings.ts'

describe('warnings', () => {
  const rows: readonly (readonly [text: string, ...warnings: readonly string[]])[] = [
    ['Data.r = Data.x == null', 'JM0001 1:20'],
    ['Data.r = Data.x != null', 'JM0001 1:20'],
    ['Data.r = null == Data.x', 'JM0001 1:10'],
    ['Data.r = null == null', 'JM0001 1:10'],
    ['if Data.x == (null) then Data.r = [y => y != null] end', 'JM0001 1:15', 'JM0001 1:46'],
    ['func f(a) return a == null end', 'JM0001 1:23'],
    ['switch Data.x do case null then end', 'JM0002 1:23'],
    ['switch Data.x do case 1, null then case null then end', 'JM0002 1:26', 'JM0002 1:41'],
    ['Data.r = Data.x is null'],
    ['Data.r = Data.x is not null'],
    ['Data.r = Data.x == [null]'],
    ['Data.r = Data.x ?? null'],
    ['Data.r = Data.x < null'],
    ['switch null do case 1 then end'],
  ]
  for (const [text, ...expected] of rows) {
    it(`${text}: ${expected.join(', ') || 'none'} in strict, none in service`, () => {
      assert.deepEqual(placed(text, warnings(parsed(text, 'strict'), 'strict')), expected)
      assert.deepEqual(warnings(parsed(text, 'service'), 'service'), [])
    })
  }

  const members = ['_payload', '_statusCode', '_headers']
  const unread: readonly (readonly [text: string, ...warnings: readonly string[]])[] = [
    [
      'Data.payload = 1',
      "JM0003 1:6 'Data.payload' is not part of the response, and nothing reads it; did you mean 'Data._payload'?",
    ],
    [
      'if Data.x then Data["_status"] = 404 end',
      "JM0003 1:21 'Data._status' is not part of the response, and nothing reads it; did you mean 'Data._statusCode'?",
    ],
    [
      'Data.total = 1',
      "JM0003 1:6 'Data.total' is not part of the response, and nothing reads it; the response is made of Data._payload, Data._statusCode, Data._headers",
    ],
    ['Data._payload = 1'],
    ['Data.total = 1 Data._payload = Data.total + 1'],
    ['Data.total = 1 Data.total += 1'],
    ['Data.list = [] Data.list.add(1)'],
    ['Data.total = 1 Data._payload = Data'],
    ['Data.total = 1 Data._payload = Data[Data.name]'],
    ['var d = Data d.payload = 1 Data.total = 1'],
  ]
  for (const [text, ...expected] of unread) {
    it(`${text}: ${expected.join(', ') || 'no member without a reader'}`, () => {
      const found = warnings(parsed(text, 'service'), 'service', { members })
      const places = placed(text, found)
      assert.deepEqual(
        found.map(({ message }, i) => `${places[i]} ${message}`),
        expected,
      )
    })
  }

  const messages: readonly (readonly [text: string, message: string])[] = [
    ['Data.r = 1 == null', "'== null' is always false in the strict dialect; write 'is null'"],
    ['Data.r = 1 != null', "'!= null' is always true in the strict dialect; write 'is not null'"],
    [
      'switch 1 do case null then end',
      "'case null' never matches in the strict dialect; test with 'is null' before",
    ],
  ]
  for (const [text, message] of messages) {
    it(`${text}: ${message}`, () => {
      assert.deepEqual(
        warnings(parsed(text, 'strict'), 'strict').map((warning) => warning.message),
        [message],
      )
    })
  }
})
