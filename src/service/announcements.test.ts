import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Observation } from '../observe/observation.ts'
import type { Manifest } from '../snapshot/manifest.ts'
import { createAnnouncements } from './announcements.ts'

const manifest = (id: string) => ({ id }) as Manifest

function open(ids: readonly (string | null)[]) {
  const published = ids.map((id) => (id === null ? null : manifest(id)))
  const observed: string[] = []
  const announcements = createAnnouncements({
    observe: (fact) => void observed.push('snapshot' in fact ? String(fact.snapshot) : ''),
    snapshots: Promise.resolve({
      manifests: { successorOf: async () => published.shift() ?? null },
      announcementOf: ({ id }) => [{ kind: 'snapshot-announced', snapshot: id } as Observation],
    }),
  })
  const told: string[] = []
  const listen = (name: string) =>
    announcements.tell(async ({ id }) => {
      told.push(`${name} ${id}`)
    })
  return { announcements, observed, told, listen }
}

describe('createAnnouncements', () => {
  it('tells every listener about a snapshot once, and observes it once', async () => {
    const { announcements, observed, told, listen } = open(['a', 'a', 'b'])
    listen('api')
    await announcements.announceFirst()
    listen('scripts')
    await announcements.announceNewer()
    await announcements.announceNewer()
    assert.deepEqual(told, ['api a', 'api b', 'scripts b'])
    assert.deepEqual(observed, ['a', 'b'])
    assert.equal((await announcements.currentManifest())?.id, 'b')
  })

  it('has no snapshot until there is one', async () => {
    const { announcements, told, listen } = open([null, 'a'])
    listen('api')
    await announcements.announceFirst()
    assert.deepEqual([announcements.hasSnapshot(), await announcements.currentManifest()], [false, null])
    await announcements.announceNewer()
    assert.deepEqual([announcements.hasSnapshot(), told], [true, ['api a']])
  })

  it('rejects a request for the current snapshot with the reason why the data folder cannot be opened', async () => {
    const snapshots = Promise.reject(new Error('no folder'))
    const { currentManifest, announceFirst } = createAnnouncements({ observe: () => undefined, snapshots })
    await assert.rejects(currentManifest(), /no folder/)
    await assert.rejects(announceFirst(), /no folder/)
  })
})
