import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { permittedStatements } from '../guard/permitted-statements.ts'
import { namedFiles } from './named-files.ts'

const named = (sql: string, files: readonly string[]) =>
  namedFiles(
    permittedStatements(sql, new Set(), (_, reason) => new Error(reason)),
    files,
    ['bookings', 'clients'],
  )

describe('the files that a mapping names', () => {
  const patterns: readonly [pattern: string, matching: readonly string[], others: readonly string[]][] = [
    ['a.csv', ['a.csv', 'A.csv'], ['aacsv', 'x/a.csv', 'a.csv.gz']],
    ['./sub//b.csv', ['sub/b.csv'], ['b.csv']],
    ['PNR_*.csv', ['pnr_.csv', 'PNR_1_2.csv'], ['pnr_1/2.csv']],
    ['**/*.csv', ['a/b/c.csv', 'a/.csv'], ['a/b.txt']],
    ['year=20[0-2]?/[!x]*.csv', ['year=2019/a.csv'], ['year=2031/a.csv', 'year=2019/x.csv']],
    ["it''s.csv", ["it's.csv"], []],
    [`${'*a'.repeat(60)}b`, [], ['a'.repeat(250)]],
  ]
  for (const [pattern, matching, others] of patterns) {
    it(`are those of the pattern ${pattern.slice(0, 40)}`, () => {
      const sql = `CREATE VIEW bookings AS SELECT * FROM '${pattern}'`
      const found = named(sql, [...matching, ...others])
      assert.deepEqual(
        found.map(({ file }) => file),
        matching,
      )
    })
  }

  it('are read by all tables that use the statement which names them', () => {
    const sql = `CREATE MACRO part() AS TABLE FROM 'a.csv';
      CREATE OR REPLACE TEMP VIEW "Raw" AS SELECT * FROM part();
      CREATE VIEW main.bookings AS SELECT * FROM raw;
      CREATE VIEW clients AS SELECT * FROM read_csv('c.csv', encoding := 'utf-16');
      CREATE VIEW unused AS SELECT * FROM "d.csv";
      CREATE VIEW other AS SELECT 1;`
    assert.deepEqual(named(sql, ['a.csv', 'c.csv', 'd.csv', 'e.csv']), [
      { file: 'a.csv', readBy: ['bookings'], isDecodedBySql: false },
      { file: 'c.csv', readBy: ['clients'], isDecodedBySql: true },
      { file: 'd.csv', readBy: [], isDecodedBySql: false },
    ])
  })
})
