/** An extract with a list of its files, `extract.json`, is held to it; a text file that stops inside a line is named. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { appendFile, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type FileState, findExtract, type Source } from '../../src/ingest/sources/find-extract.ts'
import { checkListedFiles } from '../../src/ingest/sources/listed-files.ts'
import { openSampleDatabase } from '../../src/ingest/work-database.ts'
import { readCurrentId } from '../../src/snapshot/format/layout.ts'
import { fixtureExtract } from '../fixtures/fixture-extract.ts'
import { type ExtractFormat, writeExtract } from '../fixtures/write-extract.ts'
import { type Folders, makeFolders, refresh, writeParquetExtract } from './ingest-fixture.ts'
import { runCommand } from './run-command.ts'

type Listed = { name: string; bytes: number; sha256: string; rows?: number; comment?: string }

async function listOf(folder: string, rows: (name: string) => number | undefined): Promise<Listed[]> {
  const names = (await readdir(folder)).filter((name) => name !== 'extract.json').sort()
  return Promise.all(
    names.map(async (name) => {
      const content = await readFile(join(folder, name))
      const sha256 = createHash('sha256').update(content).digest('hex')
      const count = rows(name)
      return { name, bytes: content.length, sha256, ...(count !== undefined && { rows: count }) }
    }),
  )
}

const rowsInFixture = (name: string): number =>
  fixtureExtract[name.replace(/\..*/, '') as keyof typeof fixtureExtract].length

const writeList = (folder: string, files: readonly unknown[]) =>
  writeFile(join(folder, 'extract.json'), JSON.stringify({ writer: 'nightly', files }))

/** The fixture with its list. */
async function listedExtract(
  t: Parameters<typeof makeFolders>[0],
  format: ExtractFormat | 'parquet' = 'csv',
): Promise<Folders> {
  const folders = await makeFolders(t)
  if (format === 'parquet') await writeParquetExtract(folders.source, fixtureExtract)
  else await writeExtract(folders.source, fixtureExtract, format)
  await writeList(folders.source, await listOf(folders.source, rowsInFixture))
  return folders
}

describe('an extract with a list of its files', () => {
  for (const format of ['csv', 'ndjson', 'parquet'] as const) {
    it(`in ${format} is published when every file is as it is listed`, async (t) => {
      assert.deepEqual((await refresh(await listedExtract(t, format))).warnings, [])
    })
  }

  it('ends the command with 1 and keeps the snapshot when a file differs', async (t) => {
    const folders = await listedExtract(t)
    const { source, data } = folders
    const { snapshot } = await refresh(folders)
    await appendFile(join(source, 'segments.csv'), 'C100,ABC123,9,AIR,,,,,,,\n')
    const { code, stderr } = await runCommand(['ingest', '--source', source, '--data', data])
    assert.equal(code, 1)
    assert.match(stderr, /File segments\.csv does not match extract\.json: expected \d+ bytes, found \d+/)
    assert.match(stderr, /Export all files again/)
    assert.equal(await readCurrentId(data), snapshot)
  })

  const differences: readonly [how: string, change: (source: string) => Promise<unknown>, message: RegExp][] =
    [
      [
        'with a file missing',
        (source) => rm(join(source, 'payments.csv')),
        /^File payments.csv does not match extract.json: it is missing$/,
      ],
      [
        'with a file that is not listed',
        (source) => writeFile(join(source, 'bookings-2.csv'), 'x\n'),
        /^File bookings-2.csv .*: it is in the folder, but not listed$/,
      ],
      [
        'with a file of other bytes in the same size',
        async (source) => {
          const path = join(source, 'bookings.csv')
          await writeFile(path, (await readFile(path, 'utf8')).replace('Sydney', 'Sidney'))
        },
        /^File bookings.csv .*: its SHA-256 differs from the listed one$/,
      ],
      [
        'with several faults names each of them',
        async (source) => {
          await rename(join(source, 'payments.csv'), join(source, 'payments-1.csv'))
          await appendFile(join(source, 'segments.csv'), '\n')
        },
        /^File payments.csv .* missing; File segments.csv .* bytes, .*; File payments-1.csv .* not listed$/,
      ],
      [
        'with other numbers of rows',
        async (source) => {
          const wrong = (name: string) =>
            rowsInFixture(name) + (name === 'clients.csv' || name === 'payments.csv' ? 2 : 0)
          await writeList(source, await listOf(source, wrong))
        },
        /^File clients.csv .*: expected 5 rows, found 3; File payments.csv .*: expected 5 rows, found 3/,
      ],
    ]
  for (const [how, change, message] of differences) {
    it(`${how} is refused`, async (t) => {
      const folders = await listedExtract(t)
      await change(folders.source)
      await assert.rejects(refresh(folders), { code: 'ING116', message })
    })
  }

  it('counts lines that are not rows as rows, as it does in its summary', async (t) => {
    const folders = await listedExtract(t)
    await appendFile(join(folders.source, 'clients.csv'), '"never closed\n')
    const rows = (name: string) => rowsInFixture(name) + (name === 'clients.csv' ? 1 : 0)
    await writeList(folders.source, await listOf(folders.source, rows))
    assert.equal((await refresh(folders, { maxRejectShare: 1 })).rejects, 1)
  })

  it('may leave row counts out, and lists files in folders by their path', async (t) => {
    const folders = await makeFolders(t)
    const { source } = folders
    await writeExtract(source, fixtureExtract, 'csv')
    const files = await listOf(source, () => undefined)
    await mkdir(join(source, 'bookings'))
    await rename(join(source, 'bookings.csv'), join(source, 'bookings', 'part-1.csv'))
    const inFolder = files.map((file) => ({
      ...file,
      name: file.name === 'bookings.csv' ? 'bookings/part-1.csv' : file.name,
    }))
    await writeList(source, inFolder)
    await refresh(folders)
    await writeFile(join(source, 'bookings', 'part-2.csv'), 'x\n')
    const extra = { code: 'ING116', message: /^File bookings\/part-2.csv .* not listed/ } as const
    await assert.rejects(refresh(folders), extra)
    await rm(join(source, 'bookings', 'part-2.csv'))
    // A file that is read under another name has to be listed under that name, too.
    await rename(join(source, 'bookings'), join(source, 'elsewhere'))
    await symlink('elsewhere', join(source, 'bookings'))
    const list = inFolder.map((file) => ({ ...file, name: file.name.replace('bookings/', 'elsewhere/') }))
    await writeList(source, list)
    const unlisted = { code: 'ING116', message: /^File bookings\/part-1.csv .* not listed/ } as const
    await assert.rejects(refresh(folders), unlisted)
    await writeList(source, [...inFolder, ...list.filter(({ name }) => name.startsWith('elsewhere/'))])
    await refresh(folders)
  })

  it('is refused when a file is exchanged after it was checked', async (t) => {
    const { source } = await listedExtract(t)
    const listed = await checkListedFiles(source)
    await writeFile(join(source, 'payments.csv'), 'x')
    const database = await openSampleDatabase({ source })
    t.after(database.close)
    const { tables } = await findExtract(source, database)
    const [payments] = tables.find(({ table }) => table.name === 'payments')?.sources ?? []
    assert.throws(() => listed.admit(payments as Source, payments?.found as FileState), {
      code: 'ING109',
      message: /payments.csv .* changed/,
    })
  })

  it('is held to it where a mapping reads the files', async (t) => {
    const folders = await listedExtract(t)
    const { source } = folders
    const files = await listOf(source, rowsInFixture)
    await writeFile(
      join(source, 'tripfolio.sql'),
      `CREATE VIEW clients AS SELECT * FROM read_csv('clients*.txt', all_varchar = true)`,
    )
    await rename(join(source, 'clients.csv'), join(source, 'clients.txt'))
    await writeList(
      source,
      files.map((file) => ({ ...file, name: file.name.replace('clients.csv', 'clients.txt') })),
    )
    await refresh(folders)
    await writeFile(join(source, 'clients-of-yesterday.txt'), 'client_number,name\nC1,Old\n')
    await assert.rejects(refresh(folders), {
      code: 'ING116',
      message: /^File clients-of-yesterday.txt .* not listed$/,
    })
  })

  const hash = '0'.repeat(64)
  const lists: readonly [what: string, text: string, message: RegExp][] = [
    ['is not JSON', '{"files": [', /cannot be used: .*JSON/],
    ['has no files', '{}', /cannot be used: the list must have required properties files/],
    [
      'has a wrong value',
      JSON.stringify({ files: [{ name: 'a.csv', bytes: -1, sha256: hash }] }),
      /cannot be used: \/files\/0\/bytes must be >= 0/,
    ],
    [
      'lists a file twice',
      JSON.stringify({ files: Array(2).fill({ name: 'a.csv', bytes: 1, sha256: hash }) }),
      /\/files\/1\/name is listed twice: 'a.csv'/,
    ],
    [
      'leads out of the folder',
      JSON.stringify({ files: [{ name: '../a.csv', bytes: 1, sha256: hash }] }),
      /\/files\/0\/name is not a path inside the folder: '..\/a.csv'/,
    ],
  ]
  for (const [what, text, message] of lists) {
    it(`that ${what} is refused with its place`, async (t) => {
      const folders = await listedExtract(t)
      await writeFile(join(folders.source, 'extract.json'), text)
      await assert.rejects(refresh(folders), { code: 'ING115', message })
    })
  }
})

describe('a text file whose last line has no line end', () => {
  const shorten = async (path: string, bytes: number) =>
    writeFile(path, (await readFile(path)).subarray(0, -bytes))

  it('is named in a warning when its other lines have one, even if its last value is still a valid one', async (t) => {
    const { source, data } = await makeFolders(t)
    await writeExtract(source, fixtureExtract, 'ndjson')
    await Promise.all(['payments', 'travellers'].map((table) => rm(join(source, `${table}.ndjson`))))
    await shorten(join(source, 'segments.ndjson'), 1)
    await writeExtract(join(data, 'csv'), fixtureExtract, 'csv')
    const payments = await readFile(join(data, 'csv', 'payments.csv'), 'utf8')
    assert.equal(payments.slice(-6), ',0.00\n')
    await writeFile(join(source, 'payments.csv'), payments.slice(0, -4))
    // One line alone has no other lines to compare it with.
    const [header = ''] = (await readFile(join(data, 'csv', 'travellers.csv'), 'utf8')).split('\n')
    await writeFile(join(source, 'travellers.csv'), header)

    const run = await runCommand(['ingest', '--source', source, '--data', data])
    assert.equal(run.code, 0)
    for (const file of ['payments\\.csv', 'segments\\.ndjson']) {
      const warning = new RegExp(`^Warning: ${file}: the last line has no line end .*cut off$`, 'm')
      assert.match(run.stdout, warning)
    }
    const json = await runCommand(['ingest', '--source', source, '--data', data, '--json'])
    const { rejects, warnings } = JSON.parse(json.stdout)
    assert.equal(rejects, 0)
    const named = warnings.map(({ kind, message }: { kind: string; message: string }) => [
      kind,
      message.slice(0, message.indexOf(':')),
    ])
    assert.deepEqual(named, [
      ['line-end-missing', 'segments.ndjson'],
      ['line-end-missing', 'payments.csv'],
    ])
  })
})
