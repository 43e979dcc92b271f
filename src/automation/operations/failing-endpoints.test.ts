import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { ControlStore } from '../../directory/control-store.ts'
import type { History } from '../../directory/history/history.ts'
import { openControlStore, openHistory } from '../../directory/open-stores.ts'
import { definition } from '../../directory/testing/endpoint-store.ts'
import { execution, failed } from '../../directory/testing/executions.ts'
import { placeControlStore, placeHistory } from '../../directory/testing/store-files.ts'
import { createFailureNotices, failingEndpoints } from './failing-endpoints.ts'

const BY = 'operator:test'
const TODAY = new Date('2026-03-02T08:00:00Z')
const inDays = (days: number) => new Date(TODAY.getTime() + days * 86_400_000)

let folder: string
let store: ControlStore
let history: History
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-failing-'))
  await placeControlStore(folder)
  await placeHistory(folder)
  store = await openControlStore(folder)
  history = await openHistory(folder)
})
after(async () => {
  await history.close()
  await store.close()
  await rm(folder, { recursive: true })
})

async function endpoint(name: string, outcomes: string): Promise<string> {
  const { id } = await store.endpoints.create(definition({ name, path: name }), BY)
  await store.endpoints.publish(id, BY)
  await record(id, outcomes)
  return id
}

/** `f` for a failed run, anything else for a success. */
const record = (endpointId: string, outcomes: string, startedAt = '2026-03-01T10:00:00.000Z') =>
  history.record(
    [...outcomes].map((outcome, i) =>
      execution({
        endpointId,
        startedAt,
        completedAt: startedAt,
        ...(outcome === 'f' && failed(`Reason ${i}`)),
      }),
    ),
  )

const failing = async (now = TODAY) =>
  (await failingEndpoints({ endpoints: store.endpoints, history }, now)).map(({ endpointId }) => endpointId)

describe('a failing endpoint', () => {
  it('has five runs or more since yesterday, of which a fifth failed, and callers reach it', async () => {
    const found = await endpoint('failing', 'ssssf')
    await endpoint('few', 'ffff')
    await endpoint('mostly-well', 'sssssf')
    const off = await endpoint('off', 'fffff')
    await store.endpoints.setActive(off, false, BY)
    const gone = await endpoint('gone', 'fffff')
    await store.endpoints.remove(gone, BY)
    assert.deepEqual(await failing(), [found])
    assert.deepEqual(await failing(inDays(1)), [])
    await store.endpoints.remove(found, BY)
  })

  it('is notified once until it is well again, also after a restart', async () => {
    const id = await endpoint('told', 'sfffff')
    const look = () =>
      createFailureNotices({ endpoints: store.endpoints, history, notifications: store.notifications })
    const notices = async () =>
      (await store.notifications.list('', { text: id })).map(({ message, type, createdBy }) => ({
        message,
        type,
        createdBy,
      }))
    const first = look()
    // The clock of the store gives the time of a notification.
    const now = new Date()
    await record(id, 'sfffff', now.toISOString())
    await first(now)
    await first(now)
    await look()(now)
    const [notice, ...others] = await notices()
    assert.deepEqual([notice?.type, notice?.createdBy, others], ['Error', 'service:endpoints', []])
    assert.match(
      notice?.message ?? '',
      /^The endpoint '.*' \(\S+\) keeps failing: 5 of 6 runs failed since \S+, at last because: Reason \d$/,
    )
    const later = new Date(now.getTime() + 3 * 86_400_000)
    await first(later)
    await record(id, 'fffff', later.toISOString())
    await first(later)
    assert.equal((await notices()).length, 2)
  })
})
