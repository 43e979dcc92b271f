/** Files in a stated encoding are decoded before the SQL of a mapping reads them. */
import assert from 'node:assert/strict'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { checkExtract } from '../../src/ingest/check/check-extract.ts'
import { permittedStatements } from '../../src/ingest/guard/permitted-statements.ts'
import { decodedFolder } from '../../src/ingest/mapping/decoded-files.ts'
import { windows1252, windows1252Extract } from '../fixtures/windows-1252.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { assertPublished, type Folders, makeFolders, overwrite, refresh } from './ingest-fixture.ts'

/** Where bookings lie, and the SQL that reads them. */
type Case = {
  readonly title: string
  readonly files: (csv: Buffer) => Readonly<Record<string, Uint8Array>>
  readonly sql: string
}

const encoding = `SET VARIABLE encoding_bookings = 'windows-1252';`
const halves = (csv: Buffer): readonly [Buffer, Buffer] => {
  const [header = '', ...lines] = csv.toString('latin1').trimEnd().split('\n')
  const part = (rows: readonly string[]) => Buffer.from([header, ...rows, ''].join('\n'), 'latin1')
  return [part(lines.slice(0, 5)), part(lines.slice(5))]
}

const cases: readonly Case[] = [
  {
    title: 'a file that a view names, stated behind the view',
    files: (csv) => ({ 'PNR.csv': csv }),
    sql: `CREATE VIEW bookings AS SELECT * FROM read_csv('./PNR.csv', all_varchar = true); ${encoding}`,
  },
  {
    title: 'a compressed file that is named like a table, for all files',
    files: (csv) => ({ 'PNR.csv.gz': gzipSync(csv) }),
    sql: `SET VARIABLE encoding = 'cp1252';
      CREATE VIEW clients AS FROM read_csv('clients.csv', all_varchar = true);
      CREATE VIEW bookings AS SELECT * FROM read_csv('PNR.csv.gz', all_varchar = true)`,
  },
  {
    title: 'parts of a pattern that a macro reads for a view below the view',
    files: (csv) => ({ 'PNR_1.txt': halves(csv)[0], 'PNR_2.txt': halves(csv)[1] }),
    sql: `${encoding}
      CREATE MACRO export(files) AS TABLE FROM read_csv(files, all_varchar = true, delim = ',', header = true);
      CREATE VIEW raw AS SELECT * FROM export('PNR_*.txt');
      CREATE VIEW bookings AS SELECT * FROM raw`,
  },
  {
    title: 'a file whose byte order mark says that it is UTF-8',
    files: (csv) => ({ 'PNR.csv': Buffer.from(`\ufeff${text(csv)}`) }),
    sql: `${encoding} CREATE VIEW bookings AS SELECT * FROM read_csv('PNR.csv', all_varchar = true)`,
  },
  {
    title: 'big-endian UTF-16',
    files: (csv) => ({ 'PNR.csv': Buffer.from(text(csv), 'utf16le').swap16() }),
    sql: `SET VARIABLE encoding_bookings = 'utf-16be';
      CREATE VIEW bookings AS SELECT * FROM read_csv('PNR.csv', all_varchar = true)`,
  },
  {
    title: 'UTF-16 whose encoding the view states itself, which is left to it',
    files: (csv) => ({ 'PNR.csv': Buffer.from(text(csv), 'utf16le') }),
    sql: `${encoding}
      CREATE VIEW bookings AS SELECT * FROM read_csv('PNR.csv', all_varchar = true, encoding = 'utf-16')`,
  },
]

const text = (csv: Buffer): string => new TextDecoder('windows-1252').decode(csv)

/** The extract in UTF-8, but for bookings, which are returned in Windows-1252. */
async function writeOthers({ source }: Folders): Promise<Buffer> {
  await writeExtract(source, windows1252Extract, 'csv')
  const csv = windows1252(await readFile(join(source, 'bookings.csv'), 'utf8'))
  await rm(join(source, 'bookings.csv'))
  return csv
}

describe('a view', () => {
  for (const { title, files, sql } of cases) {
    it(`reads the right characters of ${title}`, async (t) => {
      const folders = await makeFolders(t)
      const csv = await writeOthers(folders)
      if (sql.includes('cp1252')) {
        for (const file of await readdir(folders.source)) {
          const path = join(folders.source, file)
          await writeFile(path, windows1252(await readFile(path, 'utf8')))
        }
      }
      await overwrite(folders.source, { ...files(csv), 'tripfolio.sql': sql })
      assert.equal((await refresh(folders)).rejects, 0)
      await assertPublished(folders, windows1252Extract)
      const { fits, tables } = await checkExtract({ source: folders.source, maxRejectShare: 0 })
      assert.equal(fits, true, JSON.stringify(tables))
    })
  }

  it('is refused where it shares a file with a table of another encoding, or with payments', async (t) => {
    const folders = await makeFolders(t)
    const csv = await writeOthers(folders)
    const bookings = `CREATE VIEW bookings AS SELECT * FROM 'all.csv';`
    const refused = async (sql: string, problem: { code: string; message: RegExp }) => {
      await overwrite(folders.source, { 'all.csv': csv, 'tripfolio.sql': sql })
      await assert.rejects(refresh(folders), problem)
    }
    await refused(`${encoding} ${bookings} CREATE VIEW travellers AS SELECT * FROM 'all.csv';`, {
      code: 'ING140',
      message: /read all.csv, .* differ: windows-1252 for bookings, utf-8 for travellers$/,
    })
    await refused(
      `SET VARIABLE encoding = 'latin1'; ${bookings} CREATE VIEW payments AS SELECT * FROM 'a*.csv';`,
      { code: 'ING140', message: /read all.csv for payments and for bookings/ },
    )
  })
})

describe('a decoded copy', () => {
  it('holds no card number where payments are read from it, and stands beside links to all other files', async (t) => {
    const { source, data } = await makeFolders(t)
    await writeExtract(source, windows1252Extract, 'csv')
    const cards = ['4111111111111111', '4111 1111-1111 1111', '4111.1111.1111.1111']
    const csv = windows1252(
      `art;karte;rechnung;tag\n${cards.map((card) => `€;${card};1234567;2026-01-15`).join('\n')}`,
    )
    await overwrite(source, { 'Zahlungen.csv.gz': gzipSync(csv) })
    const statements = permittedStatements(
      `CREATE VIEW payments AS SELECT karte AS card_number FROM read_csv('Zahlungen.csv.gz')`,
      new Set(),
      (_, reason) => new Error(reason),
    )
    const folder = await decodedFolder(
      source,
      statements,
      { encodings: new Map([['', 'windows-1252']]), dialects: new Map() },
      () => data,
    )
    assert.equal(
      gunzipSync(await readFile(join(folder, 'Zahlungen.csv.gz'))).toString(),
      `art;karte;rechnung;tag
€;************1111;1234567;2026-01-15
€;************1111;1234567;2026-01-15
€;****.****.****.1111;1234567;2026-01-15`,
    )
    assert.deepEqual((await readdir(folder)).sort(), (await readdir(source)).sort())
    const entries = await readdir(folder, { withFileTypes: true })
    assert.deepEqual(
      entries.filter((entry) => !entry.isSymbolicLink()).map(({ name }) => name),
      ['Zahlungen.csv.gz'],
    )
  })
})

describe('tripfolio ingest --check of a folder whose files have other names', () => {
  it('lists them with delimiter, encoding and headers, and drafts a view for each table that fits', async (t) => {
    const folders = await makeFolders(t)
    const csv = await writeOthers(folders)
    const { source } = folders
    const german = text(csv).replaceAll(/^(.*?)\b(\d{4})-(\d\d)-(\d\d)(?=,)/gm, '$1$4.$3.$2')
    await overwrite(source, {
      'Buchungen.csv': windows1252(german),
      'Personal.csv': windows1252('Nr;Größe;Karte 4111111111111111\n1;2;3\n'),
      'Rest.tsv': 'a\tb\n',
    })
    await rename(join(source, 'invoices.csv'), join(source, 'Rechnungen.csv'))
    const invoices = await readFile(join(source, 'Rechnungen.csv'), 'utf8')
    await writeFile(join(source, 'Rechnungen.csv'), invoices.replace('obt_source', 'other'))
    const { otherFiles, mapping, tables } = await checkExtract({ source, maxRejectShare: 0 })
    assert.deepEqual(
      otherFiles.map(({ files, delimiter, encoding, table }) => [files, delimiter, encoding, table]),
      [
        [['Buchungen.csv'], ',', 'windows-1252', 'bookings'],
        [['Personal.csv'], ';', 'windows-1252', null],
        [['Rechnungen.csv'], ',', 'utf-8', 'invoices'],
        [['Rest.tsv'], '\t', 'utf-8', null],
      ],
    )
    assert.deepEqual(otherFiles[1]?.columns, ['Nr', 'Größe', 'Karte ************1111'])
    assert.match(mapping ?? '', /^-- Personal.csv \(delimiter ;, windows-1252\): Nr, Größe, Karte \*+1111$/m)
    assert.match(mapping ?? '', /^SET VARIABLE encoding_bookings = 'windows-1252';\nCREATE VIEW bookings/m)
    assert.match(mapping ?? '', /^ {2}date_in\("booking_date", '%d.%m.%Y'\) AS booking_date,$/m)
    assert.match(mapping ?? '', /^ {2}NULL AS obt_source,$/m)
    await overwrite(source, { 'tripfolio.sql': mapping ?? '' })
    assert.equal((await refresh(folders)).rejects, 0, JSON.stringify(tables))
    const invoicesWithout = windows1252Extract.invoices.map((row) => ({ ...row, obt_source: null }))
    await assertPublished(folders, { ...windows1252Extract, invoices: invoicesWithout })
  })
})
