import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import type { Expr } from '../../../query/ast.ts'
import { defaultQueryLimits } from '../../../query/limits.ts'
import { parseFilter } from '../../../query/odata/parse-filter.ts'
import { openRuns, type Runs } from '../../testing/open-runs.ts'

let runs: Runs
before(async () => {
  runs = await openRuns()
})
after(() => runs.close())

/** The value of an expression with `input`, and the error of the run. */
async function answerOf(expression: string, input: unknown) {
  const rawBody = JSON.stringify({ input })
  const script = `var input = Data.request.body.input Data._payload = ${expression}`
  const { response, execution } = await runs.run(script, { request: { rawBody } })
  const error = execution?.error ?? null
  return { value: error === null ? JSON.parse(response.body ?? 'null') : null, error }
}

const scalar = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom("O'Hare", "' or 1 eq 1 or a eq '", '2026-01-02', '', "''", '"', '\\', '%27', 'null'),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
)

type Scalar = string | number | boolean | null

/** What the service takes a filter with one condition for. */
function readBack(filter: string): Scalar | Scalar[] {
  const parsed: Expr = parseFilter(filter, defaultQueryLimits)
  assert.ok(parsed.kind === 'compare' || parsed.kind === 'in', filter)
  const values = (parsed.kind === 'in' ? parsed.items : [parsed.literal]).map((literal) => {
    if (literal.kind === 'null') return null
    return literal.kind === 'number' ? Number(literal.text) : literal.value
  })
  return parsed.kind === 'in' ? values : (values[0] as Scalar)
}

describe('FilterText', () => {
  it('writes what the parser of filters reads back as the same value', async () => {
    await fc.assert(
      fc.asyncProperty(scalar, async (input) => {
        const { value } = await answerOf('FilterText(input)', input)
        // JSON has no negative zero.
        assert.deepEqual(readBack(`a eq ${value}`), input === 0 ? 0 : input)
      }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(scalar, { maxLength: 5 }), async (input) => {
        const { value } = await answerOf('FilterText(input)', input)
        assert.deepEqual(
          readBack(`a in ${value}`),
          input.map((item) => (item === 0 ? 0 : item)),
        )
      }),
    )
  })

  it('refuses what a filter cannot express', async () => {
    for (const [input, found] of [
      ['{}', 'Object'],
      ['[[1]]', 'Array'],
      ['[x => x]', 'Function'],
      ['1e308 * 10', 'Infinity'],
    ] as const) {
      const { error } = await answerOf(`FilterText(${input})`, null)
      assert.equal(error?.code, 'JM5920')
      assert.ok(error?.message.endsWith(`it was given ${found}`), error?.message)
    }
  })
})

/** Reads CSV as RFC 4180 defines it: the cells of each line; null for an empty cell without quotes. */
function readCsv(text: string, delimiter: string): (string | null)[][] {
  const lines: (string | null)[][] = []
  let line: (string | null)[] = []
  let at = 0
  while (at < text.length) {
    let cell: string | null = ''
    if (text[at] === '"') {
      for (at++; !(text[at] === '"' && text[at + 1] !== '"'); at++) {
        if (text[at] === '"') at++
        cell += text[at]
      }
      at++
    } else {
      while (text[at] !== delimiter && !text.startsWith('\r\n', at)) cell += text[at++]
      if (cell === '') cell = null
    }
    line.push(cell)
    if (text[at] === delimiter) {
      at++
      continue
    }
    assert.ok(text.startsWith('\r\n', at), `CRLF at ${at} of ${JSON.stringify(text)}`)
    at += 2
    lines.push(line)
    line = []
  }
  return lines
}

const cellText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('a,b', 'a"b', '\r\n', '\n', ' a ', '', '=1+1', ';', '|', '\t', 'null'),
)
const csvCell = fc.oneof(
  cellText,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
)

describe('ToCsv', () => {
  it('writes no empty line, which readers leave out', async () => {
    const { value } = await answerOf('ToCsv([{a: null}, {}, {a: 1}], ["a"])', null)
    assert.equal(value, 'a\r\n""\r\n""\r\n1\r\n')
    assert.equal((await answerOf('ToCsv([{a: null}], ["a", "b"])', null)).value, 'a,b\r\n,\r\n')
  })

  it('writes what a reader of RFC 4180 reads back', async () => {
    const records = fc.array(fc.record({ a: csvCell, b: csvCell, c: csvCell }), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(records, fc.constantFrom(',', ';', '|', '\t'), async (input, delimiter) => {
        const options = `{delimiter: ${JSON.stringify(delimiter)}}`
        const { value } = await answerOf(
          `ToCsv(input, ["a", {name: "b", title: "the b"}, {name: "c"}], ${options})`,
          input,
        )
        const [header, ...lines] = readCsv(value, delimiter)
        assert.deepEqual(header, ['a', 'the b', 'c'])
        const numbered = lines.map((cells, line) =>
          cells.map((cell, column) => {
            const written = Object.values(input[line] as object)[column]
            if (cell === null || typeof written === 'string') return cell
            return JSON.parse(cell.toLowerCase())
          }),
        )
        assert.deepEqual(
          numbered,
          input.map(({ a, b, c }) => [a, b, c].map((one) => (one === 0 ? 0 : one))),
        )
      }),
    )
  })

  const rows: readonly (readonly [title: string, call: string, expected: string])[] = [
    ['only a header without records', 'ToCsv([], ["a", "b"])', 'a,b\r\n'],
    ['no header when asked', 'ToCsv([{a: 1}], ["a"], {header: false})', '1\r\n'],
    [
      'numbers as they are, also negative ones',
      'ToCsv([{a: -1.5, b: 0.1}], ["a", "b"], {spreadsheet: true})',
      'a,b\r\n-1.5,0.1\r\n',
    ],
    ['null and missing members as empty cells', 'ToCsv([{a: null}], ["a", "b"])', 'a,b\r\n,\r\n'],
    ['the empty text in quotes', 'ToCsv([{a: ""}], ["a"])', 'a\r\n""\r\n'],
    ['members of members', 'ToCsv([{a: {"b c": 1}}, {a: null}], ["a.b c"])', 'a.b c\r\n1\r\n""\r\n'],
    ['a member whose name has a dot', 'ToCsv([{"a.b": 1, a: {b: 2}}], ["a.b"])', 'a.b\r\n1\r\n'],
    ['arrays and objects as JSON', 'ToCsv([{a: [1, "x"]}], ["a"])', 'a\r\n"[1,""x""]"\r\n'],
    ['texts unchanged', 'ToCsv([{a: "=1+1"}], ["a"])', 'a\r\n=1+1\r\n'],
    [
      'harmless texts for spreadsheets',
      'ToCsv(["=1", "+1", "-1", "@x", " =1", "\t=1", "\n=1", "＝1", "a=1", "1-1"].map(t => {a: t}), [{name: "a", title: "=a"}], {spreadsheet: true})',
      `'=a\r\n'=1\r\n'+1\r\n'-1\r\n'@x\r\n' =1\r\n'\t=1\r\n"'\n=1"\r\n'＝1\r\na=1\r\n1-1\r\n`,
    ],
  ]
  for (const [title, call, expected] of rows) {
    it(`writes ${title}`, async () => {
      const { value, error } = await answerOf(call, null)
      assert.equal(error, null)
      assert.equal(value, expected)
    })
  }

  const refused: readonly (readonly [call: string, message: RegExp])[] = [
    ['ToCsv(null, ["a"])', /an array of objects; it was given Null/],
    ['ToCsv(EachBooking("C1"), ["a"])', /an array of objects; it was given Sequence/],
    ['ToCsv([], [])', /at least one column/],
    ['ToCsv([], [1])', /texts or \{name, title\}/],
    ['ToCsv([{}, 1], ["a"])', /element 1 is Number/],
    ['ToCsv([], ["a"], {delimiter: "ab"})', /one of , ; \| and tab as delimiter/],
    ['ToCsv([], ["a"], {header: 1})', /true or false as header/],
    ['ToCsv([], ["a"], {spreadsheet: "yes"})', /true or false as spreadsheet/],
    ['ToCsv([], ["a"], {quote: 1})', /but not 'quote'/],
  ]
  for (const [call, message] of refused) {
    it(`refuses ${call}`, async () => {
      const { error } = await answerOf(call, null)
      assert.match(error?.message ?? '', message)
    })
  }

  it('ends at the memory of the run', async () => {
    const script =
      'var a = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" ToCsv(Range(1, 20000).map(n => {a: a, b: a}), ["a", "b", "a", "b"])'
    const { execution } = await runs.run(script, { limits: { memoryBytes: 5 * 2 ** 20 } })
    assert.equal(execution?.error?.limit, 'memoryBytes')
  })

  it('ends there before it makes a line of one long text in many columns', async () => {
    const script = 'var a = PadRight("", 1000000, "x") ToCsv([{"": a}], Split(PadRight("", 600, "a"), "a"))'
    const { execution } = await runs.run(script, { limits: { memoryBytes: 5 * 2 ** 20 } })
    assert.equal(execution?.error?.limit, 'memoryBytes')
  })
})

describe('FilterText of many items', () => {
  it('ends at the memory of the run', async () => {
    const script = 'Data._payload = Length(FilterText(Split(PadRight("", 150000, "a"), "a")))'
    const { execution } = await runs.run(script, { limits: { memoryBytes: 5 * 2 ** 20 } })
    assert.equal(execution?.error?.limit, 'memoryBytes')
  })
})
