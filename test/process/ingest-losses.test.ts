/**
 * An extract that has lost rows without breaking a rule: what was cut off, or left out by an export that failed half-way,
 * is refused by counts, until an operator accepts it once.
 */
import assert from 'node:assert/strict'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { FORMAT_VERSION } from '../../src/snapshot/format/file-format.ts'
import { listSnapshotIds, readCurrentId, snapshotFolder } from '../../src/snapshot/format/layout.ts'
import { readManifest, serializeManifest } from '../../src/snapshot/manifest.ts'
import { rewriteFormat } from '../../src/snapshot/testing/rewrite-format.ts'
import { largeExtract, withoutRecordsOf } from '../fixtures/large-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { type Folders, makeFolders, publishedRecords, refresh } from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'

const extract = largeExtract({ clients: 4, bookings: 10 })

/** Data of a first refresh, and the extract as the next one finds it. */
async function published(t: Parameters<typeof makeFolders>[0]): Promise<Folders> {
  const folders = await makeFolders(t)
  await publishExtract(folders, extract)
  const current = await readCurrentId(folders.data)
  assert.deepEqual((await readManifest(snapshotFolder(folders.data, current ?? ''))).warnings ?? [], [])
  return folders
}

async function cutFile(source: string, file: string, cut: (text: string) => string): Promise<void> {
  const path = join(source, file)
  await writeFile(path, cut(await readFile(path, 'utf8')))
}

const ingestArgs = ({ source, data }: Folders, ...args: readonly string[]) => [
  'ingest',
  '--source',
  source,
  '--data',
  data,
  ...args,
]

const kindsOf = ({ warnings }: Awaited<ReturnType<typeof refresh>>) => warnings.map(({ kind }) => kind)

/** In the middle of a row, between two rows, and before the first one. */
const cuts = {
  'at 60 %': (text: string) => text.slice(0, Math.floor(text.length * 0.6)),
  'at 10 % on a line end': (text: string) => text.slice(0, text.indexOf('\n', text.length / 10) + 1),
  'down to its header': (text: string) => text.slice(0, text.indexOf('\n') + 1),
}

describe('a table to which others belong', () => {
  it('is told first when it has lost rows, before the rows that are rejected for it', async (t) => {
    for (const parent of ['bookings', 'clients']) {
      const folders = await published(t)
      const cut = (text: string) => text.slice(0, text.indexOf('\n', text.length / 10) + 1)
      await cutFile(folders.source, `${parent}.csv`, parent === 'clients' ? cuts['down to its header'] : cut)
      await assert.rejects(refresh(folders), {
        code: 'ING113',
        message: new RegExp(`^Table '${parent}' has \\d+ rows and had .*; Table '\\w+' has \\d+ rejected`),
      })
      await assert.rejects(refresh(folders, { acceptShrink: true }), { code: 'ING110' })
    }
  })
})

describe('a child table', () => {
  const cut: readonly (readonly [table: string, cut: (text: string) => string])[] = [
    ['custom_field_labels', cuts['at 60 %']],
    ['booking_custom_data', cuts['at 10 % on a line end']],
    ['travellers', cuts['down to its header']],
    ['segments', cuts['at 60 %']],
    ['invoice_lines', cuts['at 10 % on a line end']],
    ['payments', cuts['down to its header']],
  ]

  it('cut off is refused by name, in CSV and in NDJSON, and the old snapshot stays', async (t) => {
    const folders = await published(t)
    const before = await readCurrentId(folders.data)
    const records = await publishedRecords(folders.data, 'L001', 'itineraries')
    await writeExtract(join(folders.data, 'other'), extract, 'ndjson')
    await rename(join(folders.data, 'other', 'segments.ndjson'), join(folders.source, 'segments.ndjson'))
    await rm(join(folders.source, 'segments.csv'))
    for (const [table, change] of cut) {
      await cutFile(folders.source, `${table}.${table === 'segments' ? 'ndjson' : 'csv'}`, change)
    }
    const { code, message } = await refresh(folders).catch((problem) => problem)
    assert.equal(code, 'ING113')
    const problems: string[] = message.split('; ')
    for (const [at, [table]] of cut.entries()) {
      assert.match(
        problems[at] ?? '',
        new RegExp(
          `^Table '${table}' has \\d+ rows? and had 40 in the current snapshot: it lost .* %, more than the allowed 30 %$`,
        ),
      )
    }
    assert.equal(await readCurrentId(folders.data), before)
    assert.deepEqual(await publishedRecords(folders.data, 'L001', 'itineraries'), records)
  })

  it('is compared by the rows that are published, not by those that are set aside', async (t) => {
    const folders = await published(t)
    await cutFile(folders.source, 'segments.csv', (text) => text.replaceAll(/(,R[0-3],1,)AIR/g, '$1'))
    await assert.rejects(refresh(folders, { maxRejectShare: 0.5 }), {
      code: 'ING113',
      message: /'segments' has 24 rows and had 40/,
    })
  })

  it('may lose what the setting allows', async (t) => {
    const folders = await published(t)
    await writeExtract(folders.source, { ...extract, segments: extract.segments.slice(30) }, 'csv')
    assert.equal((await runCommand(ingestArgs(folders, '--max-table-shrink', '0.74'))).code, 1)
    assert.equal((await runCommand(ingestArgs(folders, '--max-table-shrink', '0.75'))).code, 0)
  })
})

describe('a loss that an operator accepts', () => {
  it('is published once, and the next refresh is compared with what is current then', async (t) => {
    const folders = await published(t)
    await writeExtract(folders.source, { ...extract, segments: extract.segments.slice(20) }, 'csv')
    const refused = await runCommand(ingestArgs(folders))
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(
      refused.stderr,
      /Table 'segments' has 20 rows and had 40 in the current snapshot: it lost 50 %/,
    )
    assert.match(
      refused.stderr,
      /accept it for one refresh: `tripfolio refresh --accept-shrink` where a service runs, `tripfolio ingest --accept-shrink` otherwise/,
    )
    const refusal = JSON.parse(await readFile(join(folders.data, 'last-refusal', 'refusal.json'), 'utf8'))
    assert.equal(refusal.code, 'ING113')
    const { code, stdout } = await runCommand(ingestArgs(folders, '--accept-shrink'))
    assert.equal(code, 0)
    assert.match(stdout, /^Warning: Table 'segments' has 20 rows and had 40 .*, which was accepted$/m)
    await writeExtract(folders.source, { ...extract, segments: extract.segments.slice(35) }, 'csv')
    await assert.rejects(refresh(folders), {
      code: 'ING113',
      message: /Table 'segments' has 5 rows and had 20/,
    })
  })

  it('may be all bookings', async (t) => {
    const folders = await published(t)
    await writeExtract(folders.source, withoutRecordsOf(extract, ['L000', 'L001', 'L002', 'L003']), 'csv')
    await assert.rejects(refresh(folders), { code: 'ING111', message: /no bookings/ })
    const unreadable = extract.bookings.map((row) => ({ ...row, booking_date: 'soon' }))
    await writeExtract(folders.source, { ...extract, bookings: unreadable }, 'csv')
    await assert.rejects(refresh(folders, { maxRejectShare: 1 }), { code: 'ING111', message: /no bookings/ })
    await writeExtract(folders.source, withoutRecordsOf(extract, ['L000', 'L001', 'L002', 'L003']), 'csv')
    const { warnings } = await refresh(folders, { acceptShrink: true })
    assert.ok(warnings.some(({ kind, clients }) => kind === 'clients-emptied' && clients === 4))
    assert.deepEqual(await publishedRecords(folders.data, 'L001', 'bookings'), [])
  })
})

describe('clients that lose everything', () => {
  it('are refused when the clients are gone from their own table, too', async (t) => {
    const folders = await published(t)
    const left = withoutRecordsOf(extract, ['L000', 'L001'])
    const gone = {
      ...left,
      clients: left.clients.slice(2),
      custom_field_labels: left.custom_field_labels.slice(20),
    }
    await writeExtract(folders.source, gone, 'csv')
    await assert.rejects(refresh(folders, { maxTableShrink: 1 }), {
      code: 'ING114',
      message: /L000 \(10 bookings, 10 invoices\), L001/,
    })
  })

  it('are refused together with the tables that shrank by it, and the old snapshot stays', async (t) => {
    const folders = await published(t)
    const before = await readCurrentId(folders.data)
    await writeExtract(folders.source, withoutRecordsOf(extract, ['L000', 'L001']), 'csv')
    await assert.rejects(refresh(folders), {
      message: /'bookings' has 20 rows .*'payments' has 20 rows .*2 of the 4 clients/,
    })
    assert.equal(await readCurrentId(folders.data), before)
    assert.equal((await publishedRecords(folders.data, 'L000', 'bookings')).length, 10)
  })

  it('are published with a warning when it is the only one, and the next refresh does not repeat it', async (t) => {
    const folders = await published(t)
    await writeExtract(folders.source, withoutRecordsOf(extract, ['L002']), 'csv')
    const { snapshot, warnings } = await refresh(folders)
    const expected = [
      {
        kind: 'clients-emptied',
        message: '1 client has lost all of its bookings or invoices: L002 (10 bookings, 10 invoices)',
        clients: 1,
      },
    ]
    assert.deepEqual(warnings, expected)
    assert.deepEqual((await readManifest(snapshotFolder(folders.data, snapshot))).warnings, expected)
    assert.deepEqual((await refresh(folders)).warnings, [])
  })
})

describe('what losses are told from', () => {
  it('is what an earlier version counted, where it counted; the rest is named in a warning', async (t) => {
    const folders = await published(t)
    const [id = ''] = await listSnapshotIds(folders.data)
    const folder = snapshotFolder(folders.data, id)
    const { tables, warnings, ...earlier } = await readManifest(folder)
    assert.equal(tables?.payments, 40)
    await writeFile(join(folder, 'manifest.json'), serializeManifest(earlier))
    await writeExtract(folders.source, { ...extract, segments: extract.segments.slice(20) }, 'csv')
    await assert.rejects(refresh(folders), { code: 'ING113', message: /'segments' has 20 rows and had 40/ })
    await writeExtract(folders.source, { ...extract, payments: [] }, 'csv')
    const summary = await refresh(folders)
    assert.deepEqual(kindsOf(summary), ['not-compared'])
    assert.match(
      summary.warnings[0]?.message ?? '',
      /^Losses of custom_field_labels, booking_custom_data, travellers, payments are unknown/,
    )
    assert.deepEqual(kindsOf(await refresh(folders)), [])
  })

  it('is a snapshot of an older format right after an upgrade, and the guards hold as before', async (t) => {
    const folders = await published(t)
    const [id = ''] = await listSnapshotIds(folders.data)
    await rewriteFormat(folders.data, id, FORMAT_VERSION - 1)
    await writeExtract(
      folders.source,
      { ...withoutRecordsOf(extract, ['L001', 'L002']), payments: [] },
      'csv',
    )
    await assert.rejects(refresh(folders), {
      code: 'ING113',
      message: /'payments' has 0 rows and had 40.*L001/,
    })
    await writeExtract(folders.source, extract, 'csv')
    assert.deepEqual(kindsOf(await refresh(folders)), [])
  })

  it('is the newest intact snapshot when the current one is damaged', async (t) => {
    const folders = await published(t)
    const { snapshot } = await refresh(folders)
    await writeFile(join(snapshotFolder(folders.data, snapshot), 'manifest.json'), 'damaged')
    await writeExtract(folders.source, { ...extract, payments: [] }, 'csv')
    await assert.rejects(refresh(folders), { code: 'ING113', message: /'payments' has 0 rows and had 40/ })
  })
})
