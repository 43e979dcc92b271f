import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { outline } from '../testing/outline.ts'
import type { Dialect, Statement } from './ast.ts'
import { parseScript } from './parse-script.ts'

const read = (text: string, dialect: Dialect = 'strict'): string => {
  const { script, problems } = parseScript(text, dialect)
  if (script === null) assert.fail(`${text}: ${problems[0]?.message}`)
  return outline(script)
}

const problemIn = (text: string, dialect: Dialect = 'strict') => {
  const { problems } = parseScript(text, dialect)
  assert.equal(problems.length, 1, `${text} has ${problems.length} problems`)
  const [problem] = problems
  assert.ok(problem)
  return problem
}

const statementsIn = (text: string, dialect: Dialect = 'service'): readonly Statement[] => {
  const { script } = parseScript(text, dialect)
  assert.ok(script)
  return script.body.statements
}

describe('statements', () => {
  for (const [text, tree] of [
    ['', ''],
    ['# only a comment', ''],
    ['a = 1 b = 2', '(= a 1) (= b 2)'],
    ['a.b[0] += c', '(+= ([] (. a b) 0) c)'],
    ['(a.b) = 1', '(= (. a b) 1)'],
    ['a -= 1 a *= 1 a /= 1 a %= 1', '(-= a 1) (*= a 1) (/= a 1) (%= a 1)'],
    ['x =[1]', '(= x (array 1))'],
    ['x= -1', '(= x (- 1))'],
    ['x =(1)', '(= x 1)'],
    ['a.end = 1', '(= (. a end) 1)'],
    // A statement ends where it cannot continue.
    ['x = a\n(b)', '(= x (call a b))'],
    ['x = a\n[b]', '(= x ([] a b))'],
    ['x = b\n-c', '(= x (- b c))'],
    ['var v = 4\n++v', '(var v (_++ 4)) v'],
    ['x = a\nis null', '(= x (is a null))'],
    ['var x\n(b)', '(var x) b'],
    ['a is number (b)', '(is a number) b'],
    ['12abc', '12 abc'],
    ['let x = 1', 'let (= x 1)'],
    // Declarations.
    [
      'var a var b: number var c = 1 var d: null = null',
      '(var a) (var b:number) (var c 1) (var d:null null)',
    ],
    ['func f() end', '(func f [] {})'],
    [
      'func f(a, b: string, c = 1, d: array = []) return a end',
      '(func f [a b:string c=1 d:array=(array)] {(return a)})',
    ],
    ['union U A end', '(union U A[])'],
    ['union U A() B(x: number, y) C end', '(union U A[] B[x:number y] C[])'],
    // Branches and loops.
    ['if a then end', '(if a {})'],
    ['if a then b elseif c then d else e end', '(if a {b} c {d} else {e})'],
    ['if a then else if b then end end', '(if a {} else {(if b {})})'],
    ['while a do break continue end', '(while a {(break) (continue)})'],
    ['for i in 1 to 3 do end', '(for i 1 to 3 {})'],
    ['for i in a downto b by c do d end', '(for i a downto b by c {d})'],
    ['foreach v in e do end', '(foreach v e {})'],
    ['switch a do end', '(switch a)'],
    [
      'switch a do case 1, 2 then b case 3 then default then c end',
      '(switch a case 1, 2 {b} case 3 {} default {c})',
    ],
    ['match s do case A then b case B(x, y) then end', '(match s case A[] {b} case B[x y] {})'],
    ['(match s do case A then 1 end)', '(match-expression s case A[] 1)'],
    // Return, exit and fail, and the line of their value.
    ['return', '(return)'],
    ['exit # why', '(exit)'],
    ['fail \t\n"x"', '(fail) "x"'],
    ['exit\r"bye"', '(exit) "bye"'],
    ['return true', '(return true)'],
    ['return \ta +\nb', '(return (+ a b))'],
    ['if a then return true end', '(if a {(return true)})'],
    ['delete a.b', '(delete (. a b))'],
    ['delete a', '(delete a)'],
    // Any name that is not a keyword can be declared; the words for numbers are names there.
    ['var inf = inf', '(var inf Infinity)'],
    ['elif = 1 elif(x) elif.y', '(= elif 1) (call elif x) (. elif y)'],
  ] as const) {
    it(`reads ${JSON.stringify(text)} alike in both dialects`, () => {
      assert.equal(read(text, 'strict'), tree)
      assert.equal(read(text, 'service'), tree)
    })
  }

  for (const [text, at, message] of [
    ['x =-1', 2, /'=' must not be followed directly by '-': put a space after it/],
    ['x=-1', 1, /put a space/],
    ['var x =+5', 6, /put a space/],
    ['func f(a =-1) end', 9, /put a space/],
    ['x =.5', 2, /put a space/],
    ['x =!y', 3, /write 'not'/],
    ['a = b = c', 6, /'==' compares/],
    ['if a = b then end', 5, /'==' compares/],
    ['if a { b }', 5, /'then' after the condition of 'if', found '\{'; blocks have no braces/],
    ['if a b end', 5, /'then' after the condition/],
    ['if x then return end', 17, /'end' cannot follow 'return' on the same line/],
    ['if a then exit else end', 15, /'else' cannot follow 'exit'/],
    ['return then', 7, /Expected an expression, found 'then'/],
    ['return\u00a05', 6, /Only spaces and tabs/],
    ['return \u00a0\n', 7, /Only spaces and tabs/],
    ['delete', 0, /same line/],
    ['delete\na', 0, /same line/],
    ['var end = 1', 4, /'end' is a keyword/],
    ['var 5', 4, /the name of a variable after 'var', found the number 5/],
    ['var x: any', 7, /the types are/],
    ['let x: number = 1', 5, /write 'var x'/],
    ['func end() end', 5, /'end' is a keyword/],
    ['func f end', 7, /'\(' after the name of a function/],
    ['func f(a,) end', 9, /name of a parameter/],
    ['union U end', 8, /name of a variant/],
    ['union U A(5) end', 10, /name of a field/],
    ['if a then', 9, /the 'if' of line 1 is still open/],
    ['\nwhile a do\nif b then end', 25, /the 'while' of line 2 is still open/],
    ['func f() if a then end', 22, /the 'func' of line 1/],
    ['if a then else elseif b then end', 15, /found 'elseif'/],
    ['for i in 5 do end', 11, /write 'foreach'/],
    ['foreach x of y do end', 10, /'in' after the variable/],
    ['switch a do default then case 1 then end', 25, /found 'case'/],
    ['switch a do b end', 12, /'case', 'default' or 'end'/],
    ['switch a do case 1 then default end', 32, /'then' after 'default'/],
    ['match s do end', 11, /'case'/],
    ['match s do case A then default then end', 23, /no default/],
    ['match s do case end then end', 16, /'end' is a keyword/],
    ['end', 0, /belongs to nothing/],
    ['a then', 2, /Expected a statement, found 'then'/],
    ['// note', 0, /begins with '#'/],
    ['a = "\\d', 5, /twice/],
    [') "', 0, /Expected a statement, found '\)'/],
  ] as const) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      const problem = problemIn(text)
      assert.match(problem.message, message)
      assert.deepEqual([problem.code, problem.at], ['JM2000', at])
    })
  }

  for (const text of [
    '5 = x',
    'f() = 1',
    'a + b = c',
    'inf = 1',
    '[a] += 1',
    'a++ = 1',
    '"s" -= 1',
    'not a = 1',
  ]) {
    it(`refuses the target of ${text}`, () => {
      const problem = problemIn(text)
      assert.deepEqual([problem.code, problem.at], ['JM3200', 0])
    })
  }

  it('refuses the result of a method call as a target', () => {
    assert.equal(problemIn('x = 1 a.b() = 2', 'service').code, 'JM3200')
    assert.equal(problemIn('x = 1 a.b() = 2', 'service').at, 6)
  })

  it('spans statements, branches and blocks', () => {
    const text = ' if a then (b) = 1 elseif c then end x'
    const [branching] = statementsIn(text)
    assert.ok(branching?.kind === 'if')
    const piece = ({ span }: { readonly span: { readonly start: number; readonly end: number } }) =>
      text.slice(span.start, span.end)
    assert.equal(piece(branching), 'if a then (b) = 1 elseif c then end')
    const [first, second] = branching.branches
    assert.ok(first && second)
    assert.equal(piece(first), 'if a then (b) = 1')
    assert.equal(piece(first.body), '(b) = 1')
    assert.equal(piece(second), 'elseif c then')
    assert.deepEqual(second.body.span, { start: 33, end: 33 })
  })

  it('returns the comments of a script', () => {
    const parsed = parseScript('a # 1\n# 2', 'strict')
    assert.ok(parsed.script)
    assert.deepEqual(
      parsed.comments.map(({ text }) => text),
      ['# 1', '# 2'],
    )
  })
})

describe('the service dialect', () => {
  for (const [text, tree] of [
    ['if a then b elif c then d else e end', '(if a {b} c {d} else {e})'],
    ['if a then elif (c) then elseif d then elif e then end', '(if a {} c {} d {} e {})'],
    ['if a then elif end', '(if a {elif})'],
    [
      'if a then elif = 1 elif(x) elif.y elif b then end',
      '(if a {(= elif 1) (call elif x) (. elif y)} b {})',
    ],
    ['if a then elif elif b then end', '(if a {elif} b {})'],
    ['if a then b = elif elif c then end', '(if a {(= b elif)} c {})'],
    ['if a then return end', '(if a {(return)})'],
    ['if a then exit else fail end', '(if a {(exit)} else {(fail)})'],
    [
      'if a then return elseif b then return elif c then return end',
      '(if a {(return)} b {(return)} c {(return)})',
    ],
    [
      'switch a do case 1 then exit case 2 then exit default then exit end',
      '(switch a case 1 {(exit)} case 2 {(exit)} default {(exit)})',
    ],
    ['if a then return elif end', '(if a {(return elif)})'],
    ['return elif', '(return elif)'],
  ] as const) {
    it(`reads ${text}`, () => assert.equal(read(text, 'service'), tree))
  }

  for (const [text, at] of [
    ['elif a then end', 7],
    ['while a do elif b then end end', 18],
    ['if a then else elif b then end', 22],
    ['if a then while b do elif c then end end', 28],
  ] as const) {
    it(`reads elif as a name in ${text}`, () => {
      const problem = problemIn(text, 'service')
      assert.match(problem.message, /Expected a statement, found 'then'/)
      assert.equal(problem.at, at)
    })
  }

  const named = [
    ['if a then b', "Expected a statement, 'elif', 'else' or 'end', found the end of the script"],
    ['if a then b elsif c then d end', "found 'then'; write 'elif' for a further branch, not 'elsif'"],
    ['if a then b ELSEIF c then d end', "write 'elif' for a further branch, not 'ELSEIF'"],
    ['if a then b else if c then d end', "an 'if' after 'else' needs an 'end' of its own; write 'elif'"],
    [
      'if a then else elif c then d end',
      "'elif' begins a branch only directly in an 'if', before its 'else'",
    ],
  ] as const
  for (const [text, message] of named) {
    it(`names elif in the problem of ${text}, and elseif in the strict dialect`, () => {
      const found = problemIn(text, 'service').message
      assert.ok(found.includes(message), found)
      const strict = problemIn(text, 'strict').message
      assert.match(strict, /'elseif'/)
      assert.doesNotMatch(strict.replace('found', ''), /write 'elif'|a statement, 'elif'/)
    })
  }

  it('gives no advice on branches for the then of another statement', () => {
    assert.doesNotMatch(problemIn('elsif = 1 if a then b end c then', 'service').message, /branch/)
    assert.doesNotMatch(problemIn('x then', 'service').message, /branch/)
  })

  it('reads elif as a name in the strict dialect', () => {
    assert.equal(problemIn('if a then elif b then end', 'strict').at, 17)
  })
})

describe('hostile scripts', () => {
  const repeated = (before: string, between: string, after: string) => (times: number) =>
    before.repeat(times) + between + after.repeat(times)

  for (const [what, script] of [
    ['parentheses', repeated('(', 'a', ')')],
    ['arrays', repeated('[', 'a', ']')],
    ['objects', repeated('{a: ', '1', '}')],
    ['calls', repeated('f(', 'a', ')')],
    ['indexes', repeated('a[', 'a', ']')],
    ['minus signs', repeated('- ', 'a', '')],
    ['denials', repeated('not ', 'a', '')],
    ['lambdas', repeated('x => ', 'a', '')],
    ['conditionals', repeated('a ? ', 'b', ' : c')],
    ['conditionals to the right', repeated('a ? b : ', 'c', '')],
    ['coalescing', repeated('a ?? ', 'b', '')],
    ['sums', repeated('', 'a', ' + a')],
    ['ladders', repeated('a or b and c == d < e + f * (', 'g', ')')],
    ['properties', repeated('', 'a', '.b')],
    ['increments', repeated('', 'a', '++')],
    ['method calls', repeated('', 'a', '.b()')],
    ['matches', repeated('(match ', 'a', ' do case A then 1 end)')],
    ['blocks', repeated('if a then ', 'b', ' end')],
    ['else if', repeated('if a then else ', 'b', ' end')],
    ['functions', repeated('func f() ', 'a', ' end')],
  ] as const) {
    it(`bounds the depth of ${what}`, () => {
      assert.deepEqual(parseScript(script(60), 'service').problems, [])
      for (const times of [600, 20_000]) {
        const problem = problemIn(script(times), 'service')
        assert.match(problem.message, /nested too deeply/)
      }
    })
  }

  it('reads 490 levels', () => {
    for (const script of [
      repeated('(', 'a', ')'),
      repeated('f(', 'a', ')'),
      repeated('', 'a', ' + a'),
      repeated('if a then ', 'b', ' end'),
    ]) {
      assert.deepEqual(parseScript(script(490), 'service').problems, [])
    }
  })

  it('does not count statements in a row as nesting', () => {
    for (const piece of [
      'a = [1, f(2)].b + 1\n',
      'if a then b elif c then d end ',
      '"abc" ',
      'elif ',
      '# c\n',
    ]) {
      assert.deepEqual(parseScript(piece.repeat(3000), 'service').problems, [])
      assert.deepEqual(parseScript(`if a then ${piece.repeat(3000)} end`, 'service').problems, [])
    }
    assert.deepEqual(parseScript(`x = [${'a + b * c, '.repeat(3000)} 1]`, 'strict').problems, [])
    assert.deepEqual(parseScript(`if a then ${'elseif b then c '.repeat(3000)} end`, 'strict').problems, [])
  })
})
