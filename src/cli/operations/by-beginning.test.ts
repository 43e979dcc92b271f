import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { byIdOrBeginning } from './by-beginning.ts'

const found = ['7c690fc9-1', '7c690fc9-2', '7c69aaaa-1', 'abc', 'msg_aB', 'msg_ab'].map((id) => ({ id }))
const idOf = (reference: string): string | null => byIdOrBeginning(found, reference)?.id ?? null

describe('an id in a command', () => {
  it('may be its first characters, in any letter case', () => {
    assert.equal(idOf('7c69a'), '7c69aaaa-1')
    assert.equal(idOf('7C690FC9-2'), '7c690fc9-2')
    assert.equal(idOf('7c690fc9-3'), null)
    assert.deepEqual([idOf('msg_aB'), idOf('msg_ab')], ['msg_aB', 'msg_ab'])
  })

  it('is no beginning when it has less than four characters', () => {
    assert.deepEqual([idOf('7c6'), idOf(''), idOf('ab'), idOf('ABC')], [null, null, null, 'abc'])
  })

  it('is refused when several ids begin so', () => {
    assert.throws(() => idOf('7c690'), { code: 'DIR659', message: "2 ids begin with '7c690'" })
  })
})
