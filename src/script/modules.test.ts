import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compileScript, formatScript, importsOf, type ModuleText, runScript } from './script.ts'
import { placeAt } from './script-problem.ts'

const module = (name: string, version: number, script: string): ModuleText => ({ name, version, script })

const modules = [
  module('fees', 1, 'func fee(fare)\n  return fare / 10\nend'),
  module(
    'fees',
    2,
    '# Newer\nimport "money"\nfunc fee(fare)\n  return rounded(fare / 10 * fare.rate)\nend # end',
  ),
  module('money', 1, 'func rounded(n)\n  return Round(n, 2)\nend\nunion Price Free Paid(amount) end'),
  module('circle-a', 1, 'import "circle-b"'),
  module('circle-b', 1, 'import "circle-a"'),
  module('old-fees', 1, 'import "fees@1"'),
  module('broken', 1, 'func f(\n'),
  module('acting', 4, 'func g() end\nData.x = 1'),
  module('calling', 2, 'func h()\n  return missing()\nend'),
  module('slow', 1, 'func spin()\n  while true do end\nend'),
  module('failing', 1, 'func quit() fail "own words" end'),
]

const problemsOf = (text: string) =>
  compileScript(text, { modules }).problems.map(({ code, at, message }) => {
    const { line, column } = placeAt(text, at ?? -1)
    return `${code} ${line}:${column} ${message}`
  })

describe('a script with modules', () => {
  it('calls their functions and constructors, also those of modules that they import', async () => {
    const { program, problems } = compileScript(
      'import "fees@1"\nimport "money@1"\nData.a = fee(25)\nData.b = rounded(2.345)\nData.c = Paid(3)',
      { modules },
    )
    assert.deepEqual(problems, [])
    assert.ok(program !== null)
    const { output } = await runScript(program)
    assert.deepEqual(JSON.parse(output), { a: 2.5, b: 2.35, c: { _variant: 'Paid', amount: 3 } })
  })

  const rows: readonly (readonly [text: string, ...problems: readonly string[]])[] = [
    ['import "nope"', "JM4910 1:8 Module 'nope' is not published"],
    ['import "fees@7"', "JM4910 1:8 Module 'fees' has no published version 7"],
    [
      'var x = 1\nimport "circle-a"',
      "JM4911 2:1 Module 'circle-b' version 1, line 1, column 8: Module 'circle-a' imports itself: circle-a > circle-b > circle-a",
    ],
    [
      'import "fees"\nimport "old-fees"',
      "JM4912 2:1 Module 'old-fees' version 1, line 1, column 8: Module 'fees' is imported in version 2 and in version 1; import one of them everywhere",
    ],
    [
      'import "acting"',
      "JM3911 1:1 Module 'acting' version 4, line 2, column 1: A module has only functions, unions and imports at its top level",
    ],
    [
      '\nimport "calling"',
      "JM4100 2:1 Module 'calling' version 2, line 2, column 17: Unknown function 'missing'",
    ],
    [
      'if true then import "fees" end',
      "JM3910 1:14 Module 'fees' is not imported at the top level of the script",
    ],
    ['import "money"\nfunc rounded(n) end', "JM3101 2:6 'rounded' is already the name of a function"],
    [
      'import "Fees"',
      'JM2000 1:8 A module is imported by its name in small letters, digits and hyphens, and its version if one is meant: "fees" or "fees@3"',
    ],
  ]
  for (const [text, ...problems] of rows) {
    it(`has problems at the import, which name the place in the module: ${text}`, () => {
      assert.deepEqual(problemsOf(text), problems)
    })
  }

  it('has the syntax problems of a module too', () => {
    assert.match(
      problemsOf('import "broken"')[0] ?? '',
      /^JM2000 1:1 Module 'broken' version 1, line 2, column 1: /,
    )
  })

  it('fails at its own statement when a module fails, and counts the limits over all of them', async () => {
    const failed = async (text: string) => {
      const { program } = compileScript(text, { modules })
      assert.ok(program !== null)
      const { problem, limit } = await runScript(program, { limits: {} })
      return [problem?.code, problem?.at, problem?.message, limit]
    }
    assert.deepEqual(await failed('import "fees"\nData.a = 1\nData.b = fee({})'), [
      'JM5206',
      25,
      "Module 'fees' version 2, line 4, column 18: The operator Divide is not defined for Object and Number",
      null,
    ])
    const [code, at, message, limit] = await failed('import "slow" spin()')
    assert.deepEqual([code, at, limit], ['JM5901', 14, 'loops'])
    assert.match(String(message), /^Module 'slow' version 1, line 2, column 3: /)
    assert.deepEqual((await failed('import "failing" quit()')).slice(0, 3), ['JM5004', 17, 'own words'])
  })

  it('may itself be a module, which has no statements of its own', () => {
    const codes = (text: string) =>
      compileScript(text, { moduleName: 'own', modules }).problems.map(({ code }) => code)
    assert.deepEqual(codes('import "fees@1" func f(x) return fee(x) end union U A end'), [])
    assert.deepEqual(codes('func f() end var x = 1 Data.y = 2'), ['JM3911', 'JM3911'])
  })

  it('may not import itself, when it is a module that modules import', () => {
    const { problems } = compileScript('func f() end\nimport "old-fees"', { moduleName: 'fees', modules })
    assert.deepEqual(
      problems.map(({ code, at, message }) => [code, at, message]),
      [
        [
          'JM4911',
          13,
          "Module 'old-fees' version 1, line 1, column 8: Module 'fees' imports itself: fees > old-fees > fees",
        ],
      ],
    )
  })

  it('lists what it imports, and is formatted', async () => {
    assert.deepEqual(importsOf('import "a" import "b@2"'), [
      { name: 'a', version: null },
      { name: 'b', version: 2 },
    ])
    assert.equal(await formatScript('import   "a" # why\nx = 1', 'service'), 'import "a" # why\nx = 1\n')
  })

  it('keeps import as a name everywhere else', () => {
    assert.deepEqual(compileScript('var import = 1 import = 2 Data.x = import\n"text"').problems, [])
    assert.equal(compileScript('import "a"', { dialect: 'strict' }).problems[0]?.code, 'JM3100')
  })
})
