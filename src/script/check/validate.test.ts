import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ScriptProblem } from '../script-problem.ts'
import { type Dialect, dialects, type Expression, type Script } from '../syntax/ast.ts'
import { parsed, placed } from '../testing/check-script.ts'
import { validate } from './validate.ts'

const problemsOf = (text: string, dialect: Dialect): readonly ScriptProblem[] =>
  validate(parsed(text, dialect), dialect)

const messagesOf = (text: string): readonly string[] =>
  problemsOf(text, 'strict').map(({ message }) => message)

type Row = readonly [text: string, ...problems: readonly string[]]

function expectPlaces(rows: readonly Row[], only: readonly Dialect[] = dialects): void {
  for (const [text, ...expected] of rows) {
    for (const dialect of only) {
      it(`${text.replaceAll('\n', ' ⏎ ')} (${dialect}): ${expected.join(', ') || 'fine'}`, () => {
        assert.deepEqual(placed(text, problemsOf(text, dialect)), expected)
      })
    }
  }
}

describe('validate: names', () => {
  expectPlaces([
    ['Data.r = a', 'JM3100 1:10'],
    ['a = 1', 'JM3100 1:1'],
    ['a.b = 1', 'JM3100 1:1'],
    ['a += b', 'JM3100 1:1', 'JM3100 1:6'],
    ['a++', 'JM3100 1:1'],
    ['var a = 1\na = 2\nData.r = a'],
    ['Data.r = a\nvar a = 1', 'JM3100 1:10'],
    ['Data.r = Data.a.b[Data.c]'],
    ['Data.r = Data.x[i]', 'JM3100 1:17'],
    [
      'Data.r = [a, {k: b}, c ? d : e]',
      'JM3100 1:11',
      'JM3100 1:18',
      'JM3100 1:22',
      'JM3100 1:26',
      'JM3100 1:30',
    ],
    ['Data.r = -a is null', 'JM3100 1:11'],
    ['Data.r = F(a, G(b))', 'JM3100 1:12', 'JM3100 1:17'],
    ['Data.r = F(x: a)', 'JM3100 1:15'],
    ['Data.r = F(1)'],
    ['exit a', 'JM3100 1:6'],
    ['fail a', 'JM3100 1:6'],
    // The compiler refuses these, with JM5001.
    ['Data = 1'],
    ['Data += 1'],
    ['Data++'],
    ['5++'],
    ['F()++'],
  ])
  expectPlaces([['return a', 'JM3100 1:8']], ['service'])
  expectPlaces([['Data.r = a.trim(b)', 'JM3100 1:10', 'JM3100 1:17']], ['service'])
})

describe('validate: declaring twice', () => {
  expectPlaces([
    ['var a = 1\nvar a = 2', 'JM3101 2:5'],
    ['var a = 1\nif a then var a = 2 end'],
    ['var a = 1 if a then var b = 1 else var b = 2 end'],
    ['if true then var b = 1 elseif true then var b = 2 end'],
    ['for i in 1 to 2 do var i = 1 end', 'JM3101 1:24'],
    ['foreach i in [] do var i = 1 end', 'JM3101 1:24'],
    ['foreach i in [] do if i then var i = 1 end end'],
    ['var i = 1 for i in 1 to 2 do end'],
    ['func f(p) var p = 1 end', 'JM3101 1:15'],
    ['func f(p) if p then var p = 1 end end'],
    ['union U A(n) end match 1 do case A(n) then var n = 1 end', 'JM3101 1:48'],
    ['func f() end func f() end', 'JM3101 1:19'],
    ['func f() end\nfunc f() end\nfunc f() end', 'JM3101 2:6', 'JM3101 3:6'],
    ['func Data() end', 'JM3101 1:6'],
    ['func f() end func F() end'],
    ['var f = 1 func f() end'],
    ['var Data = 1 Data.x = 2'],
    ['foreach Data in [1] do Data.x = 2 end'],
    ['var g = Data => Data.x'],
    ['var Data = 1 var Data = 2', 'JM3101 1:18'],
  ])
})

describe('validate: scopes', () => {
  expectPlaces([
    ['if true then var a = 1 end Data.r = a', 'JM3100 1:37'],
    ['while true do var a = 1 end Data.r = a', 'JM3100 1:38'],
    ['for i in 1 to 2 do end Data.r = i', 'JM3100 1:33'],
    ['foreach i in [] do end Data.r = i', 'JM3100 1:33'],
    ['for i in i to i by i do end', 'JM3100 1:10', 'JM3100 1:15', 'JM3100 1:20'],
    ['foreach x in x do end', 'JM3100 1:14'],
    ['var x = [] foreach x in x do Data.r = x end'],
    ['var i = 1 for i in i to 5 do end'],
    [
      'switch 1 do case 1 then var a = 1 case 2 then Data.r = a default then Data.r = a end',
      'JM3100 1:56',
      'JM3100 1:80',
    ],
    ['switch a do case b, c then end', 'JM3100 1:8', 'JM3100 1:18', 'JM3100 1:21'],
    ['union U A(n) B end match 1 do case A(m) then Data.r = m case B then Data.r = m end', 'JM3100 1:78'],
    [
      'union U A(n) B end Data.r = match n do case A(m) then m case B then m end',
      'JM3100 1:35',
      'JM3100 1:69',
    ],
    ['union U A(n, m) end match 1 do case A(n, n) then Data.r = n end'],
    ['union U A(n) end match 1 do case A(n) then n = 2 end'],
    ['var f = x => x + y', 'JM3100 1:18'],
    ['var f = (x, x) => x'],
    ['var f = x => y => x + y + z', 'JM3100 1:27'],
    ['Data.r = [x => x, x]', 'JM3100 1:19'],
    ['var x = 1 var f = () => x++'],
    ['var x = x + 1', 'JM3100 1:9'],
    ['var x = 1 if x then var x = x + 1 end'],
    ['var f = n => f', 'JM3100 1:14'],
    ['while a do end', 'JM3100 1:7'],
    ['if a then elseif b then end', 'JM3100 1:4', 'JM3100 1:18'],
  ])
})

describe('validate: types, deleting, loops', () => {
  expectPlaces([
    ['var a: number', 'JM3300 1:5'],
    ['var a: number = null Data.r = a'],
    ['var a Data.r = a'],
    ['func f() var a: string end', 'JM3300 1:14'],
    ['var a = 1 delete a', 'JM3201 1:11'],
    ['delete Data', 'JM3201 1:1'],
    ['delete F(a)', 'JM3201 1:1', 'JM3100 1:10'],
    ['delete Data.a delete Data["a"] delete (Data.a)'],
    ['delete a.b', 'JM3100 1:8'],
    ['break', 'JM3400 1:1'],
    ['if true then continue end', 'JM3400 1:14'],
    ['while true do if true then break else continue end end'],
    ['for i in 1 to 2 do switch i do case 1 then break end end'],
    ['foreach i in [] do break end continue', 'JM3400 1:30'],
    ['func f() while true do break end break end', 'JM3400 1:34'],
    [
      'union U A end while true do match 1 do case A then break end end match 1 do case A then break end',
      'JM3400 1:89',
    ],
    ['foreach x in null do end', 'JM3402 1:14'],
    ['foreach x in 5 do end', 'JM3402 1:14'],
    ['foreach x in false do end', 'JM3402 1:14'],
    ['foreach x in (true) do end', 'JM3402 1:15'],
    ['foreach x in -5 do end'],
    ['foreach x in "ab" do end'],
    ['foreach x in {} do end'],
    ['var v = false foreach x in v do end'],
  ])
})

describe('validate: functions', () => {
  expectPlaces([
    ['if true then func f() end end', 'JM3500 1:14'],
    ['while true do func f() end end', 'JM3500 1:15'],
    ['func f() func g() end end', 'JM3501 1:10'],
    ['func f() if true then func g() end end end', 'JM3501 1:23'],
    ['if true then func f() a = 1 end end', 'JM3500 1:14', 'JM3100 1:23'],
    ['func f(a, a) end', 'JM3502 1:11'],
    ['func f(a, b, a, b) end', 'JM3502 1:14', 'JM3502 1:17'],
    ['func f(Data) end', 'JM3503 1:8'],
    ['func f() return Data.x end', 'JM3504 1:17'],
    ['func f() Data.x = 1 end', 'JM3504 1:10'],
    ['func f(a) return Map(a, x => Data) end', 'JM3504 1:30'],
    ['func f() var Data = 1 end', 'JM3504 1:14'],
    ['func f(a) foreach Data in a do end end', 'JM3504 1:19'],
    ['func f(a) return Data => 1 end', 'JM3504 1:18'],
    ['func f(a) return a.Data end'],
    ['func f(a) return {Data: a} end'],
    ['func f(a) return Map(Data: a) end'],
    ['func f(a = 1, b) end', 'JM3506 1:15'],
    ['func f(a = 1, b, c = 2, d) end', 'JM3506 1:15', 'JM3506 1:25'],
    ['func f(a = -1) end', 'JM3507 1:8'],
    ['func f(a = []) end', 'JM3507 1:8'],
    ['func f(a = {}) end', 'JM3507 1:8'],
    ['func f(a, b = a) end', 'JM3507 1:11'],
    ['func f(a = (5), b = "x", c = true, d: number = null) end'],
    ['var s = 1 func f() return s end', 'JM3100 1:27'],
    ['func f(a) return a end Data.r = a', 'JM3100 1:33'],
    ['func f(a) a = g(a) return a end func g(b) return f(b) end'],
    ['func f() var a = 1 return x => a + x end'],
    ['func f() if true then return\nend end'],
    ['func f() return 1 end'],
  ])
  expectPlaces(
    [
      ['return', 'JM3505 1:1'],
      ['return 1', 'JM3505 1:1'],
      ['while true do\n  return\nend', 'JM3505 2:3'],
    ],
    ['strict'],
  )
  expectPlaces([['return'], ['return 1'], ['while true do\n  return\nend']], ['service'])
})

describe('validate: unions and matches', () => {
  const union = 'union Shape Circle(r) Box(w, h) Dot end\n'
  const all = 'case Circle(r) then 1 case Box(w, h) then 2 case Dot then 3'
  expectPlaces([
    ['if true then union U A end end', 'JM3600 1:14'],
    ['func f() union U A end end', 'JM3605 1:10'],
    ['func f() if true then union U A end end end', 'JM3600 1:23', 'JM3605 1:23'],
    ['union U A end union V B A end', 'JM3601 1:25'],
    ['union U A end union V A end union W A end', 'JM3601 1:23', 'JM3601 1:37'],
    ['break union U A end union V A end', 'JM3601 1:29', 'JM3400 1:1'],
    // The linker refuses these.
    ['union U A A end'],
    ['union U A end union U B end'],
    ['union U A end func A() end'],
    [`${union}match 1 do ${all} end`],
    [`${union}Data.r = match 1 do ${all} end`],
    [`${union}match 1 do case Dot then end`, 'JM3602 2:1'],
    [`${union}Data.r = match 1 do case Dot then 1 end`, 'JM3602 2:10'],
    [`match 1 do case Dot then end ${union}`, 'JM3602 1:1'],
    [`${union}match 1 do ${all} case Dot then 4 end`, 'JM3603 2:72'],
    [
      `${union}match 1 do case Dot then case Circle(a, b) then case Box then end`,
      'JM3604 2:26',
      'JM3604 2:49',
    ],
    ['match 1 do case A then end', 'JM3606 1:12'],
    ['Data.r = match 1 do case A(n) then n end', 'JM3606 1:21'],
    // Without a known first arm the union of the match is unknown.
    [`${union}match 1 do case A then case Dot then end`, 'JM3606 2:12'],
    [`${union}match 1 do ${all} case A then 4 end`, 'JM3606 2:72'],
    [`${union}union More Line end match 1 do case Line then ${all} end`],
    [`${union}union More Line end match 1 do ${all} case Line then 4 end`],
    [`${union}union More Line end match 1 do case Dot then case Line then end`, 'JM3602 2:21'],
    ['func f(a) match a do case A then break end end union U A B end', 'JM3602 1:11', 'JM3400 1:34'],
  ])
})

describe('validate: messages', () => {
  const rows: readonly (readonly [text: string, message: string])[] = [
    ['Data.r = xyz', "Variable 'xyz' is not declared"],
    ['var total = 1 Data.r = totl', "Variable 'totl' is not declared; did you mean 'total'?"],
    ['whle\ntrue', "Variable 'whle' is not declared; did you mean 'while'?"],
    [
      'var s = 1 func f() return s end',
      "Variable 's' is not declared; functions see only their parameters and their own variables",
    ],
    ['var a var a', "Variable 'a' is already declared in this block"],
    [
      'foreach x in null do end',
      'foreach goes over arrays, objects and texts, not over a value of type Null',
    ],
    ['func f(a, a) end', "Function 'f' declares parameter 'a' twice"],
    ['func f(a = 1, b) end', "Function 'f' requires 'b' after 'a', which is optional"],
    [
      'func f(a = -1) end',
      "Function 'f' has a default for 'a' that is not an unsigned number, a text, true, false or null",
    ],
    ['func f(a = 1, b = 2, c) end', "Function 'f' requires 'c' after 'b', which is optional"],
    ['union U A A B end match 1 do case B then end', "The match misses 1 variant of union 'U': 'A'"],
    ['var i = 1 Data.r = j', "Variable 'j' is not declared"],
    ['union U A end union V A end', "Variant 'A' already belongs to union 'U'"],
    ['union U C B A end match 1 do case B then end', "The match misses 2 variants of union 'U': 'A', 'C'"],
    ['union U A(n) end match 1 do case A then end', "Variant 'A' has 1 field, but the arm binds 0"],
    [
      'union U Circle end match 1 do case Cirle then end',
      "No union has a variant 'Cirle'; did you mean 'Circle'?",
    ],
    ['func fee() return Data end', "Function 'fee' cannot use 'Data'; pass what it needs as an argument"],
    ['continue', "'continue' is outside a loop"],
    ['if 1 then elif 2 end', "Variable 'elif' is not declared; a further branch is 'elseif condition then'"],
  ]
  for (const [text, message] of rows) {
    it(`${text.replaceAll('\n', ' ⏎ ')}: ${message}`, () => assert.deepEqual(messagesOf(text), [message]))
  }
})

it("validate names 'elif' where its 'then' is missing in the service dialect", () => {
  for (const word of ['elif', 'elsif']) {
    const [problem] = problemsOf(`if 1 then\n${word} Data.a == 2\n  Data.b = 1\nend`, 'service')
    assert.equal(
      problem?.message,
      `Variable '${word}' is not declared; a further branch is 'elif condition then'`,
    )
  }
})

describe('validate: hostile scripts', () => {
  const span = { start: 0, end: 0 }
  const scriptOf = (expression: Expression): Script => {
    const body = { statements: [{ kind: 'expression', expression, span } as const], span }
    return { body, span }
  }

  it('reads trees of any depth', () => {
    let chain: Expression = { kind: 'identifier', name: 'deep', span }
    for (let i = 0; i < 200_000; i++) chain = { kind: 'unary', operator: '-', operand: chain, span }
    const problems = validate(scriptOf(chain), 'strict')
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['JM3100'],
    )
  })

  it('reads statements with more parts than calls take arguments', () => {
    const elements = Array.from({ length: 300_000 }, () => ({ kind: 'literal', value: 1, span }) as const)
    assert.deepEqual(validate(scriptOf({ kind: 'array', elements, span }), 'strict'), [])
  })

  it('reports the first thousand problems only', () => {
    const text = 'nobody++\n'.repeat(1500)
    const places = placed(text, problemsOf(text, 'strict'))
    assert.equal(places.length, 1000)
    assert.equal(places.at(-1), 'JM3100 1000:1')
  })

  it('keeps messages about many names short', () => {
    const variants = Array.from({ length: 3000 }, (_, i) => `V${i}`).join(' ')
    const text = `union U ${variants} end ${'match 1 do case V1 then end '.repeat(500)}`
    const problems = problemsOf(text, 'strict')
    assert.equal(problems.length, 500)
    for (const { message } of problems) assert.ok(message.length < 200, message)
    assert.match(problems[0]!.message, /misses 2999 variants of union 'U': 'V0', 'V10', .* and 2987 more$/)
  })

  it('cuts long names in messages', () => {
    const [message] = messagesOf('x'.repeat(100_000))
    assert.ok(message!.length < 200)
  })
})
