import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fixtures/any-character.ts'
import { ScriptFailure } from '../failure.ts'
import { caller, entries, fails, given, lambdaOf, plainOf, run, testContext } from '../testing/context.ts'
import { Shape } from '../values/shape.ts'
import { ScriptArray, ScriptObject, type Value } from '../values/value.ts'
import { utilityFunctions } from './utilities.ts'

const call = caller(utilityFunctions)
const f = lambdaOf((x) => x)

const show = (value: unknown): string =>
  JSON.stringify(value, (_, inner) => (inner === f ? '<lambda>' : inner)) ?? 'nothing'

describe('the list of utility functions', () => {
  it('has the functions of the reference, with their parameters', () => {
    const letters = { text: 'S', number: 'N', array: 'A', object: 'O', function: 'F', any: '*' }
    assert.deepEqual(
      utilityFunctions.map(({ name, parameters }) => {
        const written = parameters.map((p) => `${p.name}${p.optional ? '?' : ''} ${letters[p.kind]}`)
        return `${name}(${written.join(', ')})`
      }),
      [
        'TypeOf(value *)',
        'ToString(value *)',
        'ToBoolean(value *)',
        'Coalesce(value A)',
        'Keys(value O)',
        'Values(value O)',
        'HasProperty(left O, right S)',
        'Merge(value A)',
        'Clone(value *)',
        'Diff(left O, right O)',
        'ToJson(value *)',
        'FromJson(value S)',
        'Sleep(ms N)',
      ],
    )
  })
})

describe('utility functions', () => {
  const unordered = objectOf(['b', 1], ['1', null], ['a', 2])
  const rows: readonly (readonly [name: string, args: readonly unknown[], expected: unknown])[] = [
    ['TypeOf', [null], 'null'],
    ['TypeOf', [false], 'boolean'],
    ['TypeOf', [0], 'number'],
    ['TypeOf', [''], 'string'],
    ['TypeOf', [[]], 'array'],
    ['TypeOf', [{}], 'object'],
    ['TypeOf', [f], 'unknown'],
    ['ToString', [null], 'null'],
    ['ToString', [true], 'true'],
    ['ToString', [1e17], '1E+17'],
    ['ToString', [0.00002], '2E-05'],
    ['ToString', ['a'], 'a'],
    ['ToString', [[1, 'x', { a: null }]], '[1, x, {a: null}]'],
    ['ToString', [f], '<function>'],
    ['ToBoolean', [null], false],
    ['ToBoolean', [false], false],
    ['ToBoolean', [0], false],
    ['ToBoolean', [-0], false],
    ['ToBoolean', [''], false],
    ['ToBoolean', [Number.NaN], true],
    ['ToBoolean', ['false'], true],
    ['ToBoolean', ['0'], true],
    ['ToBoolean', [[]], true],
    ['ToBoolean', [{}], true],
    ['ToBoolean', [f], true],
    ['Coalesce', [[null, 0, 1]], 0],
    ['Coalesce', [[null, '']], ''],
    ['Coalesce', [[null, null]], null],
    ['Coalesce', [[]], null],
    ['Keys', [unordered], ['b', '1', 'a']],
    ['Keys', [{}], []],
    ['Values', [unordered], [1, null, 2]],
    ['Values', [{}], []],
    ['HasProperty', [{ a: null }, 'a'], true],
    ['HasProperty', [{ a: { b: 1 } }, 'a.b'], false],
    ['HasProperty', [{ 'a.b': 1 }, 'a.b'], true],
    ['HasProperty', [{}, 'toString'], false],
    ['HasProperty', [{}, '__proto__'], false],
    ['Merge', [[{ a: 1, b: 2 }, null, 5, 'x', [], { c: 3, a: 4 }]], entries(['a', 4], ['b', 2], ['c', 3])],
    ['Merge', [[]], entries()],
    ['Merge', [[{ a: 1 }, { a: null }]], entries(['a', null])],
    ['Clone', ['a'], 'a'],
    ['Clone', [null], null],
    ['Clone', [[1, { a: [2] }]], [1, entries(['a', [2]])]],
    ['Diff', [{}, {}], difference([], [], [])],
    [
      'Diff',
      [
        { a: 1, b: 2 },
        { b: 2, c: 3 },
      ],
      difference([['c', 3]], [['a', 1]], []),
    ],
    ['Diff', [{ a: 1 }, { a: '1' }], difference([], [], [['a', change(1, '1')]])],
    ['Diff', [{ a: null }, { a: null }], difference([], [], [])],
    ['Diff', [{ a: null }, { a: 0 }], difference([], [], [['a', change(null, 0)]])],
    ['Diff', [{ a: null }, {}], difference([], [['a', null]], [])],
    ['Diff', [{}, { a: null }], difference([['a', null]], [], [])],
    ['Diff', [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }], difference([], [], [])],
    ['Diff', [{ v: [null] }, { v: [null] }], difference([], [], [['v', change([null], [null])]])],
    ['Diff', [{ g: f }, { g: f }], difference([], [], [])],
    [
      'Diff',
      [
        { d: 1, a: 1, c: 1, e: 1 },
        { y: 1, a: 2, d: 2, x: 1 },
      ],
      difference(
        [
          ['y', 1],
          ['x', 1],
        ],
        [
          ['c', 1],
          ['e', 1],
        ],
        [
          ['d', change(1, 2)],
          ['a', change(1, 2)],
        ],
      ),
    ],
    ['ToJson', ['é<'], '"\\u00E9\\u003C"'],
    ['ToJson', [1e17], '100000000000000000'],
    ['ToJson', [{ b: [1, null, true], a: "it's" }], '{"b":[1,null,true],"a":"it\\u0027s"}'],
    ['ToJson', [f], '"\\u003Cfunction\\u003E"'],
    ['FromJson', ['{"b":[1,null],"1":"x"}'], entries(['b', [1, null]], ['1', 'x'])],
    ['FromJson', ['null'], null],
    ['FromJson', ['{bad'], null],
    ['FromJson', ['{"a":1,}'], null],
    ['FromJson', ['// 1'], null],
    ['FromJson', [''], null],
    ['FromJson', ['['.repeat(64) + ']'.repeat(64)], nested(64)],
    ['FromJson', ['['.repeat(65) + ']'.repeat(65)], null],
  ]
  for (const [name, args, expected] of rows) {
    it(`${name}(${args.map(show).join(', ').slice(0, 100)}) is ${show(expected).slice(0, 100)}`, () => {
      assert.deepEqual(call(name, args), expected)
    })
  }

  it('lists keys and values where a new key took the place of a deleted one', () => {
    const object = objectOf(['a', 1], ['b', 2], ['c', 3])
    object.delete('b')
    assert.deepEqual(call('Keys', [object]), ['a', 'c'])
    assert.deepEqual(call('Values', [object]), [1, 3])
    object.set('d', 4)
    assert.deepEqual(call('Keys', [object]), ['a', 'd', 'c'])
    assert.deepEqual(call('Values', [object]), [1, 4, 3])
  })

  it('merges into a new object and shares the values', () => {
    const shared = given([1])
    const first = objectOf(['a', shared])
    const merged = run(nativeOf('Merge'), [given([first, { b: 1 }])], testContext())
    assert.ok(merged instanceof ScriptObject)
    assert.equal(merged.get('a'), shared)
    assert.equal(first.size, 1)
  })

  it('clones arrays and objects and shares functions', () => {
    const inner = given([f])
    const object = objectOf(['__proto__', inner], ['1', 2])
    const copy = run(nativeOf('Clone'), [object], testContext())
    assert.deepEqual(plainOf(copy), plainOf(object))
    assert.ok(copy instanceof ScriptObject && copy !== object)
    const copied = copy.get('__proto__')
    assert.ok(copied instanceof ScriptArray && copied !== inner)
    assert.equal(copied.items[0], f)
  })

  it('refuses values that contain themselves', () => {
    const cycle = new ScriptArray([])
    cycle.items.push(objectOf(['self', cycle]))
    for (const name of ['ToString', 'Clone', 'ToJson']) fails('JM5002', () => call(name, [cycle]))
    fails('JM5002', () => call('Diff', [{ a: cycle }, { a: cycle }]))
  })

  it('refuses numbers that JSON cannot express', () => {
    for (const number of [Number.NaN, Infinity]) fails('JM5002', () => call('ToJson', [[number]]))
  })

  it('counts memory and work before they are spent', () => {
    let bomb: Value = given([])
    for (let i = 0; i < 60; i++) bomb = new ScriptArray([bomb, bomb])
    for (const name of ['Clone', 'ToJson']) {
      fails('JM5910', () => call(name, [bomb], testContext({ mostBytes: 100_000 })))
    }
    for (const name of ['ToString', 'Clone']) {
      fails('JM5903', () => call(name, [bomb], testContext({ mostUnits: 10_000 })))
    }
    const many = new ScriptArray(new Array(100_000).fill(null))
    const wide = objectOf(...Array.from({ length: 1000 }, (_, i) => [`k${i}`, i] as const))
    const rows: readonly (readonly [name: string, args: readonly Value[], most: number])[] = [
      ['Coalesce', [many], 5000],
      ['ToJson', [many], 5000],
      ['Merge', [many], 50_000],
      ['Merge', [new ScriptArray([wide])], 500],
      ['Keys', [wide], 500],
      ['Values', [wide], 500],
      ['Diff', [wide, wide], 500],
      ['FromJson', [`[${'1,'.repeat(10_000)}1]`], 5000],
    ]
    for (const [name, args, mostUnits] of rows) {
      fails('JM5903', () => call(name, args, testContext({ mostUnits })))
    }
    const bytes = (name: string, ...args: unknown[]) => {
      const context = testContext()
      call(name, args, context)
      return context.bytes
    }
    assert.equal(bytes('Keys', { a: 1, b: 2 }), 48 + 2 * 16)
    assert.equal(bytes('ToJson', 'ab'), 24 + 2 * 4)
    assert.equal(bytes('FromJson', '{"a":[]}'), 64 + 16 + 48)
  })

  it('reads its own JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: anyCharacter }), (plain) => {
        const value = given(JSON.parse(JSON.stringify(plain)))
        const json = call('ToJson', [value])
        assert.deepEqual(call('FromJson', [json]), plainOf(value))
      }),
    )
  })
})

describe('Sleep', () => {
  const sleep = (ms: number) => {
    const native = nativeOf('Sleep')
    assert.ok('waits' in native)
    return native.waits(testContext(), ms as never)
  }

  it('returns null after waiting', async () => {
    // The timer of Sleep itself does not keep the process alive.
    const alive = setInterval(() => {}, 1000)
    try {
      assert.equal(await sleep(0), null)
      assert.equal(await sleep(1), null)
    } finally {
      clearInterval(alive)
    }
  })

  it('waits for the given time, up to the longest that a timer supports', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    for (const [ms, waited] of [
      [250, 250],
      [2 ** 40, 2 ** 31 - 1],
    ] as const) {
      let answered = false
      const answer = sleep(ms).then(() => (answered = true))
      mock.timers.tick(waited - 1)
      await Promise.resolve()
      assert.equal(answered, false)
      mock.timers.tick(1)
      await answer
    }
  })

  for (const ms of [-1, 0.5, Number.NaN, Infinity]) {
    it(`refuses ${ms}`, async () => {
      await assert.rejects(
        sleep(ms),
        (failure) => failure instanceof ScriptFailure && failure.code === 'JM5907',
      )
    })
  }
})

function nativeOf(name: string) {
  const native = utilityFunctions.find((candidate) => candidate.name === name)
  assert.ok(native !== undefined)
  return native
}

function objectOf(...pairs: readonly (readonly [key: string, value: Value])[]): ScriptObject {
  const object = new ScriptObject(Shape.root(), [])
  for (const [key, value] of pairs) object.set(key, value)
  return object
}

type Pairs = readonly (readonly [key: string, value: unknown])[]

function difference(added: Pairs, removed: Pairs, changed: Pairs): unknown {
  return entries(
    ['added', entries(...added)],
    ['removed', entries(...removed)],
    ['changed', entries(...changed)],
  )
}

function change(from: unknown, to: unknown): unknown {
  return entries(['from', from], ['to', to])
}

function nested(levels: number): unknown {
  let value: unknown = []
  for (let i = 1; i < levels; i++) value = [value]
  return value
}
