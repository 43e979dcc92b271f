import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { FieldValue } from '../../schema/field.ts'
import { prepareStaging, stagedTable } from '../staging.ts'
import { ingestedTables } from '../tables.ts'
import { openWorkDatabase, type WorkDatabase } from '../work-database.ts'
import { RowStream, type StreamQuery } from './row-stream.ts'
import { findWords } from './words.ts'

let root: string
let database: WorkDatabase
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'tripfolio-stream-'))
  database = await openWorkDatabase(root, { threads: 1 })
  await prepareStaging(database, ingestedTables)
})
after(async () => {
  await database.close()
  await rm(root, { recursive: true })
})

async function readAll(query: StreamQuery): Promise<[owner: number, row: FieldValue[]][]> {
  const stream = await RowStream.open(database, query)
  const rows: [number, FieldValue[]][] = []
  while (stream.ready || (await stream.load())) rows.push([stream.owner, stream.take()])
  return rows
}

describe('RowStream', () => {
  it('reads every type, and null', async () => {
    const rows = await readAll({
      owner: 'n',
      columns: [
        { sql: 't', type: 'text' },
        { sql: 'd', type: 'date' },
        { sql: 'm', type: 'minute' },
        { sql: 'i', type: 'integer' },
        { sql: 'x', type: 'decimal' },
        { sql: 'b', type: 'boolean' },
      ],
      from: `FROM (VALUES
        (1, 'é😀', 20468, 4223371679, -2147483647, -9007199254740991, true),
        (2, chr(65279) || 'x', -1, -1036118880, 0, 0, false),
        (7, NULL, NULL, NULL, NULL, NULL, false)) AS given(n, t, d, m, i, x, b) ORDER BY n`,
    })
    assert.deepEqual(rows, [
      [1, ['é😀', 20468, 4223371679, -2147483647, -9007199254740991, true]],
      [2, ['\ufeffx', -1, -1036118880, 0, 0, false]],
      [7, [null, null, null, null, null, false]],
    ])
  })

  it('reads more rows than one chunk holds, in their order', async () => {
    const from = 'FROM range(10000) AS given(n) ORDER BY n'
    const rows = await readAll({ owner: 'n', columns: [{ sql: 'n::INTEGER', type: 'integer' }], from })
    assert.deepEqual(
      rows,
      Array.from({ length: 10_000 }, (_, n) => [n, [n]]),
    )
  })

  it('reads no rows', async () => {
    assert.deepEqual(await readAll({ owner: '1', columns: [], from: 'WHERE false' }), [])
  })

  it('reports an error of the database', async () => {
    const columns = [{ sql: "CASE WHEN n = 4000 THEN error('boom') END", type: 'text' }] as const
    await assert.rejects(readAll({ owner: 'n', columns, from: 'FROM range(5000) AS given(n)' }), /boom/)
  })
})

describe('findWords', () => {
  it('reads columns with few distinct texts as numbers, and yields the same texts', async () => {
    const segments = stagedTable('segments')
    await database.run(
      `INSERT INTO ${segments} BY NAME SELECT 'C' || (n % 3) AS client_number, 'L' || n AS record_locator,
         n AS segment_number, CASE n % 4 WHEN 0 THEN chr(65279) || 'ü' WHEN 1 THEN 'AIR' WHEN 2 THEN 'O''Brien' END AS vendor,
         CASE WHEN n % 100 = 0 THEN 'field' END AS fault FROM range(30000) AS given(n)`,
    )
    const words = await findWords(database, { segments: 29_700 })
    assert.deepEqual([...words.keys()].sort(), ['segments.client_number', 'segments.vendor'])
    const read = (withWords: boolean) =>
      readAll({
        owner: 'segment_number',
        columns: ['client_number', 'record_locator', 'vendor', 'status'].map((column) => ({
          sql: column,
          type: 'text',
          words: withWords ? words.get(`segments.${column}`) : undefined,
        })),
        from: `FROM ${segments} WHERE fault IS NULL ORDER BY segment_number`,
      })
    const plain = await read(false)
    assert.deepEqual(await read(true), plain)
    assert.equal(plain.length, 29_700)
    assert.deepEqual(plain[3], [4, ['C1', 'L4', '\ufeffü', null]])
  })
})
