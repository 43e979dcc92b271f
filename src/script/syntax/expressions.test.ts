import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { outline } from '../testing/outline.ts'
import type { Expression } from './ast.ts'
import { parseScript } from './parse-script.ts'

const read = (text: string, dialect: 'service' | 'strict' = 'strict'): string => {
  const { script, problems } = parseScript(text, dialect)
  if (script === null) assert.fail(`${text}: ${problems[0]?.message}`)
  return outline(script)
}

const problemIn = (text: string, dialect: 'service' | 'strict' = 'strict') => {
  const [problem] = parseScript(text, dialect).problems
  assert.ok(problem, `${text} has no problem`)
  return problem
}

const expressionIn = (text: string): Expression => {
  const statement = parseScript(text, 'service').script?.body.statements[0]
  assert.ok(statement?.kind === 'expression')
  return statement.expression
}

describe('expressions', () => {
  for (const [text, tree] of [
    // Precedence and associativity.
    ['a ? b : c ? d : e', '(? a b (? c d e))'],
    ['a ?? b ? c : d', '(? (?? a b) c d)'],
    ['a ?? b ?? c', '(?? a (?? b c))'],
    ['null ?? 0 or 6', '(?? null (or 0 6))'],
    ['a or b or c and d', '(or (or a b) (and c d))'],
    ['not a == b', '(not (== a b))'],
    ['not not a and b', '(and (not (not a)) b)'],
    ['not a is null', '(not (is a null))'],
    ['a and not b or c', '(or (and a (not b)) c)'],
    ['a + 1 is not number and b', '(and (is-not (+ a 1) number) b)'],
    ['a == b is boolean', '(is (== a b) boolean)'],
    ['a == b != c', '(!= (== a b) c)'],
    ['a < b <= c == d > e', '(== (<= (< a b) c) (> d e))'],
    ['a - b - c', '(- (- a b) c)'],
    ['a + b * c - d / e % f', '(- (+ a (* b c)) (% (/ d e) f))'],
    ['-a.b * -c', '(* (- (. a b)) (- c))'],
    ['- -a', '(- (- a))'],
    ['-a++', '(- (_++ a))'],
    ['a - --b.c', '(- a (--_ (. b c)))'],
    ['a+++b', '(+ (_++ a) b)'],
    ['a++ ++', '(_++ (_++ a))'],
    ['1 + (not x)', '(+ 1 (not x))'],
    ['(a ? b : c).d', '(. (? a b c) d)'],
    // Postfix forms, and line ends that mean nothing.
    ['a.b[c].end', '(. ([] (. a b) c) end)'],
    ['a\n.\nb\n[\nc\n]', '([] (. a b) c)'],
    ['f(a, b)', '(call f a b)'],
    ['f()', '(call f)'],
    ['f\n(a)', '(call f a)'],
    ['(f)(x)', '(call f x)'],
    ['f(a: 1, end: b ? c : d)', '(call f a:1 end:(? b c d))'],
    ['f(a ? b : c)', '(call f (? a b c))'],
    ['"abc"[1.5]', '([] "abc" 1.5)'],
    ['5 .name', '(. 5 name)'],
    // Literals.
    ['[]', '(array)'],
    ['[1, [2]]', '(array 1 (array 2))'],
    ['f({})', '(call f (object))'],
    ['{if: 2, "a b": 3, if: 4}', '(object "if":2 "a b":3 "if":4)'],
    ['[true, false, null]', '(array true false null)'],
    ['x + +5', '(+ x 5)'],
    ['[+5, +1.5e3]', '(array 5 1500)'],
    ['-+5', '(- 5)'],
    // Words that are numbers as operands, and names elsewhere.
    ['[inf, Infinity, NaN, -INF]', '(array Infinity Infinity NaN (- Infinity))'],
    ['info + nano', '(+ info nano)'],
    ['x.nan', '(. x nan)'],
    ['{inf: 1}', '(object "inf":1)'],
    ['f(inf: 1)', '(call f inf:1)'],
    ['nan => nan', '(=> [nan] NaN)'],
    // The body of a lambda is as long as it can be; after a type test tighter operators apply to the lambda.
    ['x => x + 1', '(=> [x] (+ x 1))'],
    ['() => 0', '(=> [] 0)'],
    ['(a, b) => a ? b : a', '(=> [a b] (? a b a))'],
    ['x => y => x', '(=> [x] (=> [y] x))'],
    ['1 + x => x + 2', '(+ 1 (=> [x] (+ x 2)))'],
    ['(x => x) + 2', '(+ (=> [x] x) 2)'],
    ['x => x is number - 5', '(- (=> [x] (is x number)) 5)'],
    ['(a)', 'a'],
    ['c ? x => x : y', '(? c (=> [x] x) y)'],
    // Match as an expression.
    [
      '[match s do case A then 1 case B(x, y) then x end]',
      '(array (match-expression s case A[] 1 case B[x y] x))',
    ],
    ['(match s do case end then 1 end)', '(match-expression s case end[] 1)'],
    ['x = match s do case A() then 1 end.b', '(= x (. (match-expression s case A[] 1) b))'],
  ] as const) {
    it(`reads ${JSON.stringify(text)}`, () => assert.equal(read(text), tree))
  }

  for (const [text, at, message] of [
    ['1 + not x', 4, /parentheses around it/],
    ['a == not b', 5, /parentheses around it/],
    ['a is number is string', 12, /Expected a statement, found 'is'/],
    ['a is number == b', 12, /Expected a statement, found '=='/],
    ['a is any', 5, /the types are number, string/],
    ['a is Number', 5, /Expected a type after 'is'/],
    ['x = .5', 4, /write 0\.5/],
    ['x = +y', 4, /no unary plus/],
    ['x = + 5', 4, /no unary plus/],
    ['x = +0x1F', 4, /no unary plus/],
    ['x = +inf', 4, /no unary plus/],
    ['x = ++-y', 6, /Expected an expression, found '-'/],
    ['a === b', 4, /write '=='/],
    ['a !== b', 4, /write '!='/],
    ['a ** b', 3, /Power/],
    ['f(a, 1 2)', 7, /',' or '\)' after an argument/],
    ['f(1,)', 4, /leave out the comma/],
    ['f(a: 1, 2)', 8, /all named or all without/],
    ['f(1, a: 2)', 5, /all named or all without/],
    ['[1,]', 3, /leave out the comma/],
    ['[1,,2]', 3, /Expected an expression, found ','/],
    ['x = {a: 1,}', 10, /leave out the comma/],
    ['x = {1: 2}', 5, /a name or a string, found the number 1/],
    ['x = {[k]: 2}', 5, /a name or a string/],
    ['x = {a}', 6, /':' and a value after the key 'a'/],
    ['a.5', 2, /a name after '\.', found the number 5/],
    ['a ? b', 5, /Expected ':'/],
    ['(a', 2, /Expected '\)', found the end of the script/],
    ['(a, end) => a', 2, /Expected '\)'/],
    ['end => 1', 0, /belongs to nothing/],
    ['f()(x)', 3, /Only a name can be called/],
    ['"s"(x)', 3, /Only a name can be called/],
    ['(x => x)(1)', 8, /Only a name can be called/],
    ['arr[0](x)', 6, /Only a name can be called/],
    ['inf(x)', 3, /Only a name can be called/],
    ['x = 5\n(b)', 6, /a line that begins with '\(' continues/],
    ['x = match s do end', 15, /Expected 'case'/],
    ['x = match s do case A then 1 default then 2 end', 29, /no default/],
    ['x = match s do case A then 1', 28, /the 'match' of line 1 is still open/],
  ] as const) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      const problem = problemIn(text)
      assert.equal(problem.code, 'JM2000')
      assert.equal(problem.at, at)
      assert.match(problem.message, message)
    })
  }

  it('spans an expression from its first token to its last, parentheses of operands included', () => {
    const sum = expressionIn('(a) + (b)')
    assert.ok(sum.kind === 'binary')
    assert.deepEqual(sum.span, { start: 0, end: 9 })
    assert.deepEqual(sum.left.span, { start: 1, end: 2 })
    assert.deepEqual(sum.right.span, { start: 7, end: 8 })
  })

  it('places names and the parenthesis of a call', () => {
    const call = expressionIn('  f (x: 1)')
    assert.ok(call.kind === 'call' && call.arguments.kind === 'named')
    assert.deepEqual(call.callee, { text: 'f', span: { start: 2, end: 3 } })
    assert.equal(call.arguments.open, 4)
    assert.deepEqual(call.arguments.values[0]?.name.span, { start: 5, end: 6 })
    const key = expressionIn('{"a\\n": 1}')
    assert.ok(key.kind === 'object')
    assert.deepEqual(key.members[0]?.key, { text: 'a\n', span: { start: 1, end: 6 } })
  })
})

describe('method-style calls of the service dialect', () => {
  for (const [text, tree] of [
    ['s.contains("x")', '(method s contains "x")'],
    ['s.trim().toLower()', '(method (method s trim) toLower)'],
    ['Data.list.add(1)', '(method (. Data list) add 1)'],
    ['"a,b".split(",")', '(method "a,b" split ",")'],
    ['[3, 1].sort()[0]', '([] (method (array 3 1) sort) 0)'],
    ['f(x).length()', '(method (call f x) length)'],
    ['a\n.b(c: 1)', '(method a b c:1)'],
    ['a.\nend (1)', '(method a end 1)'],
  ] as const) {
    it(`reads ${JSON.stringify(text)}`, () => {
      assert.equal(read(text, 'service'), tree)
      assert.match(problemIn(text, 'strict').message, /service dialect/)
    })
  }

  it('refuses a parenthesis on the line after the name', () => {
    for (const text of ['x = a.b\n(c)', 'x = a.b # c\n(c)', 'x = a.b\r(c)']) {
      const problem = problemIn(text, 'service')
      assert.equal(problem.at, text.indexOf('('))
      assert.match(problem.message, /on the line of the name/)
    }
  })

  it('allows calls of names and properties only', () => {
    assert.match(problemIn('a.b(1)(2)', 'service').message, /Only a name can be called/)
    assert.match(problemIn('a[0](2)', 'service').message, /Only a name can be called/)
  })
})
