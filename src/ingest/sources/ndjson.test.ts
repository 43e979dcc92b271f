import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../../test/campaign.ts'
import { ingestedTables } from '../tables.ts'
import { openWorkDatabase, type WorkDatabase } from '../work-database.ts'
import { readNdjson } from './ndjson.ts'
import type { MalformedLine } from './table-part.ts'

const table = ingestedTables[0]
assert.ok(table)

let root: string
let database: WorkDatabase
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'tripfolio-ndjson-'))
  database = await openWorkDatabase(root, { threads: 1 })
})
after(async () => {
  await database.close()
  await rm(root, { recursive: true })
})

async function read(content: string | Uint8Array) {
  const path = join(root, 'clients.ndjson')
  await writeFile(path, content)
  const malformed: MalformedLine[] = []
  const notes: string[] = []
  const part = await readNdjson(
    { table: table as NonNullable<typeof table>, path, file: 'clients.ndjson' },
    {
      database,
      onMalformed: (line) => malformed.push(line),
      onNote: (note) => notes.push(note),
      signal: undefined,
    },
  )
  await database.run(`CREATE OR REPLACE TABLE read_rows AS ${part.select}`)
  const rows = await database.rows('SELECT client_number, name, malformed FROM read_rows ORDER BY rowid')
  return { part, rows: [...rows], malformed, notes }
}

const line = (name: string) => `{"client_number":"1","name":${name}}\n`

describe('readNdjson', () => {
  it('leaves out long members that are no columns, and the zeros of numbers beside them', async () => {
    const long = `"${'x'.repeat(1.2 * 2 ** 20)}"`
    const { rows, malformed } = await read(
      `{"raw":${long},"client_number":1250.0,"name":7.00}\n${line('8.0')}{"client_number":"2","raw":${long},"name":"a 1.0"}\n`,
    )
    assert.deepEqual(malformed, [])
    assert.deepEqual(rows, [
      ['1250', '7', null],
      ['1', '8', null],
      ['2', 'a 1.0', null],
    ])
  })

  const values: readonly [title: string, json: string, text: string | null][] = [
    ['text', '"a"', 'a'],
    ['escaped text', '"\\"\\\\\\n\\u00e9\\ud83d\\ude00"', '"\\\né😀'],
    ['text that holds numbers', '"a 1, \\"b\\": 2.50"', 'a 1, "b": 2.50'],
    ['null', 'null', null],
    ['booleans', 'true', 'true'],
    ['integers beyond what a double holds', '12345678901234567890123', '12345678901234567890123'],
    [
      'decimals with more digits than a double holds',
      '90071992547.409910000000001',
      '90071992547.409910000000001',
    ],
    ['trailing zeros', '1.50', '1.50'],
    ['exponents', '-1.5E+3', '-1.5E+3'],
  ]
  for (const [title, json, text] of values) {
    it(`reads ${title} digit for digit`, async () => {
      assert.deepEqual((await read(line(json))).rows, [['1', text, null]])
    })
  }

  it('reads numbers with white space around them', async () => {
    const { rows } = await read('{ "client_number" :\t5 , "name" : -0.5\t}\r\n')
    assert.deepEqual(rows, [['5', '-0.5', null]])
  })

  it('matches member names in any letter case, and notes unknown ones', async () => {
    const { rows, notes } = await read(
      '{"CLIENT_NUMBER":"1","Name":"a","x":1}\n{"client_number":"2","NAME":"b"}\n',
    )
    assert.deepEqual(rows, [
      ['1', 'a', null],
      ['2', 'b', null],
    ])
    assert.deepEqual(notes, ["clients.ndjson: column 'x' is unknown in table 'clients' and is ignored"])
  })

  it('reads a member that a line leaves out as null, and skips blank lines', async () => {
    const { rows } = await read(`\n{"client_number":"1"}\n  \n${line('"b"')}`)
    assert.deepEqual(rows, [
      ['1', null, null],
      ['1', 'b', null],
    ])
  })

  it('reads lines that are long by members that are no columns', async () => {
    const long = JSON.stringify({ a: 'x "],}'.repeat(2 ** 18), b: [1.5, null] })
    const { rows, malformed } = await read(
      [
        `{"raw":${long},"client_number":"1","name":"a"}`,
        `{"client_number":2,"RAW" : ${long} ,"n\\u0061me":"b"}`,
        `{"client_number":"3","name":"c","raw":${long}}\n`,
      ].join('\n'),
    )
    assert.deepEqual(malformed, [])
    assert.deepEqual(rows, [
      ['1', 'a', null],
      ['2', 'b', null],
      ['3', 'c', null],
    ])
    const broken = await read(`{"client_number":"1","name":"a","raw":${long}x}\n${line('"b"')}`)
    assert.deepEqual([broken.malformed.map(({ row }) => row), broken.rows], [[1], [['1', 'b', null]]])
  })

  const broken = [
    'not json',
    '[1,2]',
    '"text"',
    '5',
    'null',
    '{"client_number":"1","name":"a"',
    '{"client_number":"1","name":"a"}}',
    '{"client_number":"1","name":"a"} {"client_number":"2","name":"b"}',
    '{"client_number":"1","name":01}',
    '{"client_number":"1","name":1.}',
    '{"client_number":"1","name":+1}',
    '{"client_number":"1","name":1e}',
    '{"client_number":"1","name":NaN}',
    '{"client_number":"1","name":nan}',
    '{"client_number":"1","name":-Infinity}',
    '{"client_number":"1","name":"\\ud800"}',
    '{"client_number":"1","name":"open}',
    '{"client_number":"1","name":"a\\',
    '{"client_number":"1","name":{"first":"a"}}',
    '{"client_number":"1","name":["a"]}',
  ]
  for (const text of broken) {
    it(`yields ${text} as a malformed line in its place`, async () => {
      const { rows } = await read(`${line('"before"')}${text}\n${line('"after"')}`)
      assert.deepEqual(
        rows.map(([, name]) => name),
        ['before', null, 'after'],
      )
      assert.equal(rows[1]?.[2] === null, false)
    })
  }

  const ambiguous: readonly (readonly [title: string, text: string])[] = [
    ['the same name', '{"client_number":"1","name":"a","client_number":"2"}'],
    ['the same name with the same value', '{"client_number":"1","name":"a","name":"a"}'],
    ['names that differ in letter case', '{"client_number":"1","CLIENT_NUMBER":"2","name":"a"}'],
    [
      'a name that is also written with an escape',
      '{"client_number":"1","client\\u005fnumber":"2","name":"a"}',
    ],
    ['a name that is also written with blanks', '{"client_number":"1"," client_number\\t" : "2","name":"a"}'],
    ['a name, once without a value', '{"client_number":null,"name":"a","Client_Number":"2"}'],
    ['a name after another object', '{"client_number":"1","x":{"y":["}"]},"name":"a","client_number":"2"}'],
  ]
  for (const [title, text] of ambiguous) {
    it(`sets aside a line that has ${title} twice, with the reason`, async () => {
      const { rows, malformed } = await read(`${line('"before"')}${text}\n${line('"after"')}`)
      assert.deepEqual(
        rows.map(([, name]) => name),
        ['before', 'after'],
      )
      assert.deepEqual(
        malformed.map(({ row, reason }) => [
          row,
          /^column '(client_number|name)' occurs twice$/.test(reason),
        ]),
        [[2, true]],
      )
    })
  }

  it('reads a line in which only unknown names occur twice', async () => {
    const text =
      '{"client_number":"1","name":"a","x":1,"X":2,"x":{"client_number":"2","name":"b","name":"c"}}\n'
    const { rows, malformed } = await read(text)
    assert.deepEqual(rows, [['1', 'a', null]])
    assert.deepEqual(malformed, [])
  })

  it('reads names with blanks around them, as in the header of a CSV file', async () => {
    assert.deepEqual((await read('{" client_number ":"1","name\\t":"a"}\n')).rows, [['1', 'a', null]])
  })

  it('reads brackets inside text as text', async () => {
    assert.deepEqual((await read(line('"x: [1] {2}"'))).rows, [['1', 'x: [1] {2}', null]])
  })

  it('sets aside lines with control characters or invalid UTF-8, with their row numbers', async () => {
    const bytes = Buffer.concat([
      Buffer.from(line('"a"')),
      Buffer.from(line('"\u0001"')),
      Buffer.from(line('"\u00ff"'), 'latin1'),
      Buffer.from(line('"d"')),
      Buffer.from(line('"e\rf"')),
      Buffer.from(line('"g"').replace('\n', '\r\n')),
    ])
    const { rows, malformed, part } = await read(bytes)
    assert.deepEqual(
      rows.map(([, name]) => name),
      ['a', 'd', 'g'],
    )
    assert.deepEqual(
      malformed.map(({ row }) => row),
      [2, 3, 5],
    )
    assert.deepEqual([0, 1, 2].map(part.rowAt), [1, 4, 6])
  })

  it('refuses a file in which no line has a required column', async () => {
    await assert.rejects(read('{"client_number":"1"}\n'), { code: 'ING103', message: /Column 'name'/ })
  })

  it('reads one blank line as a table without rows', async () => {
    assert.deepEqual((await read('\n')).rows, [])
  })

  it('reads exactly the lines that JSON.parse reads', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }).map((value) => JSON.stringify(value)),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.constantFrom(
        'true',
        'null',
        'nan',
        'Infinity',
        'nulltrue',
        '-',
        '1e5',
        '01',
        '"',
        '"a"b',
        '\\',
        '{}',
        '1 2',
        '"\\u12"',
        '/',
      ),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 60 }), async (texts) => {
        const { rows } = await read(line('"first"') + texts.map(line).join(''))
        for (const [at, json] of texts.entries()) {
          const row = rows[at + 1]
          assert.equal(row?.[2] === null, isPlain(line(json)), json)
          if (row?.[2] === null && json.startsWith('"')) assert.equal(row[1] ?? '', JSON.parse(json), json)
        }
      }),
      { seed: campaignSeed, numRuns: repeated(50, 1000) },
    )
  })
})

function isPlain(text: string): boolean {
  try {
    const { name } = JSON.parse(text)
    return typeof name !== 'object' || name === null
  } catch {
    return false
  }
}
