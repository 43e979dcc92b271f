import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { hashApiKey } from '../directory/accounts/api-key.ts'
import { QUIET_MARK } from '../directory/holds/quiet.ts'
import { openControlStore, openHistory, RESTORE_MARK } from '../directory/open-stores.ts'
import { secretKey } from '../directory/secrets/secret-key.ts'
import { holdServiceLock } from '../directory/service-lock.ts'
import { versionName } from '../snapshot/changes/step.ts'
import { fileStepSource, stepsInDataFolder } from '../snapshot/changes/stored-steps.ts'
import { versionAt } from '../snapshot/changes/succession.ts'
import { SharedFiles } from '../snapshot/files/shared-files.ts'
import { listSnapshotIds, readCurrentId } from '../snapshot/format/layout.ts'
import { SnapshotCatalogue } from '../snapshot/snapshot-catalogue.ts'
import { verifySnapshots } from '../snapshot/stored-snapshots.ts'
import { DataFolder, damage, locatorOf } from '../snapshot/testing/data-folder.ts'
import { removeOldSnapshots } from '../snapshot/writing/snapshot-writer.ts'
import { type BackupDisk, backupDisk } from './backup-disk.ts'
import { BACKUP_LIST } from './backup-list.ts'
import { makeBackup } from './make-backup.ts'
import { fileUnreadable } from './problems.ts'
import { restoreBackup } from './restore-backup.ts'

const BY = 'operator:test'
const everything = { snapshots: 'current', history: true } as const

let data: DataFolder
let folder: string
let apiKey: string

before(async () => {
  data = await DataFolder.make()
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-backup-'))
  await data.publish({ A: 'OLD', B: 'B1' })
  await data.publish({ A: 'NEW', B: 'B1' })
  const store = await openControlStore(data.path, { secretKey: () => keyOf(data.path) })
  apiKey = (await store.accounts.create({ clientNumber: 'A', name: 'Export' }, BY)).apiKey
  await store.secrets.set('Payment', { value: 'canary' }, BY)
  await store.close()
  await (await openHistory(data.path)).close()
})
after(async () => {
  await data.remove()
  await rm(folder, { recursive: true })
})

const keyOf = (path: string): Buffer => secretKey({ data: path, secretKey: undefined })
const inFolder = (name: string): string => join(folder, name)

/** Every file with its content; locks have none. */
async function contentOf(root: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile() && !entry.name.includes('.lock'))
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort()
  return new Map(
    await Promise.all(paths.map(async (path) => [relative(root, path), await comparable(path)] as const)),
  )
}

/** The mark of a restore has its moment. */
const comparable = async (path: string): Promise<string> =>
  basename(path) === QUIET_MARK ? '' : (await readFile(path)).toString('base64')

/** A real disk whose process dies before a step. */
function dyingDisk(power: number): { readonly disk: BackupDisk; readonly steps: () => number } {
  let steps = 0
  const alive = () => {
    if (steps++ >= power) throw new Error('killed')
  }
  const disk: BackupDisk = {
    copy: async (from, to) => {
      // Half a file may be there when the process is killed.
      if (steps === power) await writeFile(to, (await readFile(from)).subarray(0, 1), { mode: 0o600 })
      alive()
      await backupDisk.copy(from, to)
    },
    write: async (path, text) => {
      if (steps === power) await writeFile(path, text.slice(0, 1))
      alive()
      await backupDisk.write(path, text)
    },
    makeFolder: async (path) => {
      alive()
      await backupDisk.makeFolder(path)
    },
    rename: async (from, to) => {
      alive()
      await backupDisk.rename(from, to)
    },
    remove: async (path) => {
      alive()
      await backupDisk.remove(path)
    },
    syncFolder: async (path) => {
      alive()
      await backupDisk.syncFolder(path)
    },
  }
  return { disk, steps: () => steps }
}

describe('a backup', () => {
  it('holds stores, keys, settings and the current snapshot, and no more', async () => {
    await writeFile(join(data.path, 'tripfolio.json'), '{}')
    const list = await makeBackup(data.path, inFolder('whole'), everything)
    const current = await readCurrentId(data.path)
    assert.equal(list.snapshot, current)
    assert.deepEqual((await readdir(inFolder('whole'))).sort(), [
      'backup.json',
      'control.db',
      'current',
      'history.db',
      'secret.key',
      'snapshots',
      'tripfolio.json',
    ])
    assert.deepEqual(await listSnapshotIds(inFolder('whole')), [current])
    const listed = new Set(list.files.map(({ path }) => path).concat(BACKUP_LIST))
    assert.deepEqual(listed, new Set((await contentOf(inFolder('whole'))).keys()))
    await rm(join(data.path, 'tripfolio.json'))
  })

  it('can be entered and read by its owner only', async () => {
    await makeBackup(data.path, inFolder('private'), everything)
    const entries = await readdir(inFolder('private'), { recursive: true, withFileTypes: true })
    for (const entry of entries) {
      const { mode } = await stat(join(entry.parentPath, entry.name))
      assert.equal(mode & 0o777, entry.isFile() ? 0o600 : 0o700, entry.name)
    }
    assert.equal((await stat(inFolder('private'))).mode & 0o777, 0o700)
  })

  it('leaves out the history, and holds no or all intact snapshots, on request', async () => {
    const bare = await makeBackup(data.path, inFolder('bare'), { snapshots: 'none', history: false })
    assert.deepEqual(
      bare.files.map(({ path }) => path.replace(/(?<=successions\/).*/, '...')),
      ['control.db', 'secret.key', 'changes/successions/...'],
    )
    const third = await data.publish({ A: 'THIRD', B: 'B2' })
    const damaged = (await listSnapshotIds(data.path)).at(-1) as string
    await damage(await data.bookingsFile(damaged, 'A'))
    await makeBackup(data.path, inFolder('all'), { snapshots: 'all', history: true })
    const ids = await listSnapshotIds(inFolder('all'))
    assert.deepEqual([ids.length, ids[0], ids.includes(damaged)], [2, third.id, false])
  })

  it('without snapshots does not say that there were no records before the next refresh', async () => {
    const target = await DataFolder.make()
    await makeBackup(data.path, inFolder('without'), { snapshots: 'none', history: false })
    await restoreBackup(inFolder('without'), target.path)
    const { id } = await target.publish({ A: 'NEXT' })
    const successions = await fileStepSource(async () => stepsInDataFolder(target.path)).successions()
    const served = { clientNumber: 'A', snapshotId: id, version: 'V', versionOf: id, successions, edges: [] }
    const { at = 0 } = successions.at(-1) ?? {}
    assert.deepEqual(versionAt(served, at - 1), { oldest: at })
    assert.deepEqual(versionAt(served, at), { version: versionName('V') })
    await target.remove()
  })

  it('is refused when the current snapshot is damaged, and leaves nothing', async () => {
    const other = await DataFolder.make()
    const { id } = await other.publish({ A: 'ONLY' })
    await damage(await other.bookingsFile(id, 'A'))
    await assert.rejects(makeBackup(other.path, inFolder('damaged'), everything), { code: 'SNP301' })
    assert.ok(!(await readdir(folder)).some((name) => name.includes('damaged')))
    await other.remove()
  })

  it('overwrites nothing, and refuses a folder without data', async () => {
    await makeBackup(data.path, inFolder('first'), everything)
    const before = await contentOf(inFolder('first'))
    await assert.rejects(makeBackup(data.path, inFolder('first'), everything), { code: 'DIR453' })
    assert.deepEqual(await contentOf(inFolder('first')), before)
    await assert.rejects(makeBackup(inFolder('missing'), inFolder('x'), everything), { code: 'SNP303' })
    const empty = await mkdtemp(inFolder('empty-'))
    await assert.rejects(makeBackup(empty, inFolder('x'), everything), { code: 'DIR106' })
    await assert.rejects(makeBackup(empty, inFolder('x'), { ...everything, storeOutside: true }), {
      code: 'DIR106',
    })
  })

  it('has the keys alone when everything else is in a database', async () => {
    const keys = await mkdtemp(inFolder('keys-'))
    await writeFile(join(keys, 'secret.key'), 'key')
    const missing = { code: 'DIR106', hint: /TRIPFOLIO_STORE/ }
    await assert.rejects(makeBackup(keys, inFolder('of-keys'), everything), missing)
    const { files } = await makeBackup(keys, inFolder('of-keys'), { ...everything, storeOutside: true })
    assert.deepEqual(
      files.map(({ path }) => path),
      ['secret.key'],
    )
  })

  it('says where it cannot write', async () => {
    await writeFile(inFolder('file'), '')
    await assert.rejects(makeBackup(data.path, join(inFolder('file'), 'x'), everything), {
      code: 'DIR456',
    })
  })

  it('holds one moment of the store while others write to it', async () => {
    const store = await openControlStore(data.path)
    let writing = true
    const writer = (async () => {
      for (let made = 0; writing; made++) {
        await store.accounts.create({ clientNumber: 'A', name: `${made}` }, BY)
        await nextTurn()
      }
    })()
    try {
      await makeBackup(data.path, inFolder('busy'), { snapshots: 'none', history: false })
    } finally {
      writing = false
      await writer
    }
    await store.close()
    const copy = await openControlStore(inFolder('busy'), { create: false })
    const accounts = (await copy.accounts.list()).filter(({ name }) => /^\d+$/.test(name))
    const numbers = accounts.map(({ name }) => Number(name)).sort((a, b) => a - b)
    // No account is missing before one that is there, and each has its entry in the trail.
    assert.deepEqual(
      numbers,
      Array.from(numbers, (_, i) => i),
    )
    for (const { id } of accounts) assert.equal((await copy.accounts.history(id)).length, 1)
    await copy.close()
  })

  it('copies the newer snapshot when a refresh removes the one that is being copied', async () => {
    const other = await DataFolder.make()
    await other.publish({ A: 'OLD' })
    let refreshed = false
    const disk: BackupDisk = {
      ...backupDisk,
      copy: async (from, to) => {
        if (!refreshed) {
          refreshed = true
          await other.publish({ A: 'NEW' })
          await removeOldSnapshots(other.path, 1)
        }
        await backupDisk.copy(from, to)
      },
    }
    const { snapshot } = await makeBackup(other.path, inFolder('raced'), everything, disk)
    assert.equal(snapshot, await readCurrentId(other.path))
    assert.deepEqual(await listSnapshotIds(inFolder('raced')), [snapshot])
    await other.remove()
  })

  it('has nothing or everything under its name, whenever its process is killed', async () => {
    const { disk, steps } = dyingDisk(Number.POSITIVE_INFINITY)
    const options = { snapshots: 'current', history: false } as const
    await makeBackup(data.path, inFolder('killed-0'), options, disk)
    const whole = [...(await contentOf(inFolder('killed-0'))).keys()]
    for (let power = 0; power < steps(); power++) {
      const target = inFolder(`killed-at-${power}`)
      await assert.rejects(makeBackup(data.path, target, options, dyingDisk(power).disk), /killed/)
      const found = [...(await contentOf(target)).keys()]
      if (found.length > 0) assert.deepEqual(found, whole)
      else {
        await makeBackup(data.path, target, options)
        assert.deepEqual([...(await contentOf(target)).keys()], whole)
      }
    }
    // The next backup of the same name removes what a killed one has left.
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith('.')),
      [],
    )
  })
})

describe('the next backup beside a killed one', () => {
  it('removes what it has left, whatever its name was, and no draft of a living process', async () => {
    const parent = await mkdtemp(inFolder('nightly-'))
    const { pid: dead } = spawnSync(process.execPath, ['--version'])
    const [left, living, file] = [
      `.monday.partial-${dead}`,
      `.tuesday.partial-${process.ppid}`,
      `.x.partial-${dead}`,
    ]
    for (const name of [left, living]) await mkdir(join(parent, name))
    await writeFile(join(parent, left, 'control.db'), 'half')
    await writeFile(join(parent, file), '')
    await makeBackup(data.path, join(parent, 'wednesday'), { snapshots: 'none', history: false })
    assert.deepEqual((await readdir(parent)).toSorted(), [living, file, 'wednesday'].toSorted())
  })
})

describe('a restore', () => {
  it('brings back accounts, secrets, history and records', async () => {
    await makeBackup(data.path, inFolder('kept'), everything)
    const target = inFolder('restored')
    const list = await restoreBackup(inFolder('kept'), target)
    const store = await openControlStore(target, { create: false, secretKey: () => keyOf(target) })
    assert.equal((await store.accounts.lookup(hashApiKey(apiKey)))?.clientNumber, 'A')
    assert.equal(await store.secrets.read('payment'), 'canary')
    await store.close()
    await (await openHistory(target)).close()
    assert.deepEqual(
      (await verifySnapshots(target)).map(({ id, damaged }) => [id, damaged]),
      [[list.snapshot, []]],
    )
    const observe = () => undefined
    const catalogue = new SnapshotCatalogue(target, observe, new SharedFiles(target, observe).open)
    await catalogue.refresh()
    assert.equal(await locatorOf(catalogue, 'A'), 'THIRD')
    assert.ok(!(await readdir(target)).includes(RESTORE_MARK))
  })

  it('overwrites nothing, and takes a folder that holds only locks', async () => {
    await makeBackup(data.path, inFolder('small'), { snapshots: 'none', history: false })
    const before = await readdir(data.path)
    await assert.rejects(restoreBackup(inFolder('small'), data.path), { code: 'DIR455' })
    // Not even a lock.
    assert.deepEqual(await readdir(data.path), before)
    const empty = await mkdtemp(inFolder('locks-'))
    await writeFile(join(empty, 'refresh.lock'), '')
    await restoreBackup(inFolder('small'), empty)
    await assert.rejects(restoreBackup(inFolder('small'), empty), { code: 'DIR455' })
  })

  it('is refused while a service runs on the folder', async () => {
    await makeBackup(data.path, inFolder('served'), { snapshots: 'none', history: false })
    const empty = await mkdtemp(inFolder('serving-'))
    const locks = [await holdServiceLock(empty), await holdServiceLock(empty)]
    await assert.rejects(restoreBackup(inFolder('served'), empty), { code: 'DIR452' })
    locks[0]?.release()
    await assert.rejects(restoreBackup(inFolder('served'), empty), { code: 'DIR452' })
    locks[1]?.release()
    await restoreBackup(inFolder('served'), empty)
  })

  it('says when there is no such folder, and makes none', async () => {
    const target = inFolder('restored-from-nothing')
    await assert.rejects(restoreBackup(inFolder('typo'), target), {
      code: 'DIR454',
      message: `There is no backup: the folder ${inFolder('typo')} does not exist`,
    })
    await assert.rejects(restoreBackup(await mkdtemp(inFolder('no-list-')), target), {
      message: /has no backup\.json/,
    })
    assert.ok(!existsSync(target))
  })

  it('says when the backup belongs to another user', () => {
    const cause = Object.assign(new Error('denied'), { code: 'EACCES' })
    const { message, hint } = fileUnreadable('/backup/nightly/backup.json', cause)
    assert.match(message, /this user may not read it \(EACCES\)$/)
    assert.match(hint ?? '', /chown/)
  })

  /** biome-ignore lint/suspicious/noExplicitAny: what a list may not hold */
  const relist = (change: (list: any) => void) => async (backup: string) => {
    const list = JSON.parse(await readFile(join(backup, BACKUP_LIST), 'utf8'))
    change(list)
    await writeFile(join(backup, BACKUP_LIST), JSON.stringify(list))
  }
  /** Somebody who makes a backup knows size and checksum of what it lists. */
  const added =
    (path: string, make: (place: string) => Promise<void>, content: string | Buffer) =>
    async (backup: string) => {
      const place = join(backup, path)
      await mkdir(dirname(path.includes('/x/') ? dirname(place) : place), { recursive: true })
      await make(place)
      const sha256 = createHash('sha256').update(content).digest('hex')
      await relist((list) => list.files.push({ path, bytes: content.length, sha256 }))(backup)
    }
  const damages: readonly (readonly [title: string, change: (backup: string) => Promise<void>])[] = [
    ['an altered byte', (backup) => damage(join(backup, 'control.db'))],
    ['a missing file', (backup) => rm(join(backup, 'secret.key'))],
    ['a shorter file', (backup) => writeFile(join(backup, 'current'), '2026')],
    ['no list', (backup) => rm(join(backup, BACKUP_LIST))],
    ['half a list', (backup) => writeFile(join(backup, BACKUP_LIST), '{"format":1,"files":[')],
    [
      'a later format',
      (backup) => writeFile(join(backup, BACKUP_LIST), '{"format":2,"everything":"elsewhere"}'),
    ],
    ['a path that leads out of the folder', relist((list) => (list.files[0].path = '../control.db'))],
    ['a list without files', relist((list) => (list.files = []))],
    ['a moment that is none', relist((list) => (list.madeAt = '2026\x1b[2J'))],
    ['a version that is none', relist((list) => (list.version = '1\n2'))],
    ['a snapshot that is a path', relist((list) => (list.snapshot = '../../etc'))],
    ['another snapshot than it says', relist((list) => (list.snapshot = '20200101T000000000Z-0000'))],
    ['a snapshot that it does not tell of', relist((list) => (list.snapshot = null))],
    ['one file twice', relist((list) => list.files.push(list.files[0]))],
    ['a list of negative sizes', relist((list) => (list.files[0].bytes = -1))],
    ...['.bashrc', 'control.db-wal', 'restore-unfinished', 'service.lock', 'lib/evil.node'].map(
      (path) =>
        [
          `the file ${path}, which no backup has`,
          added(path, (place) => writeFile(place, 'evil'), 'evil'),
        ] as const,
    ),
    [
      'a link to a file of others',
      added('changes/x', (place) => symlink('/etc/hostname', place), readFileSync('/etc/hostname')),
    ],
    ['a link to a device', added('changes/x', (place) => symlink('/dev/zero', place), '')],
    [
      'a folder that is a link',
      added('changes/x/hostname', (place) => symlink('/etc', dirname(place)), readFileSync('/etc/hostname')),
    ],
    ['a pipe', added('changes/x', async (place) => void spawnSync('mkfifo', [place]), '')],
    [
      'a file that is far larger than it says',
      added(
        'changes/x',
        async (place) => {
          await writeFile(place, '')
          await truncate(place, 2 ** 40)
        },
        '',
      ),
    ],
    [
      'a pipe as its list',
      async (backup) => {
        await rm(join(backup, BACKUP_LIST))
        spawnSync('mkfifo', [join(backup, BACKUP_LIST)])
      },
    ],
  ]
  for (const [title, change] of damages) {
    it(`writes nothing from a backup with ${title}`, async () => {
      const backup = inFolder(`damaged ${title}`)
      await makeBackup(data.path, backup, everything)
      await change(backup)
      const target = inFolder(`restored with ${title}`)
      await assert.rejects(restoreBackup(backup, target), { code: 'DIR454' })
      assert.deepEqual((await contentOf(target)).size, 0)
    })
  }

  it('is complete, or known as unfinished and completed by the next attempt, whenever its process is killed', async () => {
    const backup = inFolder('to-restore')
    await makeBackup(data.path, backup, { snapshots: 'current', history: false })
    const { disk, steps } = dyingDisk(Number.POSITIVE_INFINITY)
    await restoreBackup(backup, inFolder('uncut'), disk)
    const whole = await contentOf(inFolder('uncut'))
    for (let power = 0; power < steps(); power++) {
      const target = inFolder(`cut-at-${power}`)
      await assert.rejects(restoreBackup(backup, target, dyingDisk(power).disk), /killed/)
      const found = await contentOf(target)
      if (found.has(RESTORE_MARK)) await assert.rejects(openControlStore(target), { code: 'DIR450' })
      else assert.ok(found.size === 0 || found.size === whole.size, `${power}: ${[...found.keys()]}`)
      if (found.size !== whole.size || found.has(RESTORE_MARK)) await restoreBackup(backup, target)
      assert.deepEqual(await contentOf(target), whole)
    }
  })

  it('is completed only by the same backup, and until then no other command uses the folder', async () => {
    const backup = inFolder('to-restore')
    const { disk, steps } = dyingDisk(Number.POSITIVE_INFINITY)
    await restoreBackup(backup, inFolder('uncut again'), disk)
    const target = inFolder('half')
    await assert.rejects(restoreBackup(backup, target, dyingDisk(steps() - 4).disk), /killed/)
    const half = await contentOf(target)
    await makeBackup(data.path, inFolder('of another moment'), everything)
    await assert.rejects(restoreBackup(inFolder('of another moment'), target), { code: 'DIR463' })
    await assert.rejects(makeBackup(target, inFolder('of half'), everything), { code: 'DIR450' })
    assert.deepEqual(await contentOf(target), half)
    await restoreBackup(backup, target)
    assert.deepEqual(await contentOf(target), await contentOf(inFolder('uncut again')))
  })

  it('does not complete a folder that holds files of others', async () => {
    const backup = inFolder('to-restore')
    const target = await mkdtemp(inFolder('shared-'))
    await writeFile(join(target, RESTORE_MARK), '')
    await writeFile(join(target, 'notes.txt'), 'mine')
    await assert.rejects(restoreBackup(backup, target), { code: 'DIR455' })
    assert.equal(await readFile(join(target, 'notes.txt'), 'utf8'), 'mine')
  })
})
