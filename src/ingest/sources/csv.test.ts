import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../../test/campaign.ts'
import { ingestedTables } from '../tables.ts'
import { openWorkDatabase, type WorkDatabase } from '../work-database.ts'
import { readCsv } from './csv.ts'
import type { MalformedLine, TablePart } from './table-part.ts'

const table = ingestedTables[0]
assert.ok(table)

let root: string
let database: WorkDatabase
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'tripfolio-csv-'))
  database = await openWorkDatabase(root, { threads: 1, source: root })
})
after(async () => {
  await database.close()
  await rm(root, { recursive: true })
})

type Read = {
  readonly part: TablePart
  readonly rows: unknown[][]
  readonly malformed: readonly MalformedLine[]
  readonly notes: readonly string[]
}

async function read(content: string | Uint8Array, file = 'clients.csv'): Promise<Read> {
  const path = join(root, file)
  await writeFile(path, content)
  const malformed: MalformedLine[] = []
  const notes: string[] = []
  const part = await readCsv(
    { table: table as NonNullable<typeof table>, path, file },
    {
      database,
      onMalformed: (line) => malformed.push(line),
      onNote: (note) => notes.push(note),
      signal: undefined,
    },
  )
  await database.run(`CREATE OR REPLACE TABLE read_rows AS ${part.select}`)
  const rows = await database.rows('SELECT client_number, name FROM read_rows ORDER BY rowid')
  return { part, rows: [...rows], malformed, notes }
}

const header = 'client_number,name\n'

describe('readCsv', () => {
  const wellFormed: readonly [title: string, body: string | Buffer, rows: unknown[][]][] = [
    [
      'plain values',
      '1,a\n2,b\n',
      [
        ['1', 'a'],
        ['2', 'b'],
      ],
    ],
    [
      'quoted separators, quotes and line ends',
      '1,"a,""b"""\n2,"x\r\ny\nz"\n',
      [
        ['1', 'a,"b"'],
        ['2', 'x\r\ny\nz'],
      ],
    ],
    ['quotes inside an unquoted value', '1,a "b" c\n', [['1', 'a "b" c']]],
    ['spaces around a quoted value, which are not part of it', '1, "a" \n', [['1', 'a']]],
    ['spaces around an unquoted value, which are part of it', ' 1 , a \n', [[' 1 ', ' a ']]],
    ['spaces inside quotes', '1," a "\n', [['1', ' a ']]],
    [
      'a last line without line end',
      '1,a\n2,b',
      [
        ['1', 'a'],
        ['2', 'b'],
      ],
    ],
    [
      'a last quoted value without line end',
      '1,a\n2,"b"',
      [
        ['1', 'a'],
        ['2', 'b'],
      ],
    ],
    [
      'blank lines, which are not rows',
      '\n1,a\n\n\n2,b\n\n',
      [
        ['1', 'a'],
        ['2', 'b'],
      ],
    ],
    [
      'lines of delimiters alone, which are not rows, however many they are',
      '1,a\n,\n2,b\r\n,,,,\r\n,',
      [
        ['1', 'a'],
        ['2', 'b'],
      ],
    ],
    [
      'Windows line ends',
      '1,a\r\n2,b\r\n',
      [
        ['1', 'a'],
        ['2', 'b'],
      ],
    ],
    [
      'both kinds of line ends',
      '1,a\r\n2,b\n3,c\r\n',
      [
        ['1', 'a'],
        ['2', 'b'],
        ['3', 'c'],
      ],
    ],
    ['NUL and other control characters', '1,a\u0000b\u0001\n', [['1', 'a\u0000b\u0001']]],
    [
      'words that others take for null, of which only a backslash with an N is one, and not in quotes',
      'NULL,\\N\nnull,NaN\nN,"\\N"\n',
      [
        ['NULL', null],
        ['null', 'NaN'],
        ['N', '\\N'],
      ],
    ],
    ['characters of every plane', '😀,\uffff\n', [['😀', '\uffff']]],
    ['a file without rows', '', []],
  ]
  for (const [title, body, rows] of wellFormed) {
    it(`reads ${title}`, async () => {
      const found = await read(Buffer.concat([Buffer.from(header), Buffer.from(body)]))
      assert.deepEqual(found.rows, rows)
      assert.deepEqual(found.malformed, [])
      assert.equal(found.part.expectedRows, rows.length)
    })
  }

  const malformed: readonly [
    title: string,
    body: Buffer | string,
    reason: RegExp,
    row: number,
    rest: unknown[][],
  ][] = [
    [
      'too few values',
      '1,a\n2\n3,c\n',
      /1 value for 2 columns/,
      2,
      [
        ['1', 'a'],
        ['3', 'c'],
      ],
    ],
    ['too many values', '1,a,\n2,b\n', /3 values for 2 columns/, 1, [['2', 'b']]],
    ['text after a closing quote', '1,"a"x\n2,b\n', /text after a closing quote/, 1, [['2', 'b']]],
    [
      'a quote that is never closed',
      '1,a\n2,"b\n3,c\n',
      /never closed/,
      2,
      [
        ['1', 'a'],
        ['3', 'c'],
      ],
    ],
    [
      'a quote that swallows the next line',
      '1,"a\n2,"b"\n3,c\n',
      /text after a closing quote/,
      1,
      [
        ['2', 'b'],
        ['3', 'c'],
      ],
    ],
    ['a lone carriage return', '1,a\rb\n2,b\n', /carriage return/, 1, [['2', 'b']]],
    ['a backslash as an escape', '1,"a\\"b"\n2,b\n', /text after a closing quote/, 1, [['2', 'b']]],
    [
      'bytes that are not UTF-8',
      Buffer.from('1,a\n2,\u00ff\n3,c\n', 'latin1'),
      /not valid UTF-8/,
      2,
      [
        ['1', 'a'],
        ['3', 'c'],
      ],
    ],
    [
      'a cut multi-byte character',
      Buffer.from('1,a\n2,\u00c3\n3,c\n', 'latin1'),
      /not valid UTF-8/,
      2,
      [
        ['1', 'a'],
        ['3', 'c'],
      ],
    ],
    [
      'a line longer than a mebibyte',
      `1,${'x'.repeat(2 ** 20)}\n2,b\n`,
      /longer than 1048576 bytes/,
      1,
      [['2', 'b']],
    ],
    [
      'a line longer than all buffers',
      `1,${'x'.repeat(9 * 2 ** 20)}\n2,b\n`,
      /longer than 1048576 bytes/,
      1,
      [['2', 'b']],
    ],
  ]
  for (const [title, body, reason, row, rest] of malformed) {
    it(`sets aside ${title}, and no other line`, async () => {
      const found = await read(Buffer.concat([Buffer.from(header), Buffer.from(body)]))
      assert.deepEqual(found.rows, rest)
      assert.deepEqual(
        found.malformed.map((line) => line.row),
        [row],
      )
      assert.match(found.malformed[0]?.reason ?? '', reason)
      assert.equal(found.part.malformedRows, 1)
    })
  }

  it('knows the row number in the file of every row that it yields', async () => {
    const { part } = await read(`${header}1,a\nbad\n3,c\n"x\ny",d\nbad\nbad\n7,g\n`)
    assert.deepEqual([0, 1, 2, 3].map(part.rowAt), [1, 3, 4, 7])
  })

  for (const [bytes, columns] of [
    [2 ** 20 + 100, ['client_number', 'raw', 'name']],
    [2 ** 20 + 100, ['raw', 'client_number', 'name']],
    [11 * 2 ** 20, ['client_number', 'name', 'raw']],
    [11 * 2 ** 20, ['Raw,"2"', 'raw', 'name', 'client_number']],
  ] as const) {
    for (const [title, value] of [
      ['plain', 'x'.repeat(bytes)],
      ['quoted', `"${'a "",\n'.repeat(bytes / 6)}"`],
    ] as const) {
      it(`reads all rows around a ${title} value of ${bytes} bytes in an ignored column: ${columns}`, async () => {
        const lines = ['1', '2', '3'].map((number) =>
          columns
            .map((column) =>
              column === 'client_number' ? number : column === 'name' ? `"n,${number}"` : null,
            )
            .map((text) => text ?? (number === '2' ? value : ''))
            .join(','),
        )
        const names = columns.map((column) => `"${column.replaceAll('"', '""')}"`).join(',')
        const { rows, malformed } = await read(`${names}\n${lines.join('\r\n')}`)
        assert.deepEqual(malformed, [])
        assert.deepEqual(rows, [
          ['1', 'n,1'],
          ['2', 'n,2'],
          ['3', 'n,3'],
        ])
      })
    }
  }

  it('sets aside one line for each of many quotes that are never closed in an ignored column', async () => {
    const good = `9,b,${'z'.repeat(2000)}\n`.repeat(600)
    const { rows, malformed } = await read(`client_number,name,raw\n${`1,a,"x\n${good}`.repeat(6)}`)
    assert.deepEqual([malformed.length, rows.length], [6, 3600])
  })

  it('reads a file whose name is a glob pattern', async () => {
    const { rows } = await read(`${header}1,a\n`, 'clients[1]*?.csv')
    assert.deepEqual(rows, [['1', 'a']])
  })

  for (const delimiter of [',', ';', '\t', '|']) {
    it(`finds the delimiter ${JSON.stringify(delimiter)} in the header`, async () => {
      const { rows } = await read(`"Client_Number"${delimiter}name\n1${delimiter}"a${delimiter}b"\n`)
      assert.deepEqual(rows, [['1', `a${delimiter}b`]])
    })
  }

  const refused: readonly [title: string, content: string | Buffer, code: string, message: RegExp][] = [
    [
      'without a required column',
      'client_number,nmae\n1,a\n',
      'ING103',
      /Column 'name' of table 'clients' is missing in clients.csv/,
    ],
    [
      'without any known column',
      '1,a\n2,b\n',
      'ING103',
      /Columns 'client_number', 'name' of table 'clients' are missing in/,
    ],
    ['that names a column twice', 'name,client_number,NAME\n', 'ING108', /column 'name' occurs twice/],
    ['with a blank first line', `\n${header}1,a\n`, 'ING108', /first line is blank/],
    ['in UTF-16', Buffer.from(`\ufeff${header}`, 'utf16le'), 'ING141', /UTF-16/],
    [
      'with a header that is not UTF-8',
      Buffer.from('client_number,name,\u00ff\n', 'latin1'),
      'ING108',
      /not valid UTF-8/,
    ],
    [
      'whose lines end in carriage returns only',
      'client_number,name\r1,a\r',
      'ING108',
      /carriage return and no line feed/,
    ],
    ['with an endless header', `${'x'.repeat(70_000)}`, 'ING108', /longer than 65536 bytes/],
  ]
  for (const [title, content, code, message] of refused) {
    it(`refuses a file ${title}`, async () => {
      await assert.rejects(read(content), { code, message })
    })
  }

  it('notes unknown columns', async () => {
    const { notes } = await read('client_number,name,Rating\n1,a,5\n')
    assert.deepEqual(notes, ["clients.csv: column 'Rating' is unknown in table 'clients' and is ignored"])
  })

  it('shows the database exactly the rows it counted, whatever the bytes', async () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      ',',
      ',',
      '"',
      '"',
      '""',
      '\n',
      '\n',
      '\r\n',
      '\r',
      ' ',
      '\t',
      '\0',
      'é',
      '\\',
    )
    const bytes = fc.constantFrom(...[0xff, 0xc3, 0xef, 0xbb, 0xbf].map((byte) => Buffer.from([byte])))
    const body = fc.array(
      fc.oneof({ weight: 30, arbitrary: piece.map((text) => Buffer.from(text)) }, bytes),
      {
        maxLength: 120,
      },
    )
    await fc.assert(
      fc.asyncProperty(body, async (pieces) => {
        const { part, rows, malformed } = await read(Buffer.concat([Buffer.from(header), ...pieces]))
        assert.equal(rows.length, part.expectedRows)
        assert.equal(malformed.length, part.malformedRows)
        const numbers = [...rows.keys()].map(part.rowAt).concat(malformed.map(({ row }) => row))
        assert.deepEqual(
          numbers.sort((a, b) => a - b),
          numbers.map((_, at) => at + 1),
        )
      }),
      { seed: campaignSeed, numRuns: repeated(150, 3000) },
    )
  })
})
