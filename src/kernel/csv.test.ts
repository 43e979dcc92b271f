import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cellOf, csvCell, csvLine, harmless } from './csv.ts'

describe('a text in a cell', () => {
  const cells: readonly (readonly [text: string, cell: string])[] = [
    ['plain', 'plain'],
    ['', '""'],
    [' padded ', ' padded '],
    ['a,b', '"a,b"'],
    ['say "a"', '"say ""a"""'],
    ['a\nb', '"a\nb"'],
    ['a\rb', '"a\rb"'],
    ['a;b\tc', 'a;b\tc'],
    ['=1+1', "'=1+1"],
    ['+61 2', "'+61 2"],
    ['-5', "'-5"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
    ['=a\nb', '"\'=a\nb"'],
    ["'quoted'", "'quoted'"],
    ['1-2', '1-2'],
    ['a\n=b', '"a\n=b"'],
    // a formula behind what spreadsheets leave out
    ['\t=1+1', "'\t=1+1"],
    ['\n=1+1', '"\'\n=1+1"'],
    ['\r\n=1+1', '"\'\r\n=1+1"'],
    ['  =1+1', "'  =1+1"],
    ['\u00a0\u3000=1+1', "'\u00a0\u3000=1+1"],
    ['\ufeff@x', "'\ufeff@x"],
    ['\u0001=1+1', "'\u0001=1+1"],
    [' \v\f-1', "' \v\f-1"],
    // what another cell would begin with, were the text pasted
    ['\tx', "'\tx"],
    ['\nx', '"\'\nx"'],
    // wide signs
    ['＝1+1', "'＝1+1"],
    ['　＋1', "'　＋1"],
    ['－1', "'－1"],
    ['＠x', "'＠x"],
    ['日本😀', '日本😀'],
  ]
  for (const [text, cell] of cells) {
    it(`is ${JSON.stringify(cell)} for ${JSON.stringify(text)}`, () => assert.equal(csvCell(text), cell))
  }

  it('is the original text again without its quotes and the apostrophe, and never a formula', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'=+-@＝\'",\r\n\t\u00a0a é') }), (text) => {
        const cell = csvCell(text)
        const unquoted = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell
        assert.ok(unquoted === text || unquoted === `'${text}`)
        assert.doesNotMatch(unquoted.trim(), /^[=+\-@＝]/)
        assert.equal(unquoted, harmless(text))
      }),
    )
  })

  it('is as it is where nothing may be added to it', () => {
    assert.equal(cellOf('=1'), '=1')
    assert.equal(cellOf('\n=1,'), '"\n=1,"')
  })
})

describe('a line', () => {
  const lines: readonly (readonly [cells: readonly string[], line: string])[] = [
    [['a', 'b'], 'a,b\r\n'],
    [['', ''], ',\r\n'],
    // readers leave out empty lines
    [[''], '""\r\n'],
  ]
  for (const [cells, line] of lines) {
    it(`is ${JSON.stringify(line)} for ${JSON.stringify(cells)}`, () => assert.equal(csvLine(cells), line))
  }
  it('has the delimiter that it is given', () => assert.equal(csvLine(['a', ''], ';'), 'a;\r\n'))
})
