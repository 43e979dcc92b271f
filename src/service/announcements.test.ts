import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Problem } from '../kernel/problem.ts'
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

  it('stays on its snapshot while a listener cannot switch, and tells all of them again', async () => {
    const { announcements, observed, told, listen } = open(['a', 'b', 'b'])
    let isAway = true
    announcements.tell(async ({ id }) => {
      if (id === 'b' && isAway) throw new Error('The storage is away')
    })
    listen('api')
    await announcements.announceFirst()
    await assert.rejects(announcements.announceNewer(), /away/)
    assert.equal((await announcements.currentManifest())?.id, 'a')
    isAway = false
    await announcements.announceNewer()
    assert.deepEqual(
      [told, observed],
      [
        ['api a', 'api b', 'api b'],
        ['a', 'b'],
      ],
    )
    assert.equal((await announcements.currentManifest())?.id, 'b')
  })

  it('reports once that it cannot look, and goes on looking', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const looks: (Manifest | Error)[] = [
      new Error('away'),
      new Error('away'),
      manifest('a'),
      new Error('again'),
    ]
    const failures: unknown[] = []
    const announcements = createAnnouncements({
      observe: () => undefined,
      snapshots: Promise.resolve({
        manifests: {
          successorOf: async () => {
            const next = looks.shift() ?? null
            if (next instanceof Error) throw next
            return next
          },
        },
        announcementOf: () => [],
      }),
    })
    // The look for the snapshot to start with.
    await assert.rejects(announcements.currentManifest(), /away/)
    const end = announcements.watch((cause) => failures.push(String(cause)))
    for (let look = 0; look < 3; look++) {
      t.mock.timers.tick(1000)
      await new Promise(setImmediate)
    }
    assert.deepEqual(failures, ['Error: away', 'Error: again'])
    assert.equal(announcements.hasSnapshot(), true)
    end()
  })

  it('starts without a snapshot while a shared storage is away', async () => {
    const away = new Problem('SNP401', 'The storage is away')
    const { currentManifest, hasSnapshot, announceFirst } = createAnnouncements({
      observe: () => undefined,
      snapshots: Promise.resolve({
        manifests: { successorOf: () => Promise.reject(away) },
        announcementOf: () => [],
      }),
    })
    await announceFirst()
    assert.deepEqual([hasSnapshot(), await currentManifest()], [false, null])
  })

  it('rejects a request for the current snapshot with the reason why the data folder cannot be opened', async () => {
    const snapshots = Promise.reject(new Error('no folder'))
    const { currentManifest, announceFirst } = createAnnouncements({ observe: () => undefined, snapshots })
    await assert.rejects(currentManifest(), /no folder/)
    await assert.rejects(announceFirst(), /no folder/)
  })
})
