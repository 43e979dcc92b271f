/** Which version was current at a moment, by what is noted: also where a note is not true, or a step is missing. */
import assert from 'node:assert/strict'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { DataFolder, damage } from '../testing/data-folder.ts'
import { rollBack } from '../writing/roll-back.ts'
import { removeOldSnapshots } from '../writing/snapshot-writer.ts'
import { fileStepSource, removeOldSteps, stepsInDataFolder } from './stored-steps.ts'
import { noteReturn } from './stored-successions.ts'
import { beforeOf, nextMoment, type Succession, versionAt } from './succession.ts'

const noted = (
  at: number,
  snapshot: string,
  before: string | null,
  more: Partial<Succession> = {},
): Succession => ({ at, snapshot, before, compared: before, unknown: [], ...more })

/** `S2: A to B` */
const step = (text: string) => {
  const [, snapshot = '', from = '', to = ''] = /^(\w+): (\w+) to (\w+)$/.exec(text) ?? []
  return { snapshot, from, to }
}

const three = [noted(10, 'S1', null), noted(20, 'S2', 'S1'), noted(30, 'S3', 'S2')]

type Case = {
  readonly it: string
  readonly successions: readonly Succession[]
  readonly steps?: readonly string[]
  /** The served snapshot and the version of the client in it. */
  readonly served: readonly [snapshot: string, version: string]
  /** By moment the version, or the oldest moment that can be asked. */
  readonly expected: Readonly<Record<number, string | { readonly oldest: number | null }>>
}

const cases: readonly Case[] = [
  {
    it: 'is that of the snapshot that had become current last',
    successions: three,
    steps: ['S2: A to B', 'S3: B to C'],
    served: ['S3', 'C'],
    expected: { 9: 'empty', 10: 'A', 19: 'A', 20: 'B', 29: 'B', 30: 'C', 99: 'C' },
  },
  {
    it: 'is the same while a client does not change',
    successions: three,
    steps: ['S3: A to C'],
    served: ['S3', 'C'],
    expected: { 10: 'A', 20: 'A', 30: 'C' },
  },
  {
    it: 'is empty while there was no such client',
    successions: three,
    steps: ['S3: empty to C'],
    served: ['S3', 'C'],
    expected: { 10: 'empty', 29: 'empty', 30: 'C' },
  },
  {
    it: 'follows a return to an earlier snapshot, and what is published after it',
    successions: [
      ...three.slice(0, 2),
      noted(30, 'S1', 'S2', { compared: null }),
      noted(40, 'S4', 'S1'),
      noted(50, 'S2', 'S4', { compared: null }),
    ],
    steps: ['S2: A to B', 'S4: A to D'],
    served: ['S2', 'B'],
    expected: { 10: 'A', 20: 'B', 30: 'A', 40: 'D', 50: 'B' },
  },
  {
    it: 'passes over what was noted before a kill, and then did not become current',
    successions: [
      noted(10, 'S1', null),
      noted(20, 'KILLED', 'S1'),
      noted(30, 'S2', 'S1'),
      // A return that was killed.
      noted(40, 'S1', 'S2', { compared: null }),
      noted(50, 'S3', 'S2'),
    ],
    steps: ['KILLED: A to X', 'S2: A to B', 'S3: B to C'],
    served: ['S3', 'C'],
    expected: { 10: 'A', 20: 'A', 29: 'A', 30: 'B', 49: 'B', 50: 'C' },
  },
  {
    it: 'is that of the served snapshot, although another one has become current meanwhile',
    successions: three,
    steps: ['S2: A to B', 'S3: B to C'],
    served: ['S2', 'B'],
    expected: { 19: 'A', 20: 'B', 30: 'B' },
  },
  {
    it: 'is not known from before the first note',
    successions: [noted(20, 'S2', 'S1'), noted(30, 'S3', 'S2')],
    steps: ['S2: A to B', 'S3: B to C'],
    served: ['S3', 'C'],
    expected: { 19: { oldest: 20 }, 20: 'B' },
  },
  {
    it: 'is not known where nothing is noted of the served snapshot',
    successions: [],
    served: ['S3', 'C'],
    expected: { 1: { oldest: null }, 99: { oldest: null } },
  },
  {
    it: 'is not known when the old records could not be compared',
    successions: [
      noted(10, 'S1', null),
      noted(20, 'S2', 'S1', { unknown: ['OTHER', 'CLIENT'] }),
      noted(30, 'S3', 'S2'),
    ],
    served: ['S3', 'C'],
    expected: { 10: { oldest: 20 }, 20: 'C', 30: 'C' },
  },
  {
    it: 'is known when only those of others could not be compared',
    successions: [noted(10, 'S1', null), noted(20, 'S2', 'S1', { unknown: ['OTHER'] })],
    served: ['S2', 'C'],
    expected: { 10: 'C' },
  },
  {
    it: 'is not known from before an upgrade, which compares nothing',
    successions: [noted(10, 'S1', null), noted(20, 'S2', 'S1', { compared: null })],
    served: ['S2', 'C'],
    expected: { 9: 'empty', 10: { oldest: 20 }, 20: 'C' },
  },
  {
    it: 'is not known where the steps contradict each other, because one is missing',
    successions: [...three, noted(40, 'S4', 'S3')],
    steps: ['S2: A to B', 'S4: C to D'],
    served: ['S4', 'D'],
    expected: { 20: { oldest: 40 }, 30: { oldest: 40 }, 40: 'D' },
  },
  {
    it: 'is not known when no steps lead from it',
    successions: three,
    steps: ['S2: A to B'],
    served: ['S3', 'C'],
    expected: { 10: { oldest: null } },
  },
]

describe('the version of a moment', () => {
  for (const { it: title, successions, steps = [], served, expected } of cases) {
    it(title, () => {
      const [snapshotId, version] = served
      const edges = steps.map(step)
      for (const [moment, answer] of Object.entries(expected)) {
        const of = { clientNumber: 'CLIENT', snapshotId, version, versionOf: snapshotId, successions, edges }
        const wanted = typeof answer === 'string' ? { version: answer } : answer
        assert.deepEqual(versionAt(of, Number(moment)), wanted, `at ${moment}`)
      }
    })
  }

  it('is not known where the next snapshot has a moment to come, because the clock was wrong', () => {
    const edges = [step('S2: A to B'), step('S3: B to C')]
    const of = { clientNumber: 'CLIENT', snapshotId: 'S3', version: 'C', versionOf: 'S3' }
    const at = (moment: number) => versionAt({ ...of, successions: three, edges }, moment, 25)
    assert.deepEqual([19, 20, 25].map(at), [{ version: 'A' }, { oldest: null }, { oldest: null }])
  })

  it('is known by what an older snapshot has when that one is read instead of a damaged file', () => {
    const edges = [step('S2: A to B'), step('S3: B to C')]
    const of = { clientNumber: 'CLIENT', snapshotId: 'S3', version: 'B', versionOf: 'S2' }
    assert.deepEqual(versionAt({ ...of, successions: three, edges }, 10), { version: 'A' })
  })
})

describe('a note', () => {
  it('is later than all before, also when the clock was set back', () => {
    assert.equal(nextMoment(5, undefined), 5)
    assert.equal(nextMoment(5, 4), 5)
    assert.equal(nextMoment(5, 7), 8)
  })

  it('says that nothing was current before only if it is the first one', () => {
    assert.equal(beforeOf(null, undefined), null)
    assert.equal(beforeOf(null, 1), 'lost')
    assert.equal(beforeOf('S1', 1), 'S1')
  })

  it('is made by each publication and each return in a data folder, and keeps as long as its steps', async (t) => {
    const { data, source, files } = await folder(t)
    const first = await data.publish({ A: 'ONE' })
    const second = await data.publish({ A: 'TWO' })
    await rollBack(data.path, undefined)
    const third = await data.publish({ A: 'THREE' })
    const told = async () =>
      (await source.successions()).map(({ snapshot, before, compared }) => [snapshot, before, compared])
    assert.deepEqual(await told(), [
      [first.id, null, null],
      [second.id, first.id, first.id],
      [first.id, second.id, null],
      [third.id, first.id, first.id],
    ])
    await removeOldSnapshots(data.path, 1)
    await removeOldSteps(files, new Date(Date.now() - 60_000))
    assert.equal((await told()).length, 4)
    await removeOldSteps(files, new Date(Date.now() + 60_000))
    assert.deepEqual(await told(), [])
    // Snapshots were there.
    await rm(join(data.path, 'current'))
    await rm(join(data.path, 'snapshots'), { recursive: true })
    await noteReturn(files, 'S', undefined)
    await data.publish({ A: 'ONE' })
    assert.deepEqual((await told()).at(-1)?.[1], 'lost')
  })

  it('goes with steps that get lost, so that nothing is concluded from what is left of them', async (t) => {
    const { data, source, files, path } = await folder(t)
    await data.publish({ A: 'ONE', B: 'ONE' })
    const { id } = await data.publish({ A: 'TWO', B: 'TWO' })
    const [client = ''] = (await readdir(path)).filter((name) => name.startsWith('A-'))
    await rm(join(path, client), { recursive: true })
    await removeOldSteps(files, new Date(0))
    const left = await source.successions()
    assert.deepEqual(
      left.map(({ snapshot }) => snapshot === id),
      [false],
    )
  })

  it('names the clients that could not be compared, and stands for all of them when it is damaged', async (t) => {
    const { data, source, path } = await folder(t)
    const { id } = await data.publish({ A: 'ONE', B: 'ONE' })
    await damage(await data.bookingsFile(id, 'A'))
    await data.publish({ A: 'TWO', B: 'TWO' })
    assert.deepEqual(
      (await source.successions()).map(({ compared, unknown }) => [compared, unknown]),
      [
        [null, []],
        [id, ['A']],
      ],
    )
    const [, second = ''] = (await readdir(join(path, 'successions'))).sort()
    await damage(join(path, 'successions', second))
    assert.deepEqual((await source.successions())[1]?.compared, null)
  })

  it('that cannot be stored ends the refresh or the return, and the snapshot stays', async (t) => {
    const { data, path } = await folder(t)
    await data.publish({ A: 'ONE' })
    const { id } = await data.publish({ A: 'TWO' })
    await rm(join(path, 'successions'), { recursive: true })
    await writeFile(join(path, 'successions'), '')
    await assert.rejects(data.publish({ A: 'THREE' }))
    await assert.rejects(rollBack(data.path, undefined))
    assert.equal((await data.open()).current()?.id, id)
  })

  it('is no other file that lies there', async (t) => {
    const { data, source, path } = await folder(t)
    await mkdir(join(path, 'successions'), { recursive: true })
    await writeFile(join(path, 'successions', '.unfinished-1'), '')
    await data.publish({ A: 'ONE' })
    assert.equal((await source.successions()).length, 1)
  })
})

async function folder(t: { readonly after: (end: () => Promise<void>) => void }) {
  const data = await DataFolder.make()
  t.after(() => data.remove())
  const files = stepsInDataFolder(data.path)
  return { data, files, source: fileStepSource(async () => files), path: join(data.path, 'changes') }
}
