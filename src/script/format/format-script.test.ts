import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { dialects } from '../syntax/ast.ts'
import { parseScript } from '../syntax/parse-script.ts'
import { anyScript } from '../testing/arbitrary-script.ts'
import { outline } from '../testing/outline.ts'
import { formatScript } from './format-script.ts'

/** Also checks that formatting the output again does not change it. */
function formatted(script: string): string {
  const once = formatScript(script, 'service')
  if (typeof once !== 'string') assert.fail(`${script}: ${once[0]?.message}`)
  assert.equal(formatScript(once, 'service'), once)
  return once
}

const lines = (...given: readonly string[]): string => `${given.join('\n')}\n`

describe('formatScript', () => {
  for (const [what, script, expected] of [
    ['puts each statement on its line', 'a=1 b  =2', lines('a = 1', 'b = 2')],
    [
      'indents bodies by two spaces',
      'if a then b=1 while c do d=2 end elseif e then else f() end',
      lines(
        'if a then',
        '  b = 1',
        '  while c do',
        '    d = 2',
        '  end',
        'elseif e then',
        'else',
        '  f()',
        'end',
      ),
    ],
    ['keeps elif', 'if a then elif b then end', lines('if a then', 'elif b then', 'end')],
    [
      'indents arms',
      'switch a do case 1,2 then b default then c end match s do case A(x,y) then d case B() then end',
      lines(
        ...['switch a do', '  case 1, 2 then', '    b', '  default then', '    c', 'end'],
        ...['match s do', '  case A(x, y) then', '    d', '  case B then', 'end'],
      ),
    ],
    [
      'prints loops',
      'for i in 1 to 3 by 2 do end foreach v in e do break end',
      lines('for i in 1 to 3 by 2 do', 'end', 'foreach v in e do', '  break', 'end'),
    ],
    [
      'prints declarations',
      'func f(a:number=1,b) return a\nend union U A(x:string,y) B end var v:null=null',
      lines(
        ...['func f(a: number = 1, b)', '  return a', 'end'],
        ...['union U', '  A(x: string, y)', '  B', 'end', 'var v: null = null'],
      ),
    ],
    [
      'keeps one empty line between statements, and none at the ends of a block',
      '\n\na\n\n\n\nb\nif c then\n\nd\n\n\ne\n\nend\n\n',
      lines('a', '', 'b', 'if c then', '  d', '', '  e', 'end'),
    ],
    ['prints nothing for an empty script', ' \n', ''],
    ['ends lines with LF', 'a\r\nb\rc # d\r\n', lines('a', 'b', 'c # d')],
    // Literals.
    ['prefers double quotes', "a = 'x'", lines('a = "x"')],
    ['keeps single quotes around a double one', `a = 'x "y"'`, lines(`a = 'x "y"'`)],
    ['keeps escapes as they were written', `a = '\\'\\u0041\\"\\\\'`, lines(`a = "\\'\\u0041\\"\\\\"`)],
    [
      'keeps numbers as they were written',
      'a = [007, 5., 1E+3, 0xfF, +5]',
      lines('a = [007, 5., 1E+3, 0xfF, +5]'),
    ],
    ['keeps strings over several lines', 'a = "x\r\n  y"', lines('a = "x', '  y"')],
    // Parentheses.
    ['takes away parentheses that change nothing', '((a)) = ((b + (c * d)))', lines('a = b + c * d')],
    ['takes away those of one parameter', 'f((x) => (x))', lines('f(x => x)')],
    ['keeps those of looser operators', 'a = (b + c) * -(d + e)', lines('a = (b + c) * -(d + e)')],
    ['keeps those on the right of the same level', 'a = b - (c - d)', lines('a = b - (c - d)')],
    ['keeps those on the left of ??', 'a = (b ?? c) ?? (d ?? e)', lines('a = (b ?? c) ?? d ?? e')],
    ['keeps those around not', 'a = 1 + (not b)', lines('a = 1 + (not b)')],
    [
      'keeps those around a type test',
      'a = (b is null) == (c is null)',
      lines('a = (b is null) == (c is null)'),
    ],
    ['keeps those around a conditional', 'a = (b ? c : d).e', lines('a = (b ? c : d).e')],
    ['keeps those around a lambda that does not end', 'a = 1 + (x => x) + 2', lines('a = 1 + (x => x) + 2')],
    ['keeps minus signs apart', 'a = -(-b) - (--c) - -(--d)', lines('a = - -b - --c - - --d')],
    ['keeps a number apart from a dot', 'a = 5 .b + (5).c + 5 .d()', lines('a = 5 .b + 5 .c + 5 .d()')],
    [
      'keeps those of a match that begins a statement',
      '(match a do case A then 1 end).b = 1',
      lines('(match a do', '  case A then 1', 'end).b = 1'),
    ],
    [
      'does not take what begins with a minus sign for a continuation',
      'a is null -b',
      lines('a is null', '-b'),
    ],
    [
      'does not add parentheses that would make a call',
      'a = b x => x is null - 5',
      lines('a = b', 'x => x is null - 5'),
    ],
    ['keeps a value on the line of return', 'return (a)', lines('return a')],
    ['keeps a return without a value', 'return\n(a) -b', lines('return', 'a - b')],
    // Comments.
    [
      'keeps comments between and behind statements',
      '# head\n\n\n# second\na  #one\n   # own\nb\n\n# end  ',
      lines('# head', '', '# second', 'a #one', '# own', 'b', '', '# end'),
    ],
    [
      'keeps comments in blocks',
      'if a then # then\n# first\nb # b\n# last\nend # end\nwhile c do\n# empty\nend',
      lines(
        'if a then # then',
        '  # first',
        '  b # b',
        '  # last',
        'end # end',
        'while c do',
        '  # empty',
        'end',
      ),
    ],
    [
      'keeps comments before a branch where they are',
      'if a then\n  b\n  # of b\n# of else\nelse # else\nend',
      lines('if a then', '  b', '  # of b', '# of else', 'else # else', 'end'),
    ],
    [
      'keeps comments between arms',
      'switch a do\n  # one\n  case 1 then\n    b\n    # of b\n\n  # two\n  case 2 then # c\n  # last\nend',
      lines(
        ...['switch a do', '  # one', '  case 1 then', '    b', '    # of b', ''],
        ...['  # two', '  case 2 then # c', '    # last', 'end'],
      ),
    ],
    [
      'keeps comments among arguments',
      'f(a, # one\n# own\nb # two\n)',
      lines('f(', '  a, # one', '  # own', '  b # two', ')'),
    ],
    [
      'keeps comments among members',
      'a = {\n# id\nid: 1, # one\nb: 2\n# last\n}',
      lines('a = {', '  # id', '  id: 1, # one', '  b: 2', '  # last', '}'),
    ],
    [
      'keeps comments behind operators',
      'a = b # b\n+ c and # c\n# own\nd',
      lines('a = b + # b', '  c and # c', '  # own', '  d'),
    ],
    [
      'keeps comments among variants',
      'union U A() # a\n# b\nB end',
      lines('union U', '  A # a', '  # b', '  B', 'end'),
    ],
    ['moves comments within a path to the end of the line', 'a = b # c\n.d', lines('a = b.d # c')],
    // Width.
    [
      'breaks long arguments',
      `a = someFunction(${Array(4).fill('anArgumentOfThirtyLettersInAll').join(', ')})`,
      lines(
        'a = someFunction(',
        ...Array(3).fill('  anArgumentOfThirtyLettersInAll,'),
        '  anArgumentOfThirtyLettersInAll',
        ')',
      ),
    ],
    [
      'breaks long arrays and leaves inner ones alone',
      `a = [[1, 2], "some text of twenty", ${Array(4).fill('anElementOfTwentyOne1').join(', ')}]`,
      lines(
        'a = [',
        '  [1, 2],',
        '  "some text of twenty",',
        ...Array(3).fill('  anElementOfTwentyOne1,'),
        '  anElementOfTwentyOne1',
        ']',
      ),
    ],
    [
      'breaks a long object from the line of its call',
      `Append(Data.list, {first: "${'x'.repeat(60)}", second: "${'y'.repeat(30)}"})`,
      lines('Append(Data.list, {', `  first: "${'x'.repeat(60)}",`, `  second: "${'y'.repeat(30)}"`, '})'),
    ],
    [
      'breaks a long lambda behind its arrow',
      `a = theItems => theItems.${'x'.repeat(45)} + theItems.${'y'.repeat(45)}`,
      lines('a = theItems =>', `  theItems.${'x'.repeat(45)} +`, `    theItems.${'y'.repeat(45)}`),
    ],
    [
      'breaks long conditions behind operators, further in than the body',
      `if ${'a'.repeat(50)} and ${'b'.repeat(50)} then c end`,
      lines(`if ${'a'.repeat(50)} and`, `    ${'b'.repeat(50)} then`, '  c', 'end'),
    ],
    [
      'breaks long conditionals before their signs',
      `a = ${'b'.repeat(40)} ? ${'c'.repeat(40)} : ${'d'.repeat(40)}`,
      lines(`a = ${'b'.repeat(40)}`, `  ? ${'c'.repeat(40)}`, `  : ${'d'.repeat(40)}`),
    ],
    [
      'breaks long chains of method calls before their dots',
      `a = Data.items.where(x => x.price > 100).sortBy(x => x.${'price'.repeat(10)}).select("name")`,
      lines(
        'a = Data.items',
        '  .where(x => x.price > 100)',
        `  .sortBy(x => x.${'price'.repeat(10)})`,
        '  .select("name")',
      ),
    ],
    ['leaves an object on its lines', 'a = {\nb: 1}', lines('a = {', '  b: 1', '}')],
    ['joins an object that begins on its line', 'a = {b: 1,\nc: 2}', lines('a = {b: 1, c: 2}')],
    [
      'fills a line of a hundred columns',
      `a = f(${'b'.repeat(90)}, c)`,
      lines(`a = f(${'b'.repeat(90)}, c)`),
    ],
    [
      'breaks a line of a hundred and one columns',
      `a = f(${'b'.repeat(91)}, c)`,
      lines('a = f(', `  ${'b'.repeat(91)},`, '  c', ')'),
    ],
  ] as const) {
    it(what, () => assert.equal(formatted(script), expected))
  }

  it('returns the problems of a script that cannot be parsed', () => {
    assert.deepEqual(formatScript('a = ', 'strict'), parseScript('a = ', 'strict').problems)
    assert.ok(typeof formatScript('a.b()', 'strict') !== 'string')
  })

  it('indents no further than eighty columns', () => {
    const innermost = formatted(`${'if a then '.repeat(60)}b${' end'.repeat(60)}`).split('\n')[60]
    assert.equal(innermost, `${' '.repeat(80)}b`)
  })

  it('prints the deepest trees there are', () => {
    for (const [before, after] of [
      ['[', ']'],
      ['f(', ')'],
      ['x => ', ''],
      ['- ', ''],
      ['{a: ', '}'],
      ['if a then ', ' end'],
    ] as const) {
      formatted(`if a then ${before.repeat(450)}b${after.repeat(450)} end`)
    }
    for (const after of [' + a', '.b', '.b()', ' ?? a', '[a]']) formatted(`x = a${after.repeat(450)}`)
  })
})

describe('formatScript on any script', () => {
  for (const dialect of dialects) {
    it(`keeps tree and comments, and does not change its own output (${dialect})`, () => {
      let parsed = 0
      const property = fc.property(anyScript, (script) => {
        const before = parseScript(script, dialect)
        if (before.script === null) return
        parsed++
        const once = formatScript(script, dialect)
        if (typeof once !== 'string') assert.fail('it can be parsed')
        const after = parseScript(once, dialect)
        if (after.script === null) assert.fail(`${after.problems[0]?.message}\n${once}`)
        assert.equal(outline(after.script), outline(before.script))
        assert.deepEqual(words(after.comments), words(before.comments))
        assert.equal(formatScript(once, dialect), once)
      })
      fc.assert(property, { numRuns: 600 })
      assert.ok(parsed > 100, `only ${parsed} scripts could be parsed`)
    })
  }
})

/** Comments that meet on one line become one. */
const words = (comments: readonly { readonly text: string }[]): readonly string[] =>
  comments.flatMap((comment) => comment.text.split(/[#\s]+/)).filter((word) => word !== '')
