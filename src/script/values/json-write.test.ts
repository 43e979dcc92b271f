import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fixtures/any-character.ts'
import { ScriptFailure } from '../failure.ts'
import {
  arrayOf,
  cycles,
  nestedArrays,
  objectOf,
  plainOf,
  sharedTwice,
  TestFunction,
  testMaker,
} from '../testing/maker.ts'
import { fromPlain } from './from-plain.ts'
import { readJson } from './json-read.ts'
import { writeJson } from './json-write.ts'
import type { Value } from './value.ts'

const work = () => {}
const plain = (value: Value) => writeJson(value, { work, escapes: 'plain' })
const toJson = (value: Value) => writeJson(value, { work, escapes: 'to-json' })

const fails = (code: string, limit: string | null, attempt: () => unknown) =>
  assert.throws(attempt, (failure) => {
    assert.ok(failure instanceof ScriptFailure, String(failure))
    assert.deepEqual([failure.code, failure.limit], [code, limit])
    return true
  })

describe('writeJson', () => {
  const values: readonly (readonly [value: Value, json: string])[] = [
    [null, 'null'],
    [true, 'true'],
    [false, 'false'],
    [0, '0'],
    [-0, '0'],
    [-12, '-12'],
    [0.1 + 0.2, '0.30000000000000004'],
    [0.00002, '2E-05'],
    [1e15, '1000000000000000'],
    [1e17, '100000000000000000'],
    [2 ** 60, '1152921504606846976'],
    [-(2 ** 63), '-9223372036854775808'],
    [2 ** 63, '9.223372036854776E+18'],
    [1e300, '1E+300'],
    ['', '""'],
    ['a/b', '"a/b"'],
    [arrayOf(), '[]'],
    [arrayOf(1, arrayOf('x'), null), '[1,["x"],null]'],
    [objectOf(), '{}'],
    [objectOf(['b', 1], ['2', 2], ['1', arrayOf()]), '{"b":1,"2":2,"1":[]}'],
    [
      objectOf(['__proto__', 1], ['constructor', 2], ['toString', 3]),
      '{"__proto__":1,"constructor":2,"toString":3}',
    ],
  ]
  for (const [value, json] of values) {
    it(`writes ${json}`, () => {
      assert.equal(plain(value), json)
      assert.equal(toJson(value), json)
    })
  }

  const texts: readonly (readonly [text: string, plain: string, toJson: string])[] = [
    ['a"b', '"a\\"b"', '"a\\u0022b"'],
    ["&'+<>`", '"&\'+<>`"', '"\\u0026\\u0027\\u002B\\u003C\\u003E\\u0060"'],
    ['\\', '"\\\\"', '"\\\\"'],
    ['\b\t\n\f\r', '"\\b\\t\\n\\f\\r"', '"\\b\\t\\n\\f\\r"'],
    ['\u0000\u000b\u001f', '"\\u0000\\u000b\\u001f"', '"\\u0000\\u000B\\u001F"'],
    ['~\u007f', '"~\u007f"', '"~\\u007F"'],
    ['é<', '"é<"', '"\\u00E9\\u003C"'],
    ['€😀', '"€😀"', '"\\u20AC\\uD83D\\uDE00"'],
    ['\ud800', '"\\ud800"', '"\\uD800"'],
    ['\u2028', '"\u2028"', '"\\u2028"'],
  ]
  for (const [text, asPlain, asToJson] of texts) {
    it(`escapes ${JSON.stringify(text)} as asked, in keys too`, () => {
      assert.equal(plain(text), asPlain)
      assert.equal(toJson(text), asToJson)
      assert.equal(plain(objectOf([text, 1])), `{${asPlain}:1}`)
      assert.equal(toJson(objectOf([text, 1])), `{${asToJson}:1}`)
    })
  }

  it('writes functions as a text', () => {
    assert.equal(plain(arrayOf(new TestFunction())), '["<function>"]')
    assert.equal(toJson(new TestFunction()), '"\\u003Cfunction\\u003E"')
  })

  it('leaves out deleted keys', () => {
    const object = objectOf(['a', 1], ['b', 2], ['c', 3])
    object.delete('a')
    assert.equal(plain(object), '{"b":2,"c":3}')
    object.set('d', 4)
    assert.equal(plain(object), '{"d":4,"b":2,"c":3}')
  })

  it('refuses values that JSON cannot express', () => {
    for (const value of [Number.NaN, Infinity, -Infinity, arrayOf(Number.NaN), ...cycles()]) {
      fails('JM5002', null, () => plain(value))
      fails('JM5002', null, () => toJson(value))
    }
    assert.doesNotThrow(() => plain(nestedArrays(999)))
    fails('JM5002', null, () => plain(nestedArrays(1000)))
  })

  it('respects a limit of UTF-8 bytes', () => {
    const limited = (value: Value, mostBytes: number) =>
      writeJson(value, { work, mostBytes, escapes: 'plain' })
    const value = arrayOf('é€😀', 1)
    const bytes = Buffer.byteLength(plain(value))
    assert.equal(limited(value, bytes), plain(value))
    fails('JM5911', 'outputBytes', () => limited(value, bytes - 1))
    fails('JM5911', 'outputBytes', () => limited(sharedTwice(60), 1000))
  })

  it('counts work and memory before they are spent', () => {
    const stop = new Error('stop')
    const upTo = (most: number) => (more: number) => {
      most -= more
      if (most < 0) throw stop
    }
    const bomb = sharedTwice(60)
    const long = '<'.repeat(10_000_000)
    assert.throws(() => writeJson(bomb, { work: upTo(1000), escapes: 'plain' }), stop)
    assert.throws(() => writeJson(bomb, { work, allocate: upTo(1000), escapes: 'plain' }), stop)
    assert.throws(() => writeJson(long, { work: upTo(1000), escapes: 'to-json' }), stop)
    let bytes = 0
    writeJson(arrayOf('<', 1), { work, allocate: (more) => (bytes += more), escapes: 'to-json' })
    assert.equal(bytes, 2 * '["\\u003C",1]'.length)
  })

  it('escapes long texts like short ones', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 5 }), (piece) => {
        const long = piece.repeat(9001)
        assert.equal(plain(long), JSON.stringify(long))
        assert.equal(JSON.parse(toJson(long)), long)
      }),
      { numRuns: 30 },
    )
    const lone = `${'x'.repeat(9_999)}\ud83d\ude00\ud83d`
    assert.equal(plain(lone), JSON.stringify(lone))
  })

  // Both write integers and short decimals alike.
  const number = fc.oneof(
    fc.maxSafeInteger(),
    fc.integer({ min: -1e9, max: 1e9 }).map((n) => n / 100),
  )
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(fc.constant(null), fc.boolean(), number, fc.string({ unit: anyCharacter })),
      fc.array(tie('tree')),
      fc.dictionary(
        fc.string({ unit: anyCharacter }).map((key) => `k${key}`),
        tie('tree'),
        { noNullPrototype: true },
      ),
    ),
  }))

  it('writes what JSON.stringify writes', () => {
    fc.assert(
      fc.property(tree, (value) => assert.equal(plain(fromPlain(value, testMaker())), JSON.stringify(value))),
    )
  })

  it('writes ASCII that JSON.parse reads as the same', () => {
    fc.assert(
      fc.property(tree, (value) => {
        const written = toJson(fromPlain(value, testMaker()))
        assert.match(written, /^[ -~]*$/)
        assert.deepEqual(JSON.parse(written), JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('writes what readJson reads as the same values, keys in order', () => {
    const entry = fc.tuple(fc.oneof(fc.string(), fc.constantFrom('1', '0', '__proto__', 'constructor')), tree)
    fc.assert(
      fc.property(fc.array(entry), fc.double({ noNaN: true, noDefaultInfinity: true }), (entries, number) => {
        const value = objectOf(
          ...entries.map(([key, member]) => [key, fromPlain(member, testMaker())] as const),
          // Negative zero is zero in JSON.
          ['number', number === 0 ? 0 : number],
        )
        for (const json of [plain(value), toJson(value)]) {
          assert.deepEqual(plainOf(readJson(json, testMaker())), plainOf(value))
        }
      }),
    )
  })
})
