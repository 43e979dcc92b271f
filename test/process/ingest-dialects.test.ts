/** CSV in which backslashes are escapes: read as stated, and pointed out where nothing is stated. */
import assert from 'node:assert/strict'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { checkExtract } from '../../src/ingest/check/check-extract.ts'
import { makeFolders, overwrite, publishedRecords, refresh, rejectsIn } from './ingest-fixture.ts'

const names = [
  ...['client_number', 'record_locator', 'originating_agency', 'booking_date', 'modified_at', 'is_ticketed'],
  ...['is_international', 'trip_start_local', 'trip_end_local', 'traveller', 'department', 'cost_centre'],
]
const rest = [
  'Desk',
  '2026-03-02',
  '2026-03-02T09:00',
  'true',
  'false',
  '2026-03-10T08:00',
  '2026-03-12T20:00',
]

/** Bookings with these fields for traveller and department, as they stand in the file. */
const bookings = (delimiter: string, quote: string, rows: readonly (readonly [string, string])[]): string =>
  [names, ...rows.map((row, at) => ['K1', `L${at}`, ...rest].map((each) => each).concat(row, '0042'))]
    .map((fields, at) =>
      fields
        .map((each, place) => (at > 0 && (place === 9 || place === 10) ? each : `${quote}${each}${quote}`))
        .join(delimiter),
    )
    .join('\n')
    .concat('\n')

type Case = {
  readonly title: string
  readonly file: string
  readonly text: string
  readonly setting: string
  /** Traveller and department of each booking. */
  readonly expected: readonly (readonly [string | null, string | null])[]
}

const copyText: Case = {
  title: 'COPY of PostgreSQL as text',
  file: 'bookings.tsv',
  text: bookings('\t', '', [
    ['Nord\\\\Syd', 'Sales'],
    ['a\\tb', 'Sales'],
    ['two\\nlines', '\\N'],
  ]),
  setting: `escape_bookings = '\\'`,
  expected: [
    ['Nord\\Syd', 'Sales'],
    ['a\tb', 'Sales'],
    ['two\nlines', null],
  ],
}
const unload: Case = {
  title: 'UNLOAD of Redshift with ADDQUOTES and ESCAPE',
  file: 'bookings.csv',
  text: bookings('|', '"', [
    ['"Nord\\\\Syd"', '"Sales"'],
    ['"a\\|b \\\'c\\\'"', '"x\\\ny"'],
    ['"Ann \\"Bee\\" Cole"', '"\\"Q\\""'],
  ]),
  setting: `escape = '\\'`,
  expected: [
    ['Nord\\Syd', 'Sales'],
    ["a|b 'c'", 'x\ny'],
    ['Ann "Bee" Cole', '"Q"'],
  ],
}
const cases: readonly Case[] = [
  copyText,
  unload,
  { ...unload, title: 'the same, compressed', file: 'bookings.csv.gz' },
  {
    title: 'INTO OUTFILE of MySQL',
    file: 'bookings.tsv',
    text: bookings('\t', '', [
      ['a\\\tb', 'x\\\ny'],
      ['"quoted" \\\\N', ''],
      ['"all"', '\\N'],
    ]),
    setting: `escape_bookings = '\\'; SET VARIABLE quote_bookings = ''`,
    expected: [
      ['a\tb', 'x\ny'],
      ['"quoted" \\N', null],
      ['"all"', null],
    ],
  },
  {
    title: 'CSV of Spark',
    file: 'bookings.csv',
    text: bookings(',', '', [
      ['C:\\temp', '"a \\"b\\", c:\\\\d\\e"'],
      ['\\\\server', 'x'],
    ]),
    setting: `escape_bookings = '\\"'`,
    expected: [
      ['C:\\temp', 'a "b", c:\\d\\e'],
      ['\\\\server', 'x'],
    ],
  },
  {
    title: 'RFC 4180 with \\N for null',
    file: 'bookings.csv',
    text: bookings(',', '', [
      ['C:\\temp', '\\N'],
      ['\\\\', '"a ""b"""'],
    ]),
    setting: `escape = '"'`,
    expected: [
      ['C:\\temp', null],
      ['\\\\', 'a "b"'],
    ],
  },
]

async function write({ source }: { readonly source: string }, { file, text }: Case, setting?: string) {
  await mkdir(source, { recursive: true })
  const content = file.endsWith('.gz') ? gzipSync(text) : text
  await overwrite(source, { 'clients.csv': 'client_number,name\nK1,Nordlys\n', [file]: content })
  if (setting !== undefined) await writeFile(join(source, 'tripfolio.sql'), `SET VARIABLE ${setting};`)
}

async function published(data: string) {
  const records = (await publishedRecords(data, 'K1', 'itineraries', 1)).map((text) => JSON.parse(text))
  return records
    .toSorted((a, b) => (a.recordLocator < b.recordLocator ? -1 : 1))
    .map(({ traveller, department }) => [traveller, department])
}

const withoutOthers = (warnings: readonly { readonly kind: string; readonly message: string }[]) =>
  warnings.filter(({ kind }) => kind === 'escape-unclear').map(({ message }) => message)

describe('a stated escape', () => {
  for (const each of cases) {
    it(`reads ${each.title}`, async (t) => {
      const folders = await makeFolders(t)
      await write(folders, each, each.setting)
      const { rejects, warnings } = await refresh(folders)
      assert.deepEqual([rejects, withoutOthers(warnings)], [0, []])
      assert.deepEqual(await published(folders.data), each.expected)
      const { fits, tables } = await checkExtract({ source: folders.source, maxRejectShare: 0 })
      assert.equal(fits, true, JSON.stringify(tables))
    })
  }

  it('sets aside what these databases never write, and is refused when it is unknown', async (t) => {
    const folders = await makeFolders(t)
    await write(
      folders,
      {
        ...copyText,
        text: bookings('\t', '', [
          ['a\\d', 'x'],
          ['b', 'y'],
        ]),
      },
      `escape = '\\'`,
    )
    await refresh(folders, { maxRejectShare: 1 })
    const [current] = [(await readFile(join(folders.data, 'current'), 'utf8')).trim()]
    const [reject] = await rejectsIn(join(folders.data, 'snapshots', current ?? ''))
    assert.match(reject?.message ?? '', /the backslash before 'd' is no escape/)
    for (const [setting, message] of [
      [`escape = '/'`, /'escape', but '\/' is not one of its values/],
      [`quote_booking = ''`, /there is no table 'booking'/],
    ] as const) {
      await write(folders, copyText, setting)
      await assert.rejects(refresh(folders), { code: 'ING140', message })
    }
  })
})

describe('a view over a file with escapes', () => {
  it('reads its characters with the mapping that a check drafts, as does one over lines of delimiters alone', async (t) => {
    const folders = await makeFolders(t)
    const text = copyText.text.replaceAll('2026-03-02\t', '02.03.2026\t').replaceAll('_', '')
    for (const file of ['PNR.tsv', 'PNR.tsv.gz']) {
      await write(folders, { ...copyText, file, text: `${text}${'\t'.repeat(11)}\n` })
      const { mapping } = await checkExtract({ source: folders.source, maxRejectShare: 0 })
      assert.match(mapping ?? '', /^SET VARIABLE escape_bookings = '\\';\nCREATE VIEW bookings/m)
      await writeFile(join(folders.source, 'tripfolio.sql'), mapping ?? '')
      assert.equal((await refresh(folders)).rejects, 0)
      assert.deepEqual(await published(folders.data), copyText.expected)
      await rm(folders.source, { recursive: true })
    }
    const lines = text.replaceAll('\\', '').replace('N\t0042', '\t0042')
    await write(folders, { ...copyText, file: 'PNR.tsv', text: `${lines}${'\t'.repeat(11)}\n` })
    const { mapping } = await checkExtract({ source: folders.source, maxRejectShare: 0 })
    assert.match(mapping ?? '', / WHERE coalesce\(.*\) IS NOT NULL;$/m)
    await writeFile(join(folders.source, 'tripfolio.sql'), mapping ?? '')
    assert.equal((await refresh(folders)).rejects, 0)
  })

  it('is refused where a line cannot be read so', async (t) => {
    const folders = await makeFolders(t)
    const text = copyText.text.replace('\\\\', '\\d')
    await write(folders, { ...copyText, file: 'PNR.tsv', text }, copyText.setting)
    const sql = `SET VARIABLE ${copyText.setting}; CREATE VIEW bookings AS SELECT * FROM read_csv('PNR.tsv', all_varchar = true);`
    await writeFile(join(folders.source, 'tripfolio.sql'), sql)
    await assert.rejects(refresh(folders), {
      code: 'ING105',
      message: /PNR.tsv, .* row 1 is malformed: the backslash before 'd' is no escape/,
    })
  })
})

describe('a value that is NUL, as bcp writes an empty text', () => {
  it('gets its cast from a check', async (t) => {
    const folders = await makeFolders(t)
    const text = bookings(';', '', [
      ['Ada', '\0'],
      ['Bo', '\0'],
    ]).replaceAll('\n', '\r\n')
    await write(folders, { ...copyText, file: 'bookings.csv', text })
    await assert.rejects(refresh(folders), { code: 'ING110', message: /character.nul in department/ })
    const { mapping } = await checkExtract({ source: folders.source, maxRejectShare: 0 })
    assert.match(mapping ?? '', /^ {2}nullif\("department", chr\(0\)\) AS department,$/m)
    await writeFile(join(folders.source, 'tripfolio.sql'), mapping ?? '')
    assert.equal((await refresh(folders)).rejects, 0)
    assert.deepEqual(await published(folders.data), [
      ['Ada', null],
      ['Bo', null],
    ])
  })
})

describe('backslashes of which nothing is stated', () => {
  it('are read as characters, with a warning where databases write escapes so', async (t) => {
    const folders = await makeFolders(t)
    await write(folders, copyText)
    const { rejects, warnings } = await refresh(folders)
    assert.equal(rejects, 0)
    assert.match(
      withoutOthers(warnings).join(),
      /^Files of table 'bookings' .* SET VARIABLE escape_bookings = '\\' if/,
    )
    const { fits, mapping } = await checkExtract({ source: folders.source, maxRejectShare: 0 })
    assert.deepEqual([fits, mapping?.match(/^SET .*$/gm)], [true, [`SET VARIABLE escape_bookings = '\\';`]])
    await writeFile(join(folders.source, 'tripfolio.sql'), mapping ?? '')
    await refresh(folders)
    assert.deepEqual(await published(folders.data), copyText.expected)
  })

  it('make a malformed line, whose reason names the setting', async (t) => {
    const folders = await makeFolders(t)
    await write(folders, unload)
    await assert.rejects(refresh(folders), { code: 'ING110', message: /SET VARIABLE escape_bookings/ })
    const { fits, mapping, tables } = await checkExtract({ source: folders.source, maxRejectShare: 0 })
    assert.deepEqual([fits, mapping?.match(/^SET .*$/gm)], [false, [`SET VARIABLE escape_bookings = '\\';`]])
    assert.match(JSON.stringify(tables), /backslashes/)
  })

  it('are characters without a warning where databases write none of it, or no null so', async (t) => {
    for (const rows of [[['C:\\dir \\\\server', '\\N']], [['a\\tb \\\\', 'x']], [['x', '\\N']]] as const) {
      const folders = await makeFolders(t)
      await write(folders, { ...copyText, text: bookings('\t', '', rows) })
      const { warnings } = await refresh(folders)
      assert.deepEqual(withoutOthers(warnings), [])
      const { mapping } = await checkExtract({ source: folders.source, maxRejectShare: 0 })
      assert.equal(mapping, null)
    }
  })
})
