import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chartCsv, fileNameOf, linesOf } from './chart-data.ts'

describe('chartCsv', () => {
  it('writes a row for each category and a column for each series', () => {
    const csv = chartCsv({
      kind: 'bars',
      categoryName: 'Month',
      categories: ['2026-01', '2026-02'],
      series: [
        { name: 'Trips', values: [3, null] },
        { name: 'Spend', values: [10.5, 0] },
      ],
    })
    assert.equal(csv, 'Month,Trips,Spend\r\n2026-01,3,10.5\r\n2026-02,,0\r\n')
  })

  it('quotes what must be quoted, and makes a text of what looks like a formula', () => {
    const csv = chartCsv({
      kind: 'bars',
      categoryName: 'Label',
      categories: ['a,b', 'say "x"', '=1+1', ''],
      series: [{ name: '-n', values: [1, 2, 3, 4] }],
    })
    assert.equal(csv, 'Label,\'-n\r\n"a,b",1\r\n"say ""x""",2\r\n\'=1+1,3\r\n"",4\r\n')
  })
})

describe('fileNameOf', () => {
  for (const [title, name] of [
    ['Trips per month', 'trips-per-month'],
    ['  Spend / label "Kostenstelle Süd" ', 'spend-label-kostenstelle-süd'],
    ['…', 'chart'],
  ] as const) {
    it(`makes ${name} of ${title}`, () => assert.equal(fileNameOf(title), name))
  }
})

describe('linesOf', () => {
  for (const [name, lines] of [
    ['Legal', ['Legal']],
    ['', []],
    ['a name that is longer than a line of a tooltip', ['a name that is longer than a line of', 'a tooltip']],
    ['x'.repeat(40), ['x'.repeat(36), 'xxxx']],
    ['x'.repeat(300), [...Array<string>(4).fill('x'.repeat(36)), '…']],
  ] as const) {
    it(`makes ${lines.length} lines of ${name.length} letters`, () => assert.deepEqual(linesOf(name), lines))
  }
})
