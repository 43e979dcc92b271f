import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deliveryIdIn } from './delivery-id.ts'

describe('the id of a delivery in its body', () => {
  const rows: readonly (readonly [
    kind: 'json' | 'form' | 'text',
    body: string | null,
    pointer: string,
    id: string,
  ])[] = [
    ['json', '{"id":"a-1"}', '/id', 'a-1'],
    ['json', '{"event":{"id":" a-1 "}}', '/event/id', 'a-1'],
    ['json', '{"event":[{"id":"a"},{"id":"b"}]}', '/event/1/id', 'b'],
    ['json', '{"a/b":{"c~d":"x"}}', '/a~1b/c~0d', 'x'],
    ['json', '{"id":0}', '/id', '0'],
    ['json', '{"id":9007199254740993}', '/id', '9007199254740993'],
    ['json', '{"id":18446744073709551615}', '/id', '18446744073709551615'],
    ['json', '{"id":1.5}', '/id', ''],
    ['json', '{"id":1e300}', '/id', ''],
    ['json', '{"id":null}', '/id', ''],
    ['json', '{"id":true}', '/id', ''],
    ['json', '{"id":{"id":"x"}}', '/id', ''],
    ['json', '{"id":"x"}', '/other', ''],
    ['json', '{"id":"x"}', '/id/length', ''],
    ['json', '{}', '/constructor/name', ''],
    ['json', '{"id":"x"', '/id', ''],
    ['json', '', '/id', ''],
    ['json', null, '/id', ''],
    ['form', 'id=a+1&b=2', '/id', 'a 1'],
    ['json', '\ufeff{"id":"a-1"}', '/id', 'a-1'],
    ['form', 'id=1&id=2', '/id', ''],
    ['form', 'id=%E9', '/id', ''],
    ['form', '?id=1', '/id', ''],
    ['form', 'id=1', '/id/x', ''],
    ['text', '{"id":"x"}', '/id', ''],
  ]
  for (const [kind, body, pointer, id] of rows) {
    it(`${kind} ${body} at ${pointer} is '${id}'`, () => {
      assert.equal(deliveryIdIn(body, kind, pointer), id)
    })
  }
})
