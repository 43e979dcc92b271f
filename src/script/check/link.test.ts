import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { any, define, type NativeFunction, optional, text } from '../stdlib/definition.ts'
import { type Dialect, dialects, type Expression, type Script } from '../syntax/ast.ts'
import { parsed, placed } from '../testing/check-script.ts'
import { functionTable } from './callables.ts'
import type { CallTarget, ResolvedCall } from './checked-script.ts'
import { type Linked, link } from './link.ts'

const native = (name: string, ...parameters: NativeFunction['parameters']): NativeFunction =>
  define({ name, category: 'Text', returns: 'null', about: 'Nothing.', parameters, body: () => null })

const library = [
  native('Now'),
  native('Trim', text('value')),
  native('Contains', any('text'), any('search')),
  native('Pad', text('text'), any('length'), optional(text('padChar'))),
  native('Pick', any('from'), optional(any('first')), optional(any('last'))),
  native('Odd', optional(any('first')), any('second')),
  native('RegexTest', text('left'), text('right')),
]

const literalChecks = new Map([
  ['RegexTest', (pattern: string) => (pattern === '(' ? 'group without end' : null)],
])

const linked = (script: string, dialect: Dialect = 'service', more: readonly NativeFunction[] = []): Linked =>
  link(parsed(script, dialect), dialect, functionTable(library, more), { literalChecks })

type Row = readonly [text: string, ...problems: readonly string[]]

function expectPlaces(rows: readonly Row[], only: readonly Dialect[] = dialects): void {
  for (const [script, ...expected] of rows) {
    for (const dialect of only) {
      it(`${script.replaceAll('\n', ' ⏎ ')} (${dialect}): ${expected.join(', ') || 'fine'}`, () => {
        assert.deepEqual(placed(script, linked(script, dialect).problems), expected)
      })
    }
  }
}

const union = 'union U Circle(r) Box(w, h) Dot end\n'

describe('link: names', () => {
  expectPlaces([
    ['Nope()', 'JM4100 1:5'],
    ['Data.r = 1 + Nope (1)', 'JM4100 1:19'],
    ['trim("a")', 'JM4100 1:5'],
    ['var f = x => x Data.r = f(1)', 'JM4100 1:26'],
    ['Data.r = [x => Nope(x), {k: Nope()}]', 'JM4100 1:20', 'JM4100 1:33'],
    ['Nope(Nope(1))', 'JM4100 1:5', 'JM4100 1:10'],
    ['while true do if Nope() then Nope() end end', 'JM4100 1:22', 'JM4100 1:34'],
    ['func f() return Nope() end', 'JM4100 1:21'],
    [
      'for i in Nope() to Nope() by Nope() do Nope() end',
      'JM4100 1:14',
      'JM4100 1:24',
      'JM4100 1:34',
      'JM4100 1:44',
    ],
    [
      'switch Nope() do case Nope() then Nope() default then Nope() end',
      'JM4100 1:12',
      'JM4100 1:27',
      'JM4100 1:39',
      'JM4100 1:59',
    ],
    [`${union}match Nope() do case Dot then Nope() end`, 'JM4100 2:11', 'JM4100 2:35'],
    [`${union}Data.r = match Nope() do case Dot then Nope() end`, 'JM4100 2:20', 'JM4100 2:44'],
    ['foreach i in Nope() do delete Data[Nope()] end', 'JM4100 1:18', 'JM4100 1:40'],
    ['if true then Data.x = Nope() else exit Nope() end', 'JM4100 1:27', 'JM4100 1:44'],
    ['Data[Nope()]++', 'JM4100 1:10'],
    ['Data.r = -Nope() is null ? Nope() : Nope()', 'JM4100 1:15', 'JM4100 1:32', 'JM4100 1:41'],
    ['f() func f() end'],
    ['func f() g() end func g() f() end'],
    [`Circle(1)\n${union}`],
  ])
})

describe('link: clashing names', () => {
  expectPlaces([
    ['var a = 1 func Trim(a) end', 'JM4102 1:11'],
    ['func trim(a) end'],
    ['union U A A end', 'JM4101 1:1'],
    ['break union U A B A B end', 'JM4101 1:7', 'JM4101 1:7'],
    ['union U A end union U B end', 'JM4101 1:15'],
    ['union U Trim(a) end', 'JM4300 1:1'],
    ['func A() end union U A end', 'JM4301 1:14'],
    ['union U A end func A() end', 'JM4301 1:1'],
    // Clashing variant names come first.
    ['Nope()\nfunc Trim() end\nunion U Trim end', 'JM4300 3:1', 'JM4301 3:1', 'JM4100 1:5', 'JM4102 2:1'],
  ])
})

describe('link: counts of arguments', () => {
  expectPlaces([
    ['Now()'],
    ['Now(1)', 'JM4201 1:4'],
    ['Trim()', 'JM4200 1:5'],
    ['Trim("a", "b")', 'JM4201 1:5'],
    ['Pad("a")', 'JM4200 1:4'],
    ['Pad("a", 1)'],
    ['Pad("a", 1, "b")'],
    ['Pad("a", 1, "b", 2)', 'JM4201 1:4'],
    ['func f(a, b = 1) end f() f(1) f(1, 2) f(1, 2, 3)', 'JM4200 1:23', 'JM4201 1:40'],
    [`${union}Dot() Circle(1) Box(1, 2)`],
    [`${union}Dot(1) Circle() Box(1)`, 'JM4201 2:4', 'JM4200 2:14', 'JM4200 2:20'],
    ['Trim(Trim())', 'JM4200 1:10'],
  ])
})

describe('link: named arguments', () => {
  expectPlaces([
    ['Pad(text: "a", length: 1)'],
    ['Pad(length: 1, text: "a")'],
    ['Pad(text: "a", text: "b", length: 1)', 'JM4202 1:4'],
    ['Pad(text: "a", Length: 1)', 'JM4203 1:4', 'JM4204 1:4'],
    ['Pad(padChar: "a")', 'JM4204 1:4', 'JM4204 1:4'],
    [
      'Pad(x: 1, x: 2, padChar: 3, padChar: 4)',
      'JM4203 1:4',
      'JM4202 1:4',
      'JM4202 1:4',
      'JM4204 1:4',
      'JM4204 1:4',
    ],
    ['Now(x: 1)', 'JM4203 1:4'],
    ['func f(if1, b = 1) end f(b: 2, if1: 1) f(b: 2)', 'JM4204 1:41'],
    [`${union}Box(h: 1, w: 2) Box(w: 2)`, 'JM4204 2:20'],
    ['union U A(n, n) end A(n: 1)', 'JM4204 1:22'],
  ])
})

describe('link: calls of methods', () => {
  expectPlaces(
    [
      ['Data.s.trim()'],
      ['Data.s.Trim()'],
      ['Data.s.TRIM().tRIM()'],
      ['Data.s.trm()', 'JM4100 1:11'],
      ['Data.s.trim(1)', 'JM4201 1:12'],
      ['Data.s.contains()', 'JM4200 1:16'],
      ['Data.s.now()', 'JM4201 1:11'],
      ['Data.s.now(x: 1)', 'JM4201 1:11'],
      ['Data.s.pad(length: 1)'],
      ['Data.s.pad(text: 1, length: 1)', 'JM4202 1:11'],
      ['Data.s.pad(padChar: 1)', 'JM4204 1:11'],
      ['Nope().trim()', 'JM4100 1:5'],
      ['Data.s.trim().nope()', 'JM4100 1:19'],
      ['func Fee(a) end func FEE(a) end Data.s.fee()', 'JM4100 1:43'],
      ['func Fee(a) end func FEE(a) end Data.s.Fee()'],
      ['func TRIM(a, b) end Data.s.trim()', 'JM4100 1:32'],
      [`${union}(5).circle().dot()`, 'JM4201 2:17'],
      ['Data.l.add(1)'],
      ['Data.l.ADD(1).aDD(2)'],
      ['Data.l.add()', 'JM4100 1:11'],
      ['Data.l.add(1, 2)', 'JM4100 1:11'],
      ['Data.l.add(value: 1)', 'JM4100 1:11'],
      ['func Add(a, b, c) end Data.l.add(1, 2)'],
      ['func Add(a, b, c) end Data.l.add()', 'JM4200 1:33'],
      ['func Add(a, b) end Data.l.add(b: 2)'],
      ['func Add(a, b) end Add(1)', 'JM4200 1:23'],
      ['Add([], 1)', 'JM4100 1:4'],
    ],
    ['service'],
  )
})

const nameOf = (target: CallTarget): string => {
  switch (target.kind) {
    case 'user':
      return `user ${target.declaration.name.text}`
    case 'variant':
      return `variant ${target.variant.name.text}`
    case 'native':
      return `native ${target.native.name}`
    case 'add':
      return `add or ${target.otherwise === null ? 'nothing' : nameOf(target.otherwise)}`
  }
}

describe('link finds the target of each call, with arguments in the order of the parameters', () => {
  const textOf = (script: string, argument: Expression | null) =>
    argument === null ? '-' : script.slice(argument.span.start, argument.span.end)
  const shown = (script: string, { target, args }: ResolvedCall) =>
    [nameOf(target), ...args.map((argument) => textOf(script, argument))].join(' ')

  const rows: readonly (readonly [script: string, ...calls: readonly string[]])[] = [
    ['Trim(1)', 'native Trim 1'],
    ['func f(a, b = 1) end f(1) f(1, 2)', 'user f 1', 'user f 1 2'],
    [`${union}Box(1, 2)`, 'variant Box 1 2'],
    [`${union}Dot()`, 'variant Dot'],
    ['Pad(length: 1, text: 2)', 'native Pad 2 1'],
    ['Pick(from: 1, last: 3)', 'native Pick 1 - 3'],
    ['Odd(second: 2)', 'native Odd - 2'],
    ['Pick(last: 3, from: 1, first: 2)', 'native Pick 1 2 3'],
    ['Pick(from: 1, first: 2)', 'native Pick 1 2'],
    ['func f(a = 1, b = 2, c = 3, d = 4) end f(c: 7)', 'user f - - 7'],
    ['Pad(Trim(1), Trim(2))', 'native Pad Trim(1) Trim(2)', 'native Trim 1', 'native Trim 2'],
    ['Data.s.trim()', 'native Trim Data.s'],
    ['Data.s.pad(padChar: 1, length: 2)', 'native Pad Data.s 2 1'],
    ['Data.s.pick(last: 1)', 'native Pick Data.s - 1'],
    ['func trim(a) end Data.s.trim()', 'user trim Data.s'],
    ['func trim(a) end Data.s.Trim()', 'native Trim Data.s'],
    [`${union}1.0.circle()`, 'variant Circle 1.0'],
    ['Data.l.add(1)', 'add or nothing Data.l 1'],
    ['func Add(a, b) end Data.l.add(1)', 'add or user Add Data.l 1'],
    ['func ADD(a, b) end func Add(a, b) end Data.l.Add(1)', 'add or user Add Data.l 1'],
    ['func ADD(a, b) end func Add(a, b) end Data.l.add(1)', 'add or nothing Data.l 1'],
    ['func add(a, b = 1, c = 2) end Data.l.ADD(1)', 'add or user add Data.l 1'],
    ['func add(a) end Data.l.add(1)', 'add or nothing Data.l 1'],
    ['func add(a, b, c) end Data.l.add(1)', 'add or nothing Data.l 1'],
    ['func add(a, b, c) end Data.l.add(1, 2)', 'user add Data.l 1 2'],
  ]
  for (const [script, ...expected] of rows) {
    it(`${script.replaceAll('\n', ' ⏎ ')}: ${expected.join(', ')}`, () => {
      const { calls, problems } = linked(script)
      assert.deepEqual(problems, [])
      const inOrder = [...calls].toSorted(([a], [b]) => a.span.start - b.span.start)
      assert.deepEqual(
        inOrder.map(([, call]) => shown(script, call)),
        expected,
      )
    })
  }

  it('finds a host function in place of one of the library', () => {
    const host = native('Trim', any('level'), any('message'))
    const { calls, problems } = linked('Trim(1, 2)', 'strict', [host])
    assert.deepEqual(problems, [])
    assert.deepEqual(
      [...calls.values()].map(({ target }) => target),
      [{ kind: 'native', native: { ...host, isOfHost: true } }],
    )
  })

  it('refuses a function with the name of a host function', () => {
    const { problems } = linked('func Send() end', 'strict', [native('Send')])
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['JM4102'],
    )
  })
})

describe('link: literal patterns', () => {
  expectPlaces([
    ['Data.r = RegexTest("a", "(")', 'JM5701 1:25'],
    ['Data.r = RegexTest(right: "(", left: "a")', 'JM5701 1:27'],
    ['Data.r = RegexTest("(", "a")'],
    ['Data.r = RegexTest("a", Data.p)'],
    ['Data.r = RegexTest("a", "(" + ")")'],
    ['Data.r = Contains("a", "(")'],
  ])
  expectPlaces([['Data.r = "a".regexTest("(")', 'JM5701 1:24']], ['service'])

  it('stay unchecked without a check for them', () => {
    const script = parsed('RegexTest("a", "(")', 'strict')
    assert.deepEqual(link(script, 'strict', functionTable(library, [])).problems, [])
  })
})

describe('link: messages', () => {
  const rows: readonly (readonly [script: string, ...messages: readonly string[]])[] = [
    ['Nope()', "Unknown function 'Nope'"],
    ['if 1 then elif (2) end', "Unknown function 'elif'; a further branch is 'elif condition then'"],
    ['trim(1)', "Unknown function 'trim'; did you mean 'Trim'?"],
    ['Data.s.conains(1)', "Unknown function 'conains'; did you mean 'Contains'?"],
    [
      'func Fee(a) end func FEE(a) end 1.0.fee()',
      "No function is named exactly 'fee'; similar names are 'Fee', 'FEE'",
    ],
    ['Now(1)', "Function 'Now' takes 0 arguments, but is given 1"],
    ['Trim()', "Function 'Trim' takes 1 argument, but is given 0"],
    ['Pad(1)', "Function 'Pad' takes 2 to 3 arguments, but is given 1"],
    ['Data.s.trim(1)', "Function 'Trim' takes 1 argument, but is given 2"],
    [
      'Pad(txt: 1)',
      "Argument 'txt' is not a parameter of function 'Pad'; it has 'text', 'length', 'padChar'",
      "Argument 'text' of function 'Pad' is missing",
      "Argument 'length' of function 'Pad' is missing",
    ],
    ['Now(a: 1)', "Argument 'a' is not a parameter of function 'Now'; it has none"],
    ['Trim(value: 1, value: 2)', "Argument 'value' of function 'Trim' is given twice"],
    ['func Trim(a) end', "Function 'Trim' has the name of a built-in function"],
    ['union U Trim(a) end', "Variant 'Trim' of union 'U' has the name of a built-in function"],
    ['union U A end func A() end', "Variant 'A' of union 'U' has the name of a function of this script"],
    ['union U A A end', "Variant 'A' of union 'U' is declared twice"],
    ['union U A end union U B end', "Union 'U' is declared twice"],
    ['RegexTest(1, "(")', 'RegexTest: group without end'],
  ]
  for (const [script, ...messages] of rows) {
    it(`${script}: ${messages.join(', ')}`, () => {
      assert.deepEqual(
        linked(script).problems.map(({ message }) => message),
        messages,
      )
    })
  }
})

describe('link: hostile scripts', () => {
  const parameters = (count: number, standard: string) =>
    Array.from({ length: count }, (_, i) => `p${i}${standard}`).join(', ')

  it('refuses calls that leave out too many parameters', () => {
    const script = `func f(${parameters(2000, ' = 1')}) end ${'f(p1999: 1) '.repeat(200)}`
    const { problems } = linked(script)
    assert.deepEqual(
      problems.map(({ code, message }) => `${code} ${message}`),
      ['JM5910 Calls leave out more than 100000 parameters in all'],
    )
  })

  it('stops after a thousand problems', () => {
    const script = `func f(${parameters(700, '')}) end ${'f(p0: 1) '.repeat(5)}`
    assert.equal(linked(script).problems.length, 1000)
  })

  it('bounds the search for names close to unknown ones', () => {
    const functions = Array.from({ length: 3000 }, (_, i) => `func function${i}() end `).join('')
    const { problems } = linked(`${functions}${'functon1() '.repeat(900)}`)
    const advised = problems.filter(({ message }) => message.includes('did you mean'))
    assert.equal(problems.length, 900)
    assert.ok(advised.length > 10 && advised.length < 20, `${advised.length}`)
  })

  it('reads trees of any depth', () => {
    const span = { start: 0, end: 0 }
    const name = { text: 'Trim', span }
    let chain: Expression = { kind: 'literal', value: 1, span }
    for (let i = 0; i < 100_000; i++) {
      chain = {
        kind: 'call',
        callee: name,
        arguments: { kind: 'positional', values: [chain], open: 0 },
        span,
      }
    }
    const body = { statements: [{ kind: 'expression', expression: chain, span } as const], span }
    const script: Script = { body, span }
    assert.equal(link(script, 'strict', functionTable(library, [])).calls.size, 100_000)
  })

  it('refuses a call of a method in the tree of a strict script', () => {
    const { problems } = link(parsed('Data.s.trim()', 'service'), 'strict', functionTable(library, []))
    assert.deepEqual(placed('Data.s.trim()', problems), ['JM2000 1:12'])
  })
})
