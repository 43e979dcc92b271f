import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fixtures/any-character.ts'
import { QueryProblem } from '../../kernel/problem.ts'
import { readParameters } from './query-parameters.ts'

describe('readParameters', () => {
  const readings: readonly (readonly [
    address: string,
    parameters: readonly (readonly [string, string])[],
  ])[] = [
    ['/a', []],
    ['/a?', []],
    ['/a?&&', []],
    ['/a?x', [['x', '']]],
    ['/a?x=', [['x', '']]],
    ['/a?=1', [['', '1']]],
    ['/a?x=1=2', [['x', '1=2']]],
    ['/a?x=1?y=2', [['x', '1?y=2']]],
    ['/a?%24filter=a+eq%201', [['$filter', 'a eq 1']]],
    ['/a?x=%2B+%26%3D', [['x', '+ &=']]],
    ['/a?x=%E2%82%AC', [['x', '€']]],
    ['/a?x=1;y=2', [['x', '1;y=2']]],
    [
      '/a?b=1&a=2&b=3',
      [
        ['b', '1'],
        ['a', '2'],
        ['b', '3'],
      ],
    ],
  ]
  for (const [address, parameters] of readings) {
    it(`reads ${address}`, () => assert.deepEqual(readParameters(address), parameters))
  }

  const refusals: readonly (readonly [address: string, parameter: string, column: number, input: string])[] =
    [
      ['/a?$filter=x%', '$filter', 1, 'x%'],
      ['/a?FILTER=%2', '$filter', 0, '%2'],
      ['/a?FORMAT=%ff', '$format', 0, '%ff'],
      ['/a?%24pagesize=1%zz', '$pageSize', 1, '1%zz'],
      ['/a?x=ok&orderby=ab%C3%28cd', '$orderby', 2, 'ab%C3%28cd'],
      ['/a?x=%20%ED%A0%80', 'x', 0, '%20%ED%A0%80'],
      ['/a?%ff=1', '%ff', 0, '%ff'],
    ]
  for (const [address, parameter, column, input] of refusals) {
    it(`refuses ${address}, naming ${parameter}`, () => {
      assert.throws(
        () => readParameters(address),
        (problem) => {
          assert.ok(problem instanceof QueryProblem)
          assert.deepEqual([problem.parameter, problem.column, problem.input], [parameter, column, input])
          return true
        },
      )
    })
  }

  it('returns any pairs that were encoded', () => {
    const text = fc.string({ unit: anyCharacter })
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
        const query = new URLSearchParams(pairs.filter(([name, value]) => name + value !== ''))
        assert.deepEqual(readParameters(`/a?${query}`), [...query])
      }),
    )
  })

  it('reads or refuses an address of any bytes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 0x21, max: 0xff }).map((byte) => String.fromCharCode(byte)) }),
        (query) => {
          try {
            readParameters(`/a?${query}`)
          } catch (problem) {
            assert.ok(problem instanceof QueryProblem)
          }
        },
      ),
    )
  })
})
