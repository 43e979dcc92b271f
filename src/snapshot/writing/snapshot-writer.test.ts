/** Checks the order in which a snapshot is written to disk, and what a kill between any two steps leaves behind. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { storedNames } from '../../schema/datasets.ts'
import { CollectionBuilder } from '../format/collection-builder.ts'
import {
  currentFile,
  draftFolder,
  listSnapshotIds,
  readCurrentId,
  snapshotsFolder,
} from '../format/layout.ts'
import { intactManifest } from '../intact-manifest.ts'
import { type DiskStep, recordDisk } from '../testing/recorded-disk.ts'
import type { SnapshotDisk } from './snapshot-disk.ts'
import { beginSnapshot, removeOldSnapshots } from './snapshot-writer.ts'

let data: string

function prepareEachTest(): void {
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'tripfolio-writer-'))
  })
  afterEach(() => rm(data, { recursive: true, force: true }))
}

/** Publishes a snapshot of clients without records. A client with the same labels as before has the same files. */
async function publish(labels: Readonly<Record<string, string>>, disk?: SnapshotDisk): Promise<string> {
  const draft = await beginSnapshot(data, disk)
  try {
    for (const [clientNumber, label] of Object.entries(labels)) {
      for (const stored of storedNames) await draft.add(new CollectionBuilder(stored, clientNumber, [label]))
    }
    const clients = Object.keys(labels).map((clientNumber) => ({ clientNumber, name: clientNumber }))
    return (await draft.publish({ extractedAt: new Date('2026-01-02T03:04:05Z'), clients, rejects: 0 })).id
  } catch (error) {
    // A killed process does not get here; a process with a full disk does.
    await draft.abandon().catch(() => undefined)
    throw error
  }
}

/** The snapshot that would be served after a restart now. */
async function served(): Promise<string | null> {
  const id = await readCurrentId(data)
  if (id === undefined) return null
  const { problem } = await intactManifest(data, id)
  assert.equal(problem, null)
  return id
}

const isSwitch = ({ kind, path }: DiskStep) => kind === 'rename' && path === 'current'
const isPublication = ({ kind, path }: DiskStep) => kind === 'rename' && /^snapshots\/\d/.test(path)

/** What must be true of the steps of every publication. */
const laws: Readonly<Record<string, (steps: readonly DiskStep[]) => void>> = {
  'every file that is written is synced after its last byte and before the snapshot has its name': (
    steps,
  ) => {
    const renamed = steps.findIndex(isPublication)
    for (const { path } of steps.filter(({ kind }) => kind === 'create')) {
      const lastByte = steps.findLastIndex((step) => step.kind === 'write' && step.path === path)
      const synced = steps.findIndex(
        (step, at) => at > lastByte && step.kind === 'sync-file' && step.path === path,
      )
      assert.ok(synced > 0, `${path} is never synced`)
      if (path.startsWith('snapshots/')) assert.ok(synced < renamed, `${path} is synced too late`)
    }
  },
  'every folder of the draft is synced after its last entry and before the snapshot has its name': (
    steps,
  ) => {
    const renamed = steps.findIndex(isPublication)
    const entries = steps.filter(
      ({ kind, path }) =>
        ['create', 'link', 'make-folder'].includes(kind) && path.startsWith('snapshots/.draft-'),
    )
    assert.ok(entries.some(({ kind }) => kind === 'link'))
    for (const entry of entries) {
      const folder = dirname(entry.path)
      // The draft itself is an entry that no reader looks for.
      if (folder === 'snapshots') continue
      const synced = steps.findIndex(
        (step, at) => at > steps.indexOf(entry) && step.kind === 'sync-folder' && step.path === folder,
      )
      assert.ok(synced > 0 && synced < renamed, `${entry.path} is in ${folder}, which is not synced in time`)
    }
  },
  'the manifest is the last file of the draft': (steps) => {
    const files = steps.filter(
      ({ kind, path }) => ['create', 'link'].includes(kind) && path.startsWith('snapshots/'),
    )
    assert.match(files.at(-1)?.path ?? '', /\/manifest\.json$/)
  },
  'current is switched once, after the name of the snapshot is durable': (steps) => {
    const renamed = steps.findIndex(isPublication)
    const durable = steps.findIndex(
      (step, at) => at > renamed && step.kind === 'sync-folder' && step.path === 'snapshots',
    )
    assert.ok(renamed > 0 && durable > renamed)
    assert.ok(steps.findIndex(isSwitch) > durable)
    assert.equal(steps.filter(isSwitch).length, 1)
  },
  'current is only ever replaced by a synced file, and its folder is synced after that': (steps) => {
    const at = steps.findIndex(isSwitch)
    const from = steps[at]?.from
    assert.ok(steps.slice(0, at).some((step) => step.kind === 'sync-file' && step.path === from))
    assert.ok(steps.slice(at).some(({ kind, path }) => kind === 'sync-folder' && path === ''))
    assert.ok(steps.every(({ kind, path }) => path !== 'current' || kind === 'rename'))
  },
}

describe('a data folder that cannot be made', () => {
  prepareEachTest()

  it('is refused with the error of the file system', () =>
    assert.rejects(beginSnapshot('/sys/none'), {
      code: 'SNP202',
      message: /^Cannot write '\/sys\/none.*': .*\((EPERM|EACCES|EROFS)\)$/,
    }))
})

describe('the order in which a snapshot is written', () => {
  prepareEachTest()

  for (const [law, check] of Object.entries(laws)) {
    it(law, async () => {
      await publish({ A: 'one', B: 'one' })
      const disk = recordDisk(data)
      await publish({ A: 'one', B: 'two' }, disk)
      check(disk.steps)
    })
  }

  it('syncs the folder of a removed snapshot under its new name before it removes the first of its files', async () => {
    await publish({ A: 'one' })
    await publish({ A: 'two' })
    const disk = recordDisk(data)
    await removeOldSnapshots(data, 1, disk)
    const kinds = disk.steps.map(({ kind }) => kind)
    assert.deepEqual(kinds, ['rename', 'sync-folder', 'remove'])
    assert.equal(disk.steps[1]?.path, 'snapshots')
    assert.match(disk.steps[2]?.path ?? '', /^snapshots\/\.removed-/)
  })
})

describe('a kill', () => {
  prepareEachTest()

  it('between any two steps of publishing leaves an intact snapshot current, and the next run cleans up', async () => {
    const first = await publish({ A: 'one', B: 'one' })
    const whole = recordDisk(data)
    let current = await publish({ A: 'one', B: 'two' }, whole)
    const switched = whole.steps.findIndex(isSwitch)
    for (const power of whole.steps.keys()) {
      await (await beginSnapshot(data)).abandon()
      // The steps are the same each time: one client changes, the other does not.
      await assert.rejects(publish({ A: 'one', B: `${power}` }, recordDisk(data, power)), /killed/)
      const now = await served()
      if (power <= switched) assert.equal(now, current, `killed before step ${power}`)
      else assert.notEqual(now, current, `killed before step ${power}`)
      current = now as string
    }
    const last = await publish({ A: 'one', B: 'last' })
    assert.equal(await served(), last)
    assert.ok((await listSnapshotIds(data)).includes(first))
    await assertNothingElse()
  })

  it('between any two steps of the first publication leaves no snapshot or a whole one', async () => {
    const whole = recordDisk(data)
    await publish({ A: 'one' }, whole)
    const switched = whole.steps.findIndex(isSwitch)
    for (const power of whole.steps.keys()) {
      await rm(data, { recursive: true })
      await mkdir(data)
      await assert.rejects(publish({ A: 'one' }, recordDisk(data, power)), /killed/)
      assert.equal((await served()) === null, power <= switched, `killed before step ${power}`)
      assert.equal(await publish({ A: 'one' }), await served())
      await assertNothingElse()
    }
  })

  it('between any two steps of removing old snapshots leaves nothing that counts as one', async () => {
    for (const power of [0, 1, 2, 3, 4, 5]) {
      await publish({ A: `${power} one` })
      await publish({ A: `${power} two` })
      const current = await publish({ A: `${power} three` })
      // Two snapshots are removed: two renames, a sync and two removals. Each removal is killed half-way once.
      await removeOldSnapshots(data, 1, recordDisk(data, power)).catch(() => undefined)
      assert.equal(await served(), current)
      for (const id of await listSnapshotIds(data)) {
        assert.equal((await intactManifest(data, id)).problem, null, `killed before step ${power}`)
      }
      await (await beginSnapshot(data)).abandon()
      await assertNothingElse()
      await removeOldSnapshots(data, 1)
    }
  })

  it('of another process leaves its draft to the next run; that of a live one stays', async () => {
    const other = spawn(process.execPath, ['--eval', 'setInterval(() => 0, 1000)'])
    const ended = once(other, 'exit')
    const id = '20260101T000000000Z-0000'
    const draftOf = (pid: number | undefined) =>
      draftFolder(data, id).replace(new RegExp(`${process.pid}$`), `${pid}`)
    const paths = [draftOf(process.pid), draftOf(other.pid)]
    try {
      for (const path of paths) await mkdir(path, { recursive: true })
      await writeFile(`${currentFile(data)}.${process.pid}`, '')
      await writeFile(`${currentFile(data)}.${other.pid}`, '')
      await (await beginSnapshot(data)).abandon()
      const names = [`.draft-${id}-${other.pid}`]
      assert.deepEqual(await readdir(snapshotsFolder(data)), names)
      assert.deepEqual((await readdir(data)).sort(), [`current.${other.pid}`, 'snapshots'])
    } finally {
      other.kill('SIGKILL')
      await ended
    }
    await (await beginSnapshot(data)).abandon()
    assert.deepEqual(await readdir(snapshotsFolder(data)), [])
    assert.deepEqual(await readdir(data), ['snapshots'])
  })
})

describe('a disk that fails', () => {
  prepareEachTest()

  it('in the switch of current leaves the previous snapshot current and no trace of the new one', async () => {
    const before = await publish({ A: 'one' })
    const disk = recordDisk(data)
    const failing: SnapshotDisk = {
      ...disk,
      rename: (from, to) =>
        to === currentFile(data) ? Promise.reject(new Error('no space')) : disk.rename(from, to),
    }
    await assert.rejects(publish({ A: 'two' }, failing), /no space/)
    assert.equal(await served(), before)
    assert.deepEqual(await listSnapshotIds(data), [before])
  })

  it('after the switch of current leaves the new snapshot current', async () => {
    await publish({ A: 'one' })
    const disk = recordDisk(data)
    const failing: SnapshotDisk = {
      ...disk,
      syncFolder: (path) => (path === data ? Promise.reject(new Error('no power')) : disk.syncFolder(path)),
    }
    await assert.rejects(publish({ A: 'two' }, failing), /no power/)
    assert.equal(await served(), (await listSnapshotIds(data))[0])
  })

  it('without support for links gets a new file, and the previous file stays unchanged', async () => {
    const disk = recordDisk(data)
    const first = await publish({ A: 'one' })
    const second = await publish(
      { A: 'one' },
      { ...disk, link: () => Promise.reject(new Error('not supported')) },
    )
    for (const id of [first, second]) assert.equal((await intactManifest(data, id)).problem, null)
  })
})

describe('what is written', () => {
  prepareEachTest()

  for (const umask of [0o000, 0o022, 0o077]) {
    it(`is readable only by owner and group under the umask ${umask.toString(8).padStart(3, '0')}`, async () => {
      const usual = process.umask(umask)
      try {
        await publish({ A: 'one' })
        // The files of this snapshot are links.
        await publish({ A: 'one' })
      } finally {
        process.umask(usual)
      }
      const entries = await readdir(data, { recursive: true, withFileTypes: true })
      assert.ok(entries.length > 10)
      for (const entry of entries) {
        const path = join(entry.parentPath, entry.name)
        const mode = (await stat(path)).mode & 0o777
        assert.equal(mode.toString(8), entry.isDirectory() ? '750' : '640', path)
      }
    })
  }
})

async function assertNothingElse(): Promise<void> {
  const names = (await readdir(data)).filter((name) => name !== 'changes')
  assert.deepEqual(names.sort(), ['current', 'snapshots'])
  const ids = await listSnapshotIds(data)
  assert.deepEqual((await readdir(snapshotsFolder(data))).sort(), [...ids].sort())
  assert.equal(await readFile(currentFile(data), 'utf8'), `${await readCurrentId(data)}\n`)
}
