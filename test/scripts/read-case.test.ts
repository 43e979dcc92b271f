import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { languageLimits } from '../../src/script/problems.ts'
import { dialects } from '../../src/script/script.ts'
import { readCase } from './read-case.ts'
import { isSameJson, keysOf } from './same-json.ts'

describe('a case of the corpus', () => {
  it('has a title and expectations', () => {
    const lines = [
      'about a',
      'dialect strict',
      'input [1]',
      'limits loops=5',
      'output {}',
      'order',
      'message',
    ]
    const header = [...lines, 'problem JM5004 9:1', 'problem JM5001 -', 'problem JM2000 ?']
    assert.deepEqual(readCase(`${header.map((line) => `#> ${line}`).join('\n')}\nfail ""\n`), {
      about: 'a',
      dialects: ['strict'],
      input: '[1]',
      limits: { ...languageLimits, loops: 5 },
      output: '{}',
      ordered: true,
      problems: [
        { code: 'JM5004', place: '9:1' },
        { code: 'JM5001', place: '-' },
        { code: 'JM2000', place: '?' },
      ],
      message: '',
    })
  })

  it('runs in both dialects, on an empty object and without limits by default', () => {
    const { dialects: both, input, limits, message } = readCase('#> about a\n#> output {}\n')
    assert.deepEqual(
      { both, input, limits, message },
      { both: dialects, input: '{}', limits: null, message: null },
    )
  })

  const refused: readonly (readonly [text: string, why: RegExp])[] = [
    ['#> output {}\n', /what it is about/],
    ['#> about a\nData.a = 1\n', /expects output or a problem/],
    ['#> about a\n#> output {\n', /JSON/],
    ['#> about a\n#> output {}\n#> outputs {}\n', /unknown header line/],
    ['#> about a\n#>output {}\n', /unknown header line/],
    ['#> about a\n#> output {}\n#> output {}\n', /repeated header line/],
    ['#> about a\n#> output {}\nData.a = 1\n#> order\n', /below the header/],
    ['#> about a\n#> problem JM2000 ?\n#> order\n', /order needs an output/],
    ['#> about a\n#> output {}\n#> dialect loose\n', /unknown dialect/],
    ['#> about a\n#> output {}\n#> limits lops=5\n', /unknown limit/],
    ['#> about a\n#> output {}\n#> limits loops=many\n', /unknown limit/],
    ['#> about a\n#> problem JM2000\n', /not a problem/],
    ['#> about a\n#> problem 2000 1:1\n', /not a problem/],
  ]
  for (const [text, why] of refused) {
    it(`is not ${JSON.stringify(text)}`, () => assert.throws(() => readCase(text), why))
  }
})

describe('JSON with the same meaning', () => {
  const rows: readonly (readonly [a: string, b: string, same: boolean])[] = [
    ['{"a":1,"b":[null]}', '{ "b": [null], "a": 1.0 }', true],
    ['0.30000000000000004', '0.3', true],
    ['1e300', '1.00000000000001e300', true],
    ['0', '-0', true],
    ['1', '1.000000001', false],
    ['1', '"1"', false],
    ['{}', '[]', false],
    ['null', '{}', false],
    ['[1]', '[1,1]', false],
    ['{"a":null}', '{"b":null}', false],
    ['{"a":1}', '{"a":1,"__proto__":1}', false],
  ]
  for (const [a, b, same] of rows) {
    it(`${a} ${same ? 'is' : 'is not'} ${b}`, () => assert.equal(isSameJson(a, b), same))
  }

  it('has its keys in an order', () => {
    assert.deepEqual(keysOf('{"b":"c:","1":[{"a\\"" : 1}],"0":"\\"x\\":"}'), ['b', '1', 'a"', '0'])
  })
})
