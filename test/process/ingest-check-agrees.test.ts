/** A check and a refresh of the same extract give the same verdict, whatever the files look like. */
import assert from 'node:assert/strict'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { checkExtract } from '../../src/ingest/check/check-extract.ts'
import { extractTables, type TableName } from '../../src/schema/extract-tables.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { type Folders, makeFolders, refresh } from './ingest-fixture.ts'

type Files = Readonly<Record<string, string | Uint8Array>>
type Case = {
  readonly title: string
  /** Whether both accept it. */
  readonly fits: boolean
  /** What the extract has instead of `clients.csv`. */
  readonly files: Files
  readonly mapping?: string
  /** 0 unless given. */
  readonly maxRejectShare?: number
  readonly offsetTimes?: 'keepLocal' | 'refuse'
}

const csv = 'client_number,name\nC100,Harbour\nC200,Limmat\nC300,New\n'
const json = '[{"client_number":"C100","name":"a"},\n{"client_number":"C200","name":"b"}]'
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le')
const latin1 = Buffer.from(csv.replace('Harbour', 'Zürich'), 'latin1')
const zipped = gzipSync(csv)

/** A booking with some other values. */
const booking = (changed: Readonly<Record<string, string>>): Files => {
  const values: Readonly<Record<string, string | null>> = { ...fixtureExtract.bookings[0], ...changed }
  const names = extractTables.bookings.columns.map((each) => each.column)
  return { 'clients.csv': csv, 'bookings.csv': `${names}\n${names.map((each) => values[each] ?? '')}\n` }
}

const encoded = (encoding: string): string => `SET VARIABLE encoding_clients = '${encoding}';`
const oneOf20 = (line: string): Buffer =>
  Buffer.from(
    `client_number,name\n${line}\n${Array.from({ length: 19 }, (_, at) => `C${at},x\n`).join('')}`,
    'latin1',
  )

const cases: readonly Case[] = [
  ...[0.05, 0.04].flatMap((maxRejectShare): Case[] => {
    const fits = maxRejectShare === 0.05
    return [
      { title: 'one malformed line', fits, files: { 'clients.csv': oneOf20('C99') }, maxRejectShare },
      {
        title: 'one line that is not UTF-8',
        fits,
        files: { 'clients.csv': oneOf20('C99,\xfc') },
        maxRejectShare,
      },
      { title: 'one value that does not fit', fits, files: { 'clients.csv': oneOf20(',x') }, maxRejectShare },
    ]
  }),
  { title: 'CSV with a byte order mark', fits: true, files: { 'clients.csv': `\ufeff${csv}` } },
  { title: 'mixed line ends', fits: true, files: { 'clients.csv': csv.replace('\n', '\r\n') } },
  { title: 'lines that end with CR only', fits: false, files: { 'clients.csv': csv.replaceAll('\n', '\r') } },
  { title: 'blank lines', fits: true, files: { 'clients.csv': csv.replaceAll('\n', '\n\n') } },
  {
    title: 'quotes, tabs and commas',
    fits: true,
    files: { 'clients.tsv': 'client_number\tname\nC100\t"a\tb ""c"", d"\nC200\tx "y" z\n' },
  },
  { title: 'a quote that is never closed', fits: false, files: { 'clients.csv': `${csv}C9,"x\n` } },
  { title: 'a null in a required column', fits: false, files: { 'clients.csv': `${csv}\\N,x\n` } },
  { title: 'a null in quotes', fits: true, files: { 'clients.csv': `${csv}C9,"\\N"\n` } },
  { title: 'a header only, without a line end', fits: true, files: { 'clients.csv': 'client_number,name' } },
  { title: 'a repeated column', fits: false, files: { 'clients.csv': 'client_number,name,NAME\nC1,a,b\n' } },
  { title: 'a value too many', fits: false, files: { 'clients.csv': `${csv}C9,x,y\n` } },
  {
    title: 'two gzip files as one',
    fits: true,
    files: { 'clients.csv.gz': Buffer.concat([gzipSync('client_number,name\n'), gzipSync('C1,x\n')]) },
  },
  { title: 'gzip that was cut off', fits: false, files: { 'clients.csv.gz': zipped.subarray(0, -9) } },
  { title: 'gzip of nothing', fits: false, files: { 'clients.csv.gz': gzipSync('') } },
  {
    title: 'gzip that is padded with zeros',
    fits: true,
    files: { 'clients.csv.gz': Buffer.concat([zipped, Buffer.alloc(512)]) },
  },
  { title: 'lines of delimiters alone', fits: true, files: { 'clients.csv': `${csv},\n,,\r\n` } },
  {
    title: 'parts without content beside a _SUCCESS',
    fits: true,
    files: {
      'clients/_SUCCESS': '',
      'clients/1.csv': '',
      'clients/2.csv': csv,
      'clients/3.csv': '',
    },
  },
  {
    title: 'compressed parts of nothing beside a _SUCCESS',
    fits: true,
    files: { 'clients/_SUCCESS': '', 'clients/1.csv.gz': gzipSync(''), 'clients/2.csv.gz': zipped },
  },
  {
    title: 'parts without content without a _SUCCESS',
    fits: false,
    files: { 'clients/1.csv': '', 'clients/2.csv': csv },
  },
  ...[Buffer.of(), gzipSync('')].map((content) => ({
    title: `only parts of nothing (${content.length} bytes) beside a _SUCCESS`,
    fits: false,
    files: { 'clients/_SUCCESS': '', 'clients/1.csv.gz': content, 'clients/2.csv.gz': content },
  })),
  {
    title: 'a column that is ignored, with a value of 1.1 MB',
    fits: true,
    files: { 'clients.csv': `${csv.replaceAll('\n', `,${'x'.repeat(1_100_000)}\n`).replace(/x+/, 'xml')}` },
  },
  { title: 'gzip under another name', fits: false, files: { 'clients.csv': zipped } },
  { title: 'UTF-16 with a mark, not stated', fits: false, files: { 'clients.csv': utf16(`\ufeff${csv}`) } },
  { title: 'UTF-16 without a mark, not stated', fits: false, files: { 'clients.csv': utf16(csv) } },
  {
    title: 'big-endian UTF-16, stated',
    fits: true,
    files: { 'clients.csv': utf16(csv).swap16() },
    mapping: encoded('utf-16be'),
  },
  {
    title: 'compressed UTF-16, stated',
    fits: true,
    files: { 'clients.csv.gz': gzipSync(utf16(csv)) },
    mapping: encoded('utf-16le'),
  },
  {
    title: 'UTF-16 in JSON, stated',
    fits: true,
    files: { 'clients.json': utf16(json) },
    mapping: encoded('utf-16'),
  },
  { title: 'Windows-1252, not stated', fits: false, files: { 'clients.csv': latin1 } },
  {
    title: 'Windows-1252 that Latin-1 lacks, stated',
    fits: true,
    files: { 'clients.csv': Buffer.from(csv.replace('Harbour', '\x80'), 'latin1') },
    mapping: encoded('windows-1252'),
  },
  {
    title: 'Shift JIS, stated',
    fits: true,
    files: { 'clients.csv': Buffer.from('client_number,name\nC1,\x83\x5c\x83\x7c\n', 'latin1') },
    mapping: encoded('shift_jis'),
  },
  {
    title: 'a statement that the file contradicts',
    fits: false,
    files: { 'clients.csv': latin1 },
    mapping: encoded('shift_jis'),
  },
  { title: 'an array of JSON on one line', fits: true, files: { 'clients.json': json.replace('\n', '') } },
  { title: 'an empty array', fits: true, files: { 'clients.json': '[]' } },
  { title: 'an array that is not closed', fits: false, files: { 'clients.json': json.slice(0, -1) } },
  { title: 'an array of arrays', fits: false, files: { 'clients.json': '[["C1","x"]]' } },
  { title: 'a nested value', fits: false, files: { 'clients.json': json.replace('"a"', '{"en":"a"}') } },
  {
    title: 'a repeated member',
    fits: false,
    files: { 'clients.json': json.replace('"a"', '"a","Name":"b"') },
  },
  {
    title: 'lines of JSON, compressed',
    fits: true,
    files: { 'clients.ndjson.gz': gzipSync('{"client_number":1,"name":"x"}\n') },
  },
  {
    title: 'lines of JSON of which one is broken',
    fits: false,
    files: { 'clients.jsonl': '{"client_number":"C1","name":"x"}\n{"client_number":\n' },
  },
  {
    title: 'parts with different columns',
    fits: true,
    files: { 'clients-1.csv': csv, 'clients-2.csv': 'region;name;client_number\nN;x;C9\n' },
  },
  {
    title: 'parts of which one lacks a column',
    fits: false,
    files: { 'clients-1.csv': csv, 'clients-2.csv': 'client_number\nC9\n' },
  },
  {
    title: 'parts in different formats',
    fits: false,
    files: { 'clients-1.csv': csv, 'clients-2.json': json },
  },
  {
    title: 'folders of years',
    fits: true,
    files: { 'clients/year=2025/a.csv': csv, 'clients/year=2026/a.csv': 'client_number,name\nC9,x\n' },
  },
  {
    title: 'folders that name a required column',
    fits: true,
    files: { 'clients/client_number=C%2F1/a.csv': 'name\nx\n' },
  },
  {
    title: 'folders that name a required column of JSON',
    fits: true,
    files: { 'clients/client_number=7/a.json': '[{"name":"x"}]' },
  },
  {
    title: 'a folder that gives null to a required column',
    fits: false,
    files: { 'clients/client_number=__HIVE_DEFAULT_PARTITION__/a.csv': 'name\nx\n' },
  },
  {
    title: 'a folder with a value that is too long',
    fits: false,
    files: { [`clients/client_number=${'9'.repeat(80)}/a.csv`]: 'name\nx\n' },
  },
  { title: 'a folder of another kind', fits: false, files: { 'clients/old/a.csv': csv } },
  { title: 'a folder with the name of a file', fits: true, files: { 'clients.csv/part-0.csv': csv } },
  { title: 'an empty folder', fits: false, files: { 'clients/_SUCCESS': '' } },
  { title: 'a file of no bytes', fits: false, files: { 'clients.csv': '' } },
  { title: 'invoices without lines', fits: false, files: { 'clients.csv': csv, 'invoices.csv': 'x' } },
  { title: 'an offset', fits: true, files: booking({ modified_at: '2026-01-02T03:04:05+10:00' }) },
  {
    title: 'an offset that the setting refuses',
    fits: false,
    files: booking({ modified_at: '2026-01-02T03:04Z' }),
    offsetTimes: 'refuse',
  },
  {
    title: 'values as programs write them',
    fits: true,
    files: booking({
      modified_at: '2026-01-02 03:04:05.678',
      booking_date: '2026-01-02 00:00:00.000',
      is_ticketed: 'Y',
      is_international: 'f',
      trip_start_utc: '\\N',
    }),
  },
  { title: 'a date with a time', fits: false, files: booking({ booking_date: '2026-01-02 00:01' }) },
  { title: 'a null of another kind', fits: false, files: booking({ trip_start_utc: 'NULL' }) },
]

const header = (table: TableName): string => `${extractTables[table].columns.map(({ column }) => column)}\n`

async function write({ source }: Folders, { files, mapping }: Case): Promise<void> {
  await rm(source, { recursive: true, force: true })
  await mkdir(source, { recursive: true })
  await writeFile(join(source, 'bookings.csv'), header('bookings'))
  for (const [file, content] of Object.entries(files)) {
    await mkdir(dirname(join(source, file)), { recursive: true })
    await writeFile(join(source, file), content)
  }
  if (mapping !== undefined) await writeFile(join(source, 'tripfolio.sql'), mapping)
}

describe('a check', () => {
  it('says of each of these extracts what a refresh says', async (t) => {
    const folders = await makeFolders(t)
    const wrong: string[] = []
    for (const each of cases) {
      await write(folders, each)
      const { maxRejectShare = 0, offsetTimes = 'keepLocal' } = each
      const limits = { maxRejectShare, offsetTimes }
      const { fits, tables } = await checkExtract({ source: folders.source, ...limits }).catch(
        (problem: unknown) => ({ fits: String(problem), tables: [] }),
      )
      const accepted = await refresh(folders, { ...limits, acceptShrink: true }).then(
        () => 'accepted',
        (problem: unknown) => String(problem),
      )
      if (fits !== each.fits || (accepted === 'accepted') !== each.fits) {
        const faults = tables.flatMap((table) => (table.fits ? [] : [JSON.stringify(table)]))
        wrong.push(`${each.title}: ${fits ? 'fits' : faults.join()}; a refresh: ${accepted}`)
      }
    }
    assert.deepEqual(wrong, [])
  })
})
