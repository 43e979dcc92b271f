/** Changes that an earlier version recorded get the numbers of their clients, and are counted on from there. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import type { Kysely } from 'kysely'
import type { AccountSeals } from '../accounts/account-seals.ts'
import type { ControlTables } from '../control-tables.ts'
import { openQueries } from '../sqlite/open-queries.ts'
import { createDataChanges } from '../webhooks/data-changes.ts'
import { numberChangesByClient } from './client-change-numbers.ts'
import { createWebhookTables } from './webhook-tables.ts'

it('the upgrade numbers the changes of each client in their order', async (t) => {
  const { queries, runEach, close } = openQueries<ControlTables>(new DatabaseSync(':memory:'), ':memory:')
  t.after(close)
  const db = queries as unknown as Kysely<unknown>
  await createWebhookTables(db)
  const content = JSON.stringify({ clientNumber: 'any', snapshotId: 'S', lists: {} })
  const clients = ['A1', '\ufeffA1', 'A1', 'B2', '\ufeffA1', 'A1']
  const old = clients.map((client_number, at) => ({
    sequence: 10 * at + 7,
    client_number,
    snapshot_id: `S${at}`,
    content,
    created_at: '2026-01-02T03:04:05.678Z',
  }))
  await queries
    .insertInto('data_changes')
    .values(old as never)
    .execute()
  await numberChangesByClient(db)
  const unread = {} as AccountSeals
  const changes = createDataChanges({ queries, runEach }, unread)
  const numbersOf = async (client: string) =>
    (await changes.after(client, 0, 10)).map(({ sequence }) => sequence)
  assert.deepEqual(
    [await numbersOf('A1'), await numbersOf('\ufeffA1'), await numbersOf('B2')],
    [[1, 2, 3], [1, 2], [1]],
  )
  assert.deepEqual([await changes.newestOf('A1'), await changes.newestOf('B2')], [3, 1])
})
