import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dictionaryOf } from '../memory/testing/partitions.ts'
import { ByteWriter } from './byte-writer.ts'
import { encodedTexts } from './encoded-texts.ts'

/** Appends the texts of the codes. @returns how many texts were encoded */
function encodings(size: number, codes: readonly number[]): number {
  const dictionary = dictionaryOf(Array.from({ length: size }, (_, i) => `é${i}`))
  let encoded = 0
  const column = { type: 'text', codes: Int32Array.from(codes), dictionary } as const
  const append = encodedTexts(column, codes.length, (text) => {
    encoded++
    return `<${text}>`
  })
  const to = new ByteWriter(Buffer.alloc(1))
  for (const code of codes) append(code, to)
  const expected = codes.map((code) => `<${dictionary.text(code)}>`).join('')
  assert.equal(Buffer.from(to.written()).toString(), expected)
  return encoded
}

describe('encoded texts', () => {
  it('are encoded once when they come often', () => {
    assert.equal(encodings(3, [0, 1, 2, 0, 0, 1, 1, 2, 2, 0, 1, 2]), 3)
    assert.equal(encodings(3, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]), 1)
  })

  it('are not kept when most come once, so that a slow reader holds little memory', () => {
    const codes = Array.from({ length: 30 }, (_, i) => i % 10)
    assert.equal(encodings(10, codes), 30)
  })

  it('are not kept when there are very many', () => {
    const size = 32_769
    const codes = Array.from({ length: 4 * size }, (_, i) => i % 7)
    assert.equal(encodings(size, codes), codes.length)
  })
})
