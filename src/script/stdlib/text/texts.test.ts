/** Functions for texts: a row for each rule of the reference, and hostile arguments. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { ScriptProblemCode } from '../../script-problem.ts'
import { fails, given, lambdaOf, plainOf, run, testContext } from '../../testing/context.ts'
import type { Value } from '../../values/value.ts'
import { textFunctions } from './texts.ts'

const named = (name: string) => {
  const found = textFunctions.find((native) => native.name === name)
  assert.ok(found !== undefined, name)
  return found
}

const call = (name: string, ...args: unknown[]): unknown =>
  plainOf(run(named(name), args.map(given), testContext()))

type Row = readonly [name: string, args: readonly unknown[], answer: unknown]

const self = lambdaOf(() => null)

const rows: readonly Row[] = [
  ['ToUpper', ['straße'], 'STRAßE'],
  ['ToLower', ['ΑΣ'], 'ασ'],
  ['Trim', [' \t\u0085\u00a0\u3000a b\u2028 '], 'a b'],
  ['Trim', ['\ufeffa\u180e\u200b'], '\ufeffa\u180e\u200b'],
  ['Trim', [' \n '], ''],
  ['Replace', ['a.b.c', '.', '$&'], 'a$&b$&c'],
  ['Replace', ['aaa', 'aa', 'b'], 'ba'],
  ['Replace', ['abc', 'x', 'y'], 'abc'],
  ['Replace', ['abc', 'b', ''], 'ac'],
  ['Contains', ['abc', 'bc'], true],
  ['Contains', ['abc', 'BC'], false],
  ['Contains', ['abc', ''], true],
  ['Contains', [null, 1], false],
  ['Contains', ['abc', null], false],
  ['Contains', [[1, [2]], [2]], true],
  ['Contains', [[1, 2], '1'], false],
  ['Contains', [[], 1], false],
  ['Contains', [[self], self], false],
  ['StartsWith', ['abc', 'ab'], true],
  ['StartsWith', ['abc', 'AB'], false],
  ['StartsWith', ['abc', ''], true],
  ['StartsWith', ['a\u00adb', 'ab'], false],
  ['EndsWith', ['abc', 'bc'], true],
  ['EndsWith', ['abc', ''], true],
  ['Split', ['a,b,,c', ','], ['a', 'b', '', 'c']],
  ['Split', ['a--b', '--'], ['a', 'b']],
  ['Split', [',', ','], ['', '']],
  ['Split', ['abc', ''], ['abc']],
  ['Split', ['', ','], ['']],
  ['Join', [['a', null, 1.5, true, [1], {}], '-'], 'a-null-1.5-true-[1]-{}'],
  ['Join', [[], ','], ''],
  ['Join', [['a'], ','], 'a'],
  ['Substring', ['abcdef', 2], 'cdef'],
  ['Substring', ['abcdef', -2], 'abcdef'],
  ['Substring', ['abcdef', 9], ''],
  ['Substring', ['abcdef', 1, 2], 'bc'],
  ['Substring', ['abcdef', 1, 99], 'bcdef'],
  ['Substring', ['abcdef', 1, 0], ''],
  ['Substring', ['abcdef', 1, -1], ''],
  ['Substring', ['abcdef', 0.5], 'abcdef'],
  ['Substring', ['abcdef', 1.5], 'cdef'],
  ['Substring', ['abcdef', 2.5], 'cdef'],
  ['ToNumber', ['(1,5)'], -15],
  ['ToNumber', ['0x1F'], null],
  ['ToNumber', [''], null],
  ['PadLeft', ['7', 3], '  7'],
  ['PadLeft', ['7', 3, 'null'], 'nn7'],
  ['PadLeft', ['7', 3, ''], '  7'],
  ['PadLeft', ['7', 3.9, '0'], '007'],
  ['PadLeft', ['777', 2, '0'], '777'],
  ['PadLeft', ['7', -0.5], '7'],
  ['PadRight', ['7', 3, 'ab'], '7aa'],
  ['RandomString', [0], ''],
  ['RandomString', [3, 'x'], 'xxx'],
  ['Base64Encode', ['ä€😀'], 'w6Tigqzwn5iA'],
  ['Base64Encode', [''], ''],
  ['Base64Encode', ['\ud800'], '77+9'],
  ['Base64Decode', ['w6Tigqzwn5iA'], 'ä€😀'],
  ['Base64Decode', [' Y\tQ=\r\n= '], 'a'],
  ['Base64Decode', [''], ''],
  ['Base64Decode', ['/w=='], '\ufffd'],
]

const failures: readonly (readonly [ScriptProblemCode, string, readonly unknown[]])[] = [
  ['JM5002', 'Replace', ['a', '', 'b']],
  ['JM5704', 'Contains', ['a1', 1]],
  ['JM5704', 'Contains', [5, 5]],
  ['JM5704', 'Contains', [{}, 'a']],
  ['JM5002', 'Substring', ['abc', 3e9]],
  ['JM5002', 'Substring', ['abc', Number.NaN]],
  ['JM5002', 'Substring', ['abc', 0, 3e9]],
  ['JM5002', 'PadLeft', ['a', -1]],
  ['JM5002', 'PadRight', ['a', Number.NaN]],
  ['JM5702', 'PadLeft', ['a', 1_000_001]],
  ['JM5907', 'RandomString', [-1]],
  ['JM5907', 'RandomString', [1.5]],
  ['JM5907', 'RandomString', [Number.POSITIVE_INFINITY]],
  ['JM5703', 'RandomString', [1, '']],
  ['JM5908', 'Base64Decode', ['YQ']],
  ['JM5908', 'Base64Decode', ['YQ=a']],
  ['JM5908', 'Base64Decode', ['Y===']],
  ['JM5908', 'Base64Decode', ['YQ_-']],
  ['JM5908', 'Base64Decode', ['YQ==\u00a0']],
]

describe('functions of texts', () => {
  for (const [name, args, answer] of rows) {
    it(`${name} returns ${JSON.stringify(answer)} for ${JSON.stringify(args)}`, () => {
      assert.deepEqual(call(name, ...args), answer)
    })
  }

  for (const [code, name, args] of failures) {
    it(`${name} fails with ${code} for ${JSON.stringify(args)}`, () => fails(code, () => call(name, ...args)))
  }

  it('Contains does not find an array with null, because nothing equals null', () => {
    assert.equal(run(named('Contains'), [given([[null]]), given([null])], testContext()), false)
  })

  it('RandomString uses the given characters only', () => {
    assert.match(call('RandomString', 20_000) as string, /^[A-Za-z0-9]{20000}$/)
    const drawn = call('RandomString', 5000, 'aé\ud83d') as string
    assert.deepEqual([...new Set(drawn.split(''))].sort(), ['a', 'é', '\ud83d'].sort())
  })

  it('NewGuid makes a new identifier of version 4 each time', () => {
    const guid = call('NewGuid') as string
    assert.match(guid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.notEqual(call('NewGuid'), guid)
  })

  it('Join reverses Split', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ',', ';') })
    fc.assert(
      fc.property(text, fc.string({ unit: fc.constantFrom(',', ';', 'a'), minLength: 1 }), (whole, by) => {
        assert.equal(call('Join', call('Split', whole, by), by), whole)
      }),
    )
  })

  it('Base64Decode reads what Base64Encode writes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        assert.equal(call('Base64Decode', call('Base64Encode', text)), text)
      }),
    )
  })

  it('have a description and a unique name', () => {
    assert.equal(new Set(textFunctions.map(({ name }) => name)).size, 19)
    for (const { about } of textFunctions) assert.match(about, /^[A-Z].*\.$/)
  })
})

describe('texts that would grow too large', () => {
  const million = 'a'.repeat(1_000_000)
  const tooLarge: readonly (readonly [string, readonly Value[]])[] = [
    ['Replace', [million, 'a', million]],
    ['Join', [given(Array.from({ length: 2000 }, () => million)), ',']],
    ['Join', [given(Array.from({ length: 2000 }, () => '')), million]],
    ['PadLeft', ['', 900_000]],
    ['RandomString', [1e15]],
    ['Split', [million, 'a']],
    ['ToUpper', [million]],
    ['Base64Encode', [million]],
  ]
  for (const [name, args] of tooLarge) {
    it(`${name} counts before it makes them`, () => {
      fails('JM5910', () => run(named(name), args, testContext({ mostBytes: 1_000_000 })))
    })
  }

  it('are refused at the limit of JavaScript if the run has no limit of memory', () => {
    fails('JM5910', () => run(named('Replace'), [million, 'a', million], testContext()))
    fails('JM5910', () => run(named('RandomString'), [1e15], testContext()))
  })

  it('count the bytes of the result once', () => {
    const context = testContext()
    run(named('PadLeft'), ['', 1000], context)
    assert.equal(context.bytes, 2024)
  })
})

describe('work of text functions', () => {
  it('grows with the texts', () => {
    const long = 'ab'.repeat(500_000)
    for (const [name, ...args] of [
      ['Contains', long, 'x'],
      ['Replace', long, 'x', ''],
      ['Split', long, 'x'],
      ['Trim', long],
      ['ToNumber', long],
      ['ToLower', long],
      ['Base64Decode', long],
    ] as const) {
      const context = testContext()
      run(named(name), [...args], context)
      assert.ok(context.units >= 10_000, `${name} counted ${context.units}`)
    }
  })

  it('of Contains in an array grows with its elements', () => {
    const context = testContext({ mostUnits: 1000 })
    const array = given(Array.from({ length: 2000 }, () => 1))
    fails('JM5903', () => run(named('Contains'), [array, 2], context))
  })
})
