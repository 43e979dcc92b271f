import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { findFiles } from './found-files.ts'

/** Files of a folder, and how the groups are named that no table has. */
const cases: readonly (readonly [
  title: string,
  files: readonly string[],
  patterns: readonly (string | readonly string[])[],
])[] = [
  ['one file', ['PNR.csv'], ['PNR.csv']],
  ['parts by numbers', ['PNR_2026_01.csv', 'PNR_2026_02.csv'], ['PNR_*_*.csv']],
  [
    'parts beside a file that the pattern would match, too',
    ['P1.csv', 'P2.csv', 'Px.csv'],
    [['P1.csv', 'P2.csv'], 'Px.csv'],
  ],
  ['formats apart', ['a1.csv', 'a1.parquet', 'a2.csv', 'a2.parquet'], ['a*.csv', 'a*.parquet']],
  ['files in folders', ['pnr/2026/1.ndjson.gz', 'pnr/2026/2.ndjson.gz'], ['pnr/*/*.ndjson.gz']],
  ['no other kinds of files', ['README.md', 'tripfolio.sql', 'extract.json', '.hidden.csv', '_done.csv'], []],
  ['no files of tables', ['bookings-1.csv', 'bookings-2.csv', 'clients.csv', 'segments/a.parquet'], []],
]

async function found(files: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-files-'))
  try {
    for (const file of files) {
      await mkdir(dirname(join(folder, file)), { recursive: true })
      await writeFile(join(folder, file), 'x')
    }
    return await findFiles(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

it('a pipe is no file of an extract, because reading it may never end', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-files-'))
  t.after(() => rm(folder, { recursive: true }))
  execFileSync('mkfifo', [join(folder, 'PNR.csv')])
  assert.deepEqual((await findFiles(folder)).others, [])
})

describe('the files that no table has', () => {
  for (const [title, files, patterns] of cases) {
    it(`are grouped: ${title}`, async () => {
      assert.deepEqual(
        (await found(files)).others.map(({ pattern }) => pattern),
        patterns,
      )
    })
  }
})

describe('the files of a table', () => {
  it('are read by a pattern that takes the parts of the next extract, too', async () => {
    const { tables } = await found([
      'bookings-1.csv',
      'bookings-2.csv',
      'segments/a.parquet',
      'segments/b.parquet',
    ])
    assert.equal(tables.get('bookings')?.group?.pattern, 'bookings-*.csv')
    assert.equal(tables.get('segments')?.group?.pattern, 'segments/*.parquet')
  })
})
