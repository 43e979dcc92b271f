import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fixtures/any-character.ts'
import { CsvFault, directoryLine, listCell, listIn, readCsv } from './csv-text.ts'

async function read(...chunks: string[]) {
  const records = []
  for await (const record of readCsv(chunks)) records.push(record)
  return records
}

const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: fc.constantFrom(...'=+-@＝\'",\n\r\t\u00a0 |\\a') }),
)
/** A lone carriage return is no part of a line. */
const record = fc.array(text, { minLength: 1, maxLength: 5 })

describe('CSV', () => {
  it('is read as it was written, wherever the pieces end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 5 }), fc.nat(), async (records, place) => {
        const rows = records.filter((cells) => cells.length > 1 || cells[0] !== '')
        const written = rows.map(directoryLine).join('')
        if (written.startsWith('\uFEFF')) return
        const cut = written.length === 0 ? 0 : place % written.length
        const found = await read(written.slice(0, cut), written.slice(cut))
        assert.deepEqual(
          found.map(({ cells }) => cells),
          rows,
        )
      }),
    )
  })

  it('keeps formulas from spreadsheets', () => {
    assert.equal(directoryLine(['=1+1', '-5', 'a=b', '\u3000＝1']), "'=1+1,'-5,a=b,'\u3000＝1\n")
    assert.equal(directoryLine(["'\n=1"]), '"\'\'\n=1"\n')
  })

  it('names the line in which a record begins, and ends lines as any system does', async () => {
    assert.deepEqual(await read('\uFEFFa,b\r\n"x\ny",z\r\n\r\nlast,'), [
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['x\ny', 'z'] },
      { line: 5, cells: ['last', ''] },
    ])
  })

  it('is refused with the line of a quote that is wrong', async () => {
    const refused = (csv: string, line: number) =>
      assert.rejects(read(csv), (fault) => fault instanceof CsvFault && fault.line === line)
    await refused('a\n"b" c\n', 2)
    await refused('a\nb\n"c\nd', 3)
  })
})

describe('CSV that is made to take memory', () => {
  const wide = ','.repeat(9_999)
  const cases: readonly [what: string, csv: string, fault: string | null][] = [
    ['a line of ten thousand values', `a\n${wide}\n`, null],
    ['a line of more', `a\n${wide},\n`, 'line 2 has more than 10000 values'],
    ['a header of a million', ','.repeat(1_000_000), 'line 1 has more than 10000 values'],
    ['a value of 4 MiB', `a\n"${'b'.repeat(2 ** 22)}"\n`, null],
    ['a longer one', `a\n${'b'.repeat(2 ** 22 + 1)}\n`, 'line 2 has a value of more than 4194304 characters'],
    [
      'a quote that is closed nowhere',
      `a\n"${'b\n'.repeat(2 ** 21)}b`,
      'line 2 has a value of more than 4194304 characters: is its quote never closed?',
    ],
    [
      'nothing but quotes',
      `a\n${'"'.repeat(2 ** 23 + 9)}`,
      'line 2 has a value of more than 4194304 characters: is its quote never closed?',
    ],
  ]
  for (const [what, csv, expected] of cases) {
    it(`is ${expected === null ? 'read' : 'refused'}: ${what}`, async () => {
      const found = await read(csv).then(
        () => null,
        (fault) => fault instanceof CsvFault && `line ${fault.line} ${fault.reason}`,
      )
      assert.equal(found, expected)
    })
  }
})

describe('a cell with several values', () => {
  it('is read as it was written', () => {
    const value = text.map((one) => one.trim()).filter((one) => one !== '')
    fc.assert(fc.property(fc.array(value), (values) => assert.deepEqual(listIn(listCell(values)), values)))
  })
})
