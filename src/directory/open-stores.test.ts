import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { Observation } from '../observe/observation.ts'
import {
  controlStorePath,
  hasControlStore,
  historyPath,
  openHistory,
  openStores,
  openTrialStores,
} from './open-stores.ts'
import { execution } from './testing/executions.ts'
import { organization } from './testing/people-store.ts'

const noDatabase = 'this is no database '.repeat(100)

describe('the stores of a data folder', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tripfolio-stores-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('are a control store and a history, which leave only their files when they are closed', async () => {
    assert.equal(await hasControlStore(folder), false)
    const stores = await openStores(folder)
    await stores.control.tenant()
    await stores.history.record([execution()])
    await stores.close()
    assert.equal(await hasControlStore(folder), true)
    assert.deepEqual(readdirSync(folder).sort(), ['control.db', 'history.db'])
  })

  it('leave the control store closed when the history is refused', async () => {
    writeFileSync(historyPath(folder), noDatabase)
    await assert.rejects(openStores(folder), { code: 'DIR102' })
    assert.deepEqual(readdirSync(folder).sort(), ['control.db', 'history.db'])
  })

  it('leave an unreadable history where it is when the control store is refused', async () => {
    writeFileSync(controlStorePath(folder), noDatabase)
    writeFileSync(historyPath(folder), noDatabase)
    const observations: Observation[] = []
    const opening = openStores(folder, { repairHistory: (observation) => observations.push(observation) })
    await assert.rejects(opening, { code: 'DIR102' })
    assert.deepEqual([readdirSync(folder).sort(), observations], [['control.db', 'history.db'], []])
  })

  it('are created in another folder for a trial if they are missing, and removed with it', async () => {
    const history = await openHistory(folder)
    await history.record([execution({ id: 'kept' })])
    await history.close()
    const trial = await openTrialStores(folder)
    await trial.control.organizations.create(organization(), 'operator:test')
    assert.equal((await trial.history.find('kept'))?.id, 'kept')
    await trial.close()
    assert.deepEqual(readdirSync(folder), ['history.db'])
  })
})

describe('a history', () => {
  let folder: string
  let path: string
  const observations: Observation[] = []

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tripfolio-history-'))
    path = historyPath(folder)
    observations.length = 0
    const history = await openHistory(folder)
    await history.record([execution()])
    await history.close()
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const count = async () => {
    const history = await openHistory(folder)
    try {
      return (await history.list({}, { limit: 10 })).items.length
    } finally {
      await history.close()
    }
  }

  const repair = async () => {
    const stores = await openStores(folder, {
      repairHistory: (observation) => observations.push(observation),
    })
    await stores.close()
  }

  it('that can be read stays as it is', async () => {
    await repair()
    assert.deepEqual([await count(), observations], [1, []])
  })

  it('that cannot be read is moved aside, and a new one is created', async () => {
    writeFileSync(path, 'this is no database '.repeat(100))
    await repair()
    assert.equal(await count(), 0)
    const [aside = ''] = readdirSync(folder).filter((name) => /^history\.db\.damaged-\w+$/.test(name))
    assert.match(readFileSync(join(folder, aside), 'utf8'), /^this is no database/)
    assert.deepEqual(
      observations.map((o) => (o.kind === 'history-damaged' ? o.movedTo : o.kind)),
      [join(folder, aside)],
    )
  })

  const remains: readonly [what: string, apply: () => void, reason: RegExp][] = [
    ['empty', () => truncateSync(path, 0), /history\.db is not a history, or is damaged: it is empty$/],
    ['cut off', () => truncateSync(path, 100), /is not a history, .*: it is cut off after 100 bytes$/],
    ['text', () => writeFileSync(path, noDatabase), /is not a history, .*: file is not a database$/],
    [
      'zeros',
      () => writeFileSync(path, new Uint8Array(8192)),
      /is not a history, or is damaged: file is not/,
    ],
    [
      'of another program',
      () => foreignDatabase(path),
      /^The history .*history\.db could not be brought up to date:/,
    ],
  ]
  for (const [what, apply, reason] of remains) {
    it(`that is ${what} is moved aside with the true reason`, async () => {
      apply()
      await repair()
      assert.equal(await count(), 0)
      const [observation, ...others] = observations
      assert.ok(observation?.kind === 'history-damaged' && others.length === 0)
      assert.match(observation.reason, reason)
      assert.doesNotMatch(observation.reason, /control store/)
    })
  }

  it('that is a folder, or that this user may not read, is refused with the reason, and stays', async (test) => {
    rmSync(path)
    mkdirSync(path)
    await assert.rejects(
      repair(),
      /^Problem: Cannot open or create the history .*history\.db: it is a folder$/,
    )
    rmSync(path, { recursive: true })
    writeFileSync(path, noDatabase, { mode: 0 })
    if (process.getuid?.() === 0) return test.diagnostic('root may read any file')
    await assert.rejects(repair(), /^Problem: Cannot open or create the history .*history\.db: EACCES/)
  })

  it('whose first pages are gone is moved aside', async () => {
    const bytes = readFileSync(path)
    bytes.fill(7, 4096, Math.min(bytes.length, 90_000))
    writeFileSync(path, bytes)
    await repair()
    assert.equal(await count(), 0)
    assert.equal(existsSync(path), true)
  })
})

/** A database with a table of the history's name, which another program made. */
function foreignDatabase(path: string): void {
  rmSync(path)
  const database = new DatabaseSync(path)
  database.exec('create table executions (something text)')
  database.close()
}
