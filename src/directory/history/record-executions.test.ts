import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { Problem } from '../../kernel/problem.ts'
import { openHistory } from '../open-stores.ts'
import { openQueries } from '../sqlite/open-queries.ts'
import { connect } from '../sqlite/sqlite-file.ts'
import { execution } from '../testing/executions.ts'
import type { HistoryTables } from './history-tables.ts'
import { createRecorder } from './record-executions.ts'

it('a record that finds no space throws a problem of the file, and nothing of its batch stays', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-record-'))
  const path = join(folder, 'history.db')
  await (await openHistory(folder)).close()
  const database = await connect(path, { durability: 'normal', lockTimeoutMs: 0 })
  const opened = openQueries<HistoryTables>(database, path)
  try {
    const record = createRecorder(opened)
    await record([execution({ id: 'first' })])
    database.exec('pragma max_page_count = 1')
    const batch = Array.from({ length: 500 }, (_, nth) => execution({ id: `run ${nth}` }))
    await assert.rejects(
      record(batch),
      (error) => error instanceof Problem && error.code === 'DIR108' && String(error.cause).includes(path),
    )
    const rows = await opened.queries.selectFrom('executions').select('id').execute()
    assert.deepEqual(
      rows.map(({ id }) => id),
      ['first'],
    )
    database.exec('pragma max_page_count = 1000000')
    await record(batch)
    const { executions } = await opened.queries
      .selectFrom('kept')
      .select('executions')
      .executeTakeFirstOrThrow()
    assert.equal(executions, 501)
  } finally {
    await opened.close()
    await rm(folder, { recursive: true })
  }
})
