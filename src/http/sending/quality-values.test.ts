import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { qualityValues, rememberingTexts } from './quality-values.ts'

describe('a list of quality values', () => {
  const lists: readonly (readonly [header: string, values: readonly (readonly [string, number])[]])[] = [
    ['', []],
    [' , ,', []],
    ['gzip', [['gzip', 1]]],
    ['GZip;Q=0.5', [['gzip', 0.5]]],
    [
      'gzip;q=1.000, br ; q=0.001 ,*;q=0',
      [
        ['gzip', 1],
        ['br', 0.001],
        ['*', 0],
      ],
    ],
    ['text/csv;header=present;q=0.3', [['text/csv', 0.3]]],
    ['text/csv;;q=0.3;', [['text/csv', 0.3]]],
    [
      'a/b;x="q=0,c/d;\\"";q=0.7,*/*;q=0.',
      [
        ['a/b', 0.7],
        ['*/*', 0],
      ],
    ],
  ]
  for (const [header, values] of lists) {
    it(`is read from ${JSON.stringify(header)}`, () => {
      assert.deepEqual(
        qualityValues(header)?.map(({ value, weight }) => [value, weight]),
        values,
      )
    })
  }

  for (const header of [
    'a b',
    'a;q=2',
    'a;q=1.001',
    'a;q=0.1234',
    'a;q=-1',
    'a;q=',
    'a;q="1"',
    'a;x',
    'a;x=',
    'a;x="',
    'a/',
    '/b',
    'a/b/c',
    ';q=1',
    'gzip, {',
    'é',
  ]) {
    it(`is null when it is malformed: ${header}`, () => assert.equal(qualityValues(header), null))
  }

  it('is null when it is too long', () => {
    assert.equal(qualityValues('a/b,'.repeat(1024))?.length, 1024)
    assert.equal(qualityValues('a/b,'.repeat(1025)), null)
  })

  it('is parsed or refused for any text', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab/*;,q=01." \\\t{é') })
    fc.assert(
      fc.property(text, (header) => {
        for (const { weight } of qualityValues(header) ?? []) assert.ok(weight >= 0 && weight <= 1)
      }),
    )
  })
})

describe('rememberingTexts', () => {
  it('parses a text once, but a long one, or one of very many, again', () => {
    let count = 0
    const read = rememberingTexts((text) => {
      count++
      return { text }
    })
    assert.deepEqual([read('a'), read('a')], [{ text: 'a' }, { text: 'a' }])
    assert.equal(count, 1)
    for (let i = 0; i < 2; i++) read('x'.repeat(1000))
    assert.equal(count, 3)
    for (let i = 0; i < 1000; i++) read(`${i}`)
    assert.equal(read('a').text, 'a')
    assert.equal(count, 1004)
  })
})
