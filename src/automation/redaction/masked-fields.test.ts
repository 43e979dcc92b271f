import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { request } from '../testing/open-runs.ts'
import { hideFields, hideFieldsIn } from './hide-credentials.ts'
import { createMaskedFields } from './masked-fields.ts'
import { createRedaction } from './redaction.ts'

describe('declared fields', () => {
  const cases: readonly [what: string, fields: readonly string[], body: string, masked: string][] = [
    [
      'by name at any depth',
      ['passport'],
      '{"a":[{"Passport": "X1"}]}',
      '{"a":[{"Passport": "[redacted]"}]}',
    ],
    [
      'with any value',
      ['id'],
      '{"id":7,"b":1.50,"c":{"id":[1,{"x":2}]}}',
      '{"id":"[redacted]","b":1.50,"c":{"id":"[redacted]"}}',
    ],
    ['but not without one', ['id'], '{"id":null}', '{"id":null}'],
    [
      'by path',
      ['$.a[*].b'],
      '{"a":[{"b":1,"c":2},{"b":3}],"b":4}',
      '{"a":[{"b":"[redacted]","c":2},{"b":"[redacted]"}],"b":4}',
    ],
    ['by place', ['$[1].b'], '[{"b":1},{"b":2}]', '[{"b":1},{"b":"[redacted]"}]'],
    [
      'with escapes in their name',
      ['größe'],
      '{"gr\\u00f6\\u00dfe":"M"}',
      '{"gr\\u00f6\\u00dfe":"[redacted]"}',
    ],
    [
      'in JSON that a string holds, at any depth',
      ['p', '$.q'],
      JSON.stringify({ a: JSON.stringify({ p: 'X1', b: '[{"p":7}]', n: 1.5 }), t: '{"c":"\n"}' }),
      JSON.stringify({
        a: JSON.stringify({ p: '[redacted]', b: '[{"p":"[redacted]"}]', n: 1.5 }),
        t: '{"c":"\n"}',
      }),
    ],
    ['in JSON that was cut', ['p'], '{"a":1,"p":"secre', '{"a":1,"p":"[redacted]"'],
    ['in a container that was cut', ['p'], '{"p":{"x":[1,2', '{"p":"[redacted]"'],
  ]
  for (const [what, fields, body, masked] of cases) {
    it(`are masked ${what}`, () => assert.equal(createMaskedFields(fields).json(body), masked))
  }

  it('are masked in parameters, headers, forms and texts', () => {
    const redaction = createRedaction([], { maskedFields: ['passport'] })
    assert.equal(redaction.queryString('?a=1&Passport=X1'), '?a=1&Passport=[redacted]')
    assert.deepEqual(redaction.headers({ passport: 'X1', other: 'X1' }), {
      passport: '[redacted]',
      other: 'X1',
    })
    assert.equal(redaction.body('passport=X1&b=2', 'form'), 'passport=[redacted]&b=2')
    assert.equal(
      redaction.body('a[passport]=X1&b.passport=X1', 'form'),
      'a[passport]=[redacted]&b.passport=[redacted]',
    )
    assert.equal(
      new URLSearchParams(redaction.body('payload=%7B%22passport%22%3A%22X1%22%7D&b=2', 'form')).get(
        'payload',
      ),
      '{"passport":"[redacted]"}',
    )
    for (const [text, masked] of [
      ['passport=X1, b=2', 'passport=[redacted], b=2'],
      ['passport: X1', 'passport: [redacted]'],
      ['{"passport": "X 1"}', '{"passport": "[redacted]"}'],
      ['{\\"passport\\":\\"X1\\"}', '{\\"passport\\":\\"[redacted]\\"}'],
      ['mypassport=X1', 'mypassport=X1'],
      [
        '<ns:passport type="a">X 1</ns:passport><b>X 1</b>',
        '<ns:passport type="a">[redacted]</ns:passport><b>X 1</b>',
      ],
    ] as const) {
      assert.equal(redaction.text(text), masked)
    }
  })

  it('are masked by their value wherever else it occurs, of request and response', () => {
    const redaction = createRedaction([], { maskedFields: ['passport', '$.traveller.born'] })
    const sent = {
      ...{ params: { passport: 'PARAM-1' }, query: { passport: ['QUERY-1', 'QUERY-2'] } },
      rawBody: '{"passport":"C01X00T47","traveller":{"born":"1980-02-03","n":"abc"}}',
    }
    hideFields({ ...request, ...sent }, redaction)
    hideFieldsIn('[{"passport":"P-FROM-ANSWER"}]', redaction)
    const line = 'C01X00T47 1980-02-03 PARAM-1 QUERY-1 QUERY-2 P-FROM-ANSWER abc'
    assert.equal(redaction.text(line), `${'[redacted] '.repeat(6)}abc`)
  })

  const HIDDEN = '[redacted], vegan, true, name'
  for (const [what, fields, sent, shown] of [
    [
      'every value of an object',
      ['person'],
      '{"person":{"name":"Ada Lovelace","ok":true,"tags":["vegan"]}}',
      '[redacted], [redacted], true, name',
    ],
    [
      'a value in JSON that a string holds',
      ['name'],
      JSON.stringify({ body: '{"name":"Ada Lovelace","x":"vegan"}' }),
      HIDDEN,
    ],
    ['a value in a text', ['name'], 'name="Ada Lovelace"; tag=vegan', HIDDEN],
    ['a value in XML', ['name'], '<a><name>Ada Lovelace</name></a>', HIDDEN],
    ['no word that says nothing', ['ok'], '{"ok":true}', 'Ada Lovelace, vegan, true, name'],
  ] as const) {
    it(`hide ${what} elsewhere`, () => {
      const redaction = createRedaction([], { maskedFields: fields })
      hideFields({ ...request, rawBody: sent }, redaction)
      assert.equal(redaction.text('Ada Lovelace, vegan, true, name'), shown)
    })
  }

  it('leave no value of a field in any JSON, and every other member as it was', () => {
    const name = fc.constantFrom('passport', 'a', 'b', 'größe')
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>('plain', 'x"\\y', 1.5, true, null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
      ),
    }))
    const masked = (given: unknown): unknown => {
      if (Array.isArray(given)) return given.map(masked)
      if (typeof given !== 'object' || given === null) return given
      return Object.fromEntries(
        Object.entries(given).map(([key, member]) => [
          key,
          key === 'passport' && member !== null ? '[redacted]' : masked(member),
        ]),
      )
    }
    const fields = createMaskedFields(['Passport'])
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2), (given, indent) => {
        assert.deepEqual(JSON.parse(fields.json(JSON.stringify(given, null, indent))), masked(given))
      }),
      { numRuns: 300 },
    )
  })
})
