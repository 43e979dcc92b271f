/** A service tells its operators that an endpoint keeps failing. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openControlStore, openHistory } from '../../src/directory/open-stores.ts'
import { definition } from '../../src/directory/testing/endpoint-store.ts'
import { execution, failed } from '../../src/directory/testing/executions.ts'
import { placeControlStore, placeHistory } from '../../src/directory/testing/store-files.ts'
import { whileServingHere } from './service-in-process.ts'

it('a service notifies all operators of an endpoint whose runs fail', async (t) => {
  const data = await mkdtemp(join(tmpdir(), 'tripfolio-failing-'))
  t.after(() => rm(data, { recursive: true, force: true }))
  await placeControlStore(data)
  await placeHistory(data)
  const store = await openControlStore(data)
  t.after(() => store.close())
  const { id } = await store.endpoints.create(definition({ name: 'Nightly' }), 'test')
  await store.endpoints.publish(id, 'test')
  const history = await openHistory(data)
  const startedAt = new Date().toISOString()
  await history.record(
    Array.from({ length: 5 }, () =>
      execution({ endpointId: id, startedAt, completedAt: startedAt, ...failed('No mail server') }),
    ),
  )
  await history.close()
  const [notice] = await whileServingHere(data, async () => {
    for (;;) {
      const found = await store.notifications.list('user:ann@example.com')
      if (found.length > 0) return found
      await sleep(5)
    }
  })
  assert.equal(notice?.title, 'An endpoint keeps failing')
  assert.match(notice?.message ?? '', /5 of 5 runs failed since .*No mail server$/)
})
