import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../../test/campaign.ts'
import { plainOf, testMaker } from '../testing/maker.ts'
import { JsonFault, readJson } from './json-read.ts'
import { writeJson } from './json-write.ts'

const read = (text: string, maxDepth?: number) =>
  plainOf(readJson(text, testMaker(), maxDepth === undefined ? {} : { maxDepth }))

const object = (...entries: readonly (readonly [string, unknown])[]) => ({ '{}': entries.map((e) => [...e]) })

describe('readJson', () => {
  const texts: readonly (readonly [json: string, value: unknown])[] = [
    ['null', null],
    ['true', true],
    ['false', false],
    [' \t\r\n1 \t\r\n', 1],
    ['0', 0],
    ['-0', -0],
    ['-12', -12],
    ['1.5', 1.5],
    ['-0.25', -0.25],
    ['1e2', 100],
    ['1E+2', 100],
    ['25e-1', 2.5],
    ['1.5e1', 15],
    ['123456789012345', 123456789012345],
    ['9007199254740993', 9007199254740992],
    ['0.1', 0.1],
    ['1e999', Infinity],
    ['-1e999', -Infinity],
    ['""', ''],
    ['"a b"', 'a b'],
    ['"Zürich 😀"', 'Zürich 😀'],
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\/\b\f\n\r\t'],
    ['"x\\u0041y\\ud83d\\ude00z"', 'xAy😀z'],
    ['"\\ud800"', '\ud800'],
    ['"a\\\\"', 'a\\'],
    ['"\u007f\u2028"', '\u007f\u2028'],
    ['[]', []],
    ['[ ]', []],
    ['[1,[2,[]]]', [1, [2, []]]],
    [' [ 1 , "a" , null ] ', [1, 'a', null]],
    ['{}', object()],
    ['{ "a" : 1 , "b" : [ { } ] }', object(['a', 1], ['b', [object()]])],
    ['{"b":1,"2":2,"a":3,"1":4}', object(['b', 1], ['2', 2], ['a', 3], ['1', 4])],
    ['{"a":1,"b":2,"a":3}', object(['a', 3], ['b', 2])],
    ['{"\\u0061":1,"":2,"a.b":3}', object(['a', 1], ['', 2], ['a.b', 3])],
    [
      '{"__proto__":{"x":1},"constructor":1,"prototype":2,"toString":3}',
      object(['__proto__', object(['x', 1])], ['constructor', 1], ['prototype', 2], ['toString', 3]),
    ],
  ]
  for (const [json, value] of texts) {
    it(`reads ${JSON.stringify(json)}`, () => assert.deepEqual(read(json), value))
  }

  const faults: readonly (readonly [json: string, at: number])[] = [
    ['', 0],
    ['  ', 2],
    ['nul', 0],
    ['nulls', 4],
    ['True', 0],
    ['1 2', 2],
    ['01', 0],
    ['-', 1],
    ['-a', 1],
    ['+1', 0],
    ['.5', 0],
    ['5.', 2],
    ['1e', 2],
    ['1e+', 3],
    ['0x1F', 1],
    ['NaN', 0],
    ['Infinity', 0],
    ['"abc', 4],
    ['"', 1],
    ['"\\', 2],
    ['"\\"', 3],
    ['"a\\x41"', 2],
    ['"\\u12"', 1],
    ['"a\nb"', 2],
    ['"\\n\n"', 1],
    ["'a'", 0],
    ['[1,]', 3],
    ['[,1]', 1],
    ['[1 2]', 3],
    ['[1}', 2],
    ['[', 1],
    ['{"a":1,}', 7],
    ['{a:1}', 1],
    ['{"a" 1}', 5],
    ['{"a":}', 5],
    ['{"a":1]', 6],
    ['{1:2}', 1],
    ['/* */1', 0],
    ['1 // one', 2],
    ['\ufeff1', 0],
    ['\u00a01', 0],
    ['[1]]', 3],
  ]
  for (const [json, at] of faults) {
    it(`refuses ${JSON.stringify(json)} at character ${at}`, () => {
      assert.throws(
        () => read(json),
        (fault) => {
          assert.ok(fault instanceof JsonFault)
          assert.equal(fault.at, at)
          return true
        },
      )
    })
  }

  it('reads 64 levels by default', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    assert.doesNotThrow(() => read(nested(64)))
    assert.throws(() => read(nested(65)), JsonFault)
    assert.doesNotThrow(() => read(nested(1000), 1000))
    assert.throws(() => read('{"a":'.repeat(1_000_000), 1000), JsonFault)
    assert.throws(() => read('[', 0), JsonFault)
  })

  it('counts what it makes, and its work', () => {
    const maker = testMaker()
    readJson('{"a":["bcd",1]}', maker)
    assert.equal(maker.bytes, 64 + 16 + (48 + 2 * 16) + (24 + 2 * 3))
    readJson(`"${'x'.repeat(1000)}"`, maker)
    assert.ok(maker.units > 10)
  })

  it('reads numbers too large for a double as infinite, or refuses them if asked to', () => {
    for (const text of ['1e400', '-1e999', '1E+309', '1.8e308', '9'.repeat(309), `${'9'.repeat(309)}.5e0`]) {
      assert.equal(Math.abs(Number(read(text))), Number.POSITIVE_INFINITY, text)
      assert.throws(
        () => readJson(`[0, ${text}]`, testMaker(), { largeNumbers: 'refused' }),
        (fault) => fault instanceof JsonFault && fault.at === 4,
      )
    }
    for (const text of ['1e308', '-1.7976931348623157e308', '1e-400', '0e999', '9'.repeat(308)]) {
      assert.equal(readJson(text, testMaker(), { largeNumbers: 'refused' }), Number(text))
    }
  })

  it('reads what JSON.parse reads, and refuses what it refuses', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '\\',
      '\\u0041',
      '1',
      '-',
      '0',
      '.',
      'e',
      ' ',
      'true',
      'null',
      '\n',
    )
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
        (text) => {
          let expected: unknown
          try {
            expected = JSON.parse(text)
          } catch {
            assert.throws(() => read(text), JsonFault)
            return
          }
          const { work } = testMaker()
          const written = writeJson(readJson(text, testMaker()), { work, escapes: 'plain' })
          assert.deepEqual(JSON.parse(written), JSON.parse(JSON.stringify(expected)))
        },
      ),
      { seed: campaignSeed, numRuns: repeated(700, 20_000) },
    )
  })

  it('counts many elements while it reads them, and each once in the end', () => {
    const maker = testMaker()
    let most = 0
    const allocate = (bytes: number): void => {
      maker.bytes += bytes
      most = Math.max(most, maker.bytes)
    }
    const array = (items: Parameters<typeof maker.array>[0]) => {
      // All but the last few elements were counted until here.
      assert.ok(most > 24 * 95_000)
      return maker.array(items)
    }
    readJson(`[${'5e9,'.repeat(99_999)}1.5]`, { ...maker, allocate, array })
    assert.equal(maker.bytes, 48 + 16 * 100_000)
  })
})
