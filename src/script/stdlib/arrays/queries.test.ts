import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { caller, entries, fails, given, lambdaOf, plainOf, testContext } from '../../testing/context.ts'
import { ScriptArray, ScriptObject } from '../../values/value.ts'
import { queryFunctions } from './queries.ts'

const call = caller(queryFunctions)
const f = lambdaOf((x) => x)
const nan = Number.NaN
const plain = (value: unknown): unknown => plainOf(given(value))
const byField = ['AnyByField', 'AllByField', 'FindByField', 'WhereByField', 'CountIf']

describe('the list of query functions', () => {
  it('has all of the reference, with its parameters', () => {
    const condition = ['array', 'fieldName', 'operator', 'value']
    assert.deepEqual(
      queryFunctions.map(({ name, parameters }) => [name, parameters.map((parameter) => parameter.name)]),
      [
        ...byField.map((name) => [name, condition]),
        ['Select', ['array', 'fieldName']],
        ['Project', ['array', 'fields']],
        ['Omit', ['array', 'fields']],
      ],
    )
    assert.ok(queryFunctions.every(({ parameters }) => parameters.every(({ optional }) => !optional)))
  })
})

describe('a condition on a field', () => {
  const holds = (value: unknown, operator: string, wanted: unknown): unknown =>
    call('AnyByField', [[{ v: value }], 'v', operator, wanted], testContext())

  const operators = ['==', '!=', '<', '<=', '>', '>='] as const
  /** For which of the operators, in the order above, the condition holds. */
  const ordered: readonly (readonly [value: unknown, wanted: unknown, string])[] = [
    [1, 2, ' != < <='],
    [2, 2, '== <= >='],
    [3, 2, ' != > >='],
    ['a', 'b', '!= < <='],
    ['b', 'b', '== <= >='],
    ['a', 'B', '!= > >='],
    ['10', '9', '!= < <='],
    [false, true, '!= < <='],
    [true, true, '== <= >='],
    [true, false, '!= > >='],
    [nan, 1, '!= < <='],
    [1, nan, '!= > >='],
    [nan, nan, '!= <= >='],
    [-0, 0, '== <= >='],
  ]
  for (const [value, wanted, which] of ordered) {
    it(`compares ${String(value)} with ${String(wanted)} by ${which.trim()}`, () => {
      const holding = operators.filter((operator) => holds(value, operator, wanted))
      assert.deepEqual(holding, which.trim().split(' '))
    })
  }

  const equality: readonly (readonly [value: unknown, wanted: unknown, boolean])[] = [
    [1, '1', false],
    [true, 1, false],
    ['null', null, false],
    [[1, { a: 2 }], [1, { a: 2 }], true],
    [[1], [2], false],
    [[null], [null], false],
    [f, f, true],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, false],
  ]
  for (const [value, wanted, equal] of equality) {
    it(`treats ${JSON.stringify(value)} and ${JSON.stringify(wanted)} as ${equal ? 'equal' : 'different'}`, () => {
      assert.equal(holds(value, '==', wanted), equal)
      assert.equal(holds(value, '!=', wanted), !equal)
    })
  }

  for (const field of [null, undefined]) {
    it(`holds for a ${field === null ? 'null' : 'missing'} field only if another value is excluded`, () => {
      const rows = [field === undefined ? {} : { v: null }]
      const context = testContext()
      const count = (operator: string, wanted: unknown): unknown =>
        call('CountIf', [rows, 'v', operator, wanted], context)
      assert.equal(count('!=', 1), 1)
      assert.equal(count('!=', null), 0)
      assert.equal(count('==', null), 0)
      assert.equal(count('==', 1), 0)
      for (const operator of ['<', '<=', '>', '>=', '~', '']) {
        assert.equal(count(operator, 1), 0)
        assert.equal(count(operator, null), 0)
      }
    })
  }

  for (const [value, wanted] of [
    [1, '1'],
    ['1', 1],
    [1, null],
    [true, 1],
    [[1], [1]],
    [{}, {}],
    [f, f],
  ]) {
    it(`has no order of ${JSON.stringify(value)} and ${JSON.stringify(wanted)}`, () => {
      for (const operator of ['<', '<=', '>', '>=']) fails('JM5905', () => holds(value, operator, wanted))
    })
  }

  it('compares a number with a numeric text as numbers in the service dialect', () => {
    const service = testContext({ readsNumericText: true })
    const meets = (value: unknown, operator: string, wanted: unknown): unknown =>
      call('AnyByField', [[{ v: value }], 'v', operator, wanted], service)
    assert.deepEqual([meets(1, '==', '1.0'), meets('1', '!=', 1), meets(1, '==', 'a')], [true, false, false])
    assert.deepEqual([meets('9', '<', 10), meets(10, '<=', '9'), meets(2, '>', ' 1')], [true, false, true])
    assert.equal(meets('9', '<', '10'), false)
    for (const text of ['', 'ten', '1,5']) fails('JM5905', () => meets(1, '<', text))
  })

  for (const operator of ['=', '===', '<>', '', 'eq', ' ==', 'null']) {
    it(`has no operator '${operator}'`, () => {
      fails('JM5906', () => holds(1, operator, 1))
      fails('JM5906', () => holds(1, operator, '1'))
    })
  }
})

describe('functions of a condition', () => {
  const one = { deep: { n: 1 } }
  const two = { deep: { n: 2 } }
  const three = { deep: { n: 3 } }
  const objects = [one, two, three]
  const mixed = [null, 'text', one, [two], 5, two, three]
  const at = (name: string, items: readonly unknown[], operator: string, wanted: unknown): unknown =>
    call(name, [items, 'deep.n', operator, wanted])

  const table: readonly (readonly [string, readonly unknown[], string, unknown, unknown])[] = [
    ['AnyByField', [], '==', 1, false],
    ['AnyByField', mixed, '==', 3, true],
    ['AnyByField', mixed, '>', 3, false],
    ['AnyByField', [null, 'text'], '!=', 3, false],
    ['AllByField', [], '==', 1, true],
    ['AllByField', objects, '>=', 1, true],
    ['AllByField', objects, '>', 1, false],
    ['AllByField', mixed, '>=', 1, false],
    ['FindByField', [], '==', 1, null],
    ['FindByField', mixed, '>', 1, two],
    ['FindByField', mixed, '>', 9, null],
    ['WhereByField', [], '==', 1, []],
    ['WhereByField', mixed, '>', 1, [two, three]],
    ['WhereByField', mixed, '==', null, []],
    ['WhereByField', [{}, ...objects], '!=', 2, [{}, one, three]],
    ['CountIf', [], '==', 1, 0],
    ['CountIf', mixed, '<', 3, 2],
    ['CountIf', [null, 1, 'x', []], '!=', 3, 0],
  ]
  for (const [name, items, operator, wanted, expected] of table) {
    it(`${name} of ${items.length} for ${operator} ${wanted} is ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(at(name, items, operator, wanted), plain(expected))
    })
  }

  it('stops once the result is known', () => {
    const rows = [{ n: 1 }, { n: 'no number' }]
    assert.equal(call('AnyByField', [rows, 'n', '<', 2]), true)
    assert.equal(call('AllByField', [rows, 'n', '>', 2]), false)
    assert.deepEqual(call('FindByField', [rows, 'n', '<', 2]), plain({ n: 1 }))
    fails('JM5905', () => call('CountIf', [rows, 'n', '<', 2]))
    fails('JM5905', () => call('WhereByField', [rows, 'n', '<', 2]))
  })

  for (const name of byField) {
    it(`${name} counts its work`, () => {
      const rows = Array(100).fill({ n: 1 })
      const operator = name === 'AllByField' ? '==' : '!='
      fails('JM5903', () => call(name, [rows, 'n', operator, 1], testContext({ mostUnits: 90 })))
    })
  }

  it('WhereByField counts the memory of its result', () => {
    const rows = Array(100).fill({ n: 1 })
    fails('JM5910', () => call('WhereByField', [rows, 'n', '==', 1], testContext({ mostBytes: 1000 })))
  })
})

describe('Select', () => {
  const rows = [{ a: 1, b: { c: 2 } }, {}, null, 5, [{ a: 1 }], { a: [null] }]
  for (const [fieldName, expected] of [
    ['a', [1, null, null, null, null, [null]]],
    ['b.c', [2, null, null, null, null, null]],
    ['', [null, null, null, null, null, null]],
  ] as const) {
    it(`returns ${JSON.stringify(expected)} for '${fieldName}'`, () => {
      assert.deepEqual(call('Select', [rows, fieldName]), expected)
    })
  }
  it('counts what it makes', () => {
    fails('JM5910', () => call('Select', [Array(100).fill(1), 'a'], testContext({ mostBytes: 800 })))
    fails('JM5903', () => call('Select', [Array(100).fill(1), 'a'], testContext({ mostUnits: 100 })))
  })
})

describe('Project', () => {
  const row = { a: 1, b: { a: 2, c: 3 }, 'b.c': 4 }
  const table: readonly (readonly [fields: readonly unknown[], expected: unknown])[] = [
    [['a'], entries(['a', 1])],
    [['b.c', 'a'], entries(['c', 3], ['a', 1])],
    [['missing', 'b.missing.x'], entries(['missing', null], ['x', null])],
    [['a', 'b.a'], entries(['a', 2])],
    [['a', 5, null, ['a']], entries(['a', 1])],
    [['b.'], entries(['', null])],
    [[], entries()],
  ]
  for (const [fields, expected] of table) {
    it(`takes ${JSON.stringify(fields)}`, () => {
      assert.deepEqual(call('Project', [[null, row, 'text', [row]], fields]), [expected])
    })
  }
  it('counts what it makes', () => {
    const rows = Array(100).fill({})
    fails('JM5910', () => call('Project', [rows, ['a', 'b']], testContext({ mostBytes: 10_000 })))
    fails('JM5903', () => call('Project', [[], Array(1001).fill(0)], testContext({ mostUnits: 1000 })))
    const fields = Array.from({ length: 1000 }, (_, i) => `f${i}`)
    fails('JM5910', () => call('Project', [rows, fields], testContext({ mostBytes: 1_000_000 })))
  })
})

describe('Omit', () => {
  const row = { a: 1, b: { c: 2 }, 'b.c': 3 }
  const table: readonly (readonly [fields: readonly unknown[], expected: unknown])[] = [
    [['a'], entries(['b', entries(['c', 2])], ['b.c', 3])],
    [['b.c'], entries(['a', 1], ['b', entries(['c', 2])])],
    [['missing', 1, null], plain(row)],
    [[], plain(row)],
    [['a', 'b', 'b.c'], entries()],
  ]
  for (const [fields, expected] of table) {
    it(`leaves out ${JSON.stringify(fields)}`, () => {
      assert.deepEqual(call('Omit', [[null, row, 'text', [row]], fields]), [expected])
    })
  }
  it('copies objects, but not their values', () => {
    const object = given(row) as ScriptObject
    const omit = queryFunctions.find(({ name }) => name === 'Omit')
    assert.ok(omit !== undefined && 'body' in omit)
    const copies = omit.body(testContext(), new ScriptArray([object]) as never, new ScriptArray([]) as never)
    assert.ok(copies instanceof ScriptArray)
    const copy = copies.items[0]
    assert.ok(copy instanceof ScriptObject && copy !== object)
    assert.equal(copy.get('b'), object.get('b'))
  })
  it('counts what it makes, and what it leaves out', () => {
    const rows = Array(100).fill({ a: 1, b: 2 })
    fails('JM5910', () => call('Omit', [rows, []], testContext({ mostBytes: 10_000 })))
    fails('JM5903', () => call('Omit', [rows, ['a', 'b']], testContext({ mostUnits: 250 })))
  })
})
