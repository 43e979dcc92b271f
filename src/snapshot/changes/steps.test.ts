/** Steps of a data folder: when they are written, how long they are kept, and what happens when one cannot be. */
import assert from 'node:assert/strict'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import fc from 'fast-check'
import { snapshotFolder } from '../format/layout.ts'
import { readManifest } from '../manifest.ts'
import { DataFolder, damage, publishLocators } from '../testing/data-folder.ts'
import { beginSnapshot, dataFolderDestination } from '../writing/snapshot-writer.ts'
import { changedClients } from './changed-clients.ts'
import { decodeStep, EMPTY_VERSION, encodeStep, HASH_LENGTH } from './step.ts'
import { fileStepSource, oldestStep, removeOldSteps, stepsInDataFolder } from './stored-steps.ts'
import { composed, isAdded, isRemoved, keyOf, type NetChange, rowOf, walkSteps } from './walk-steps.ts'

let data: DataFolder

function prepareEachTest(): void {
  beforeEach(async () => {
    data = await DataFolder.make()
  })
  afterEach(() => data.remove())
}

const source = () => fileStepSource(async () => stepsInDataFolder(data.path))
const manifestOf = (id: string) => readManifest(snapshotFolder(data.path, id))
const versionIn = async (id: string, clientNumber: string): Promise<string> =>
  (await manifestOf(id)).clients.find((client) => client.clientNumber === clientNumber)?.bookings.sha256 ??
  EMPTY_VERSION
const stepFiles = async (): Promise<readonly string[]> =>
  (await readdir(join(data.path, 'changes'), { recursive: true }).catch(() => [])).filter((name) =>
    name.includes('bookings.'),
  )
const walk = async (from: string, to: string, clientNumber = 'A') =>
  walkSteps({
    source: source(),
    clientNumber,
    stored: 'bookings',
    from: await versionIn(from, clientNumber),
    to: await versionIn(to, clientNumber),
  })

describe('a refresh', () => {
  prepareEachTest()

  it('writes a step for each changed client only, and none for its first snapshot', async () => {
    const { id: first } = await data.publish({ A: 'ONE', B: 'ONE' })
    assert.deepEqual(await stepFiles(), [])
    const { id: second } = await data.publish({ A: 'TWO', B: 'ONE' })
    assert.equal((await stepFiles()).length, 1)
    assert.deepEqual(told(await walk(first, second)), [
      [['ONE'], 'removed'],
      [['TWO'], 'added'],
    ])
    assert.deepEqual(told(await walk(second, first)), [
      [['ONE'], 'added'],
      [['TWO'], 'removed'],
    ])
    assert.deepEqual(await walk(first, second, 'B'), [])
  })

  it('that was killed leaves a step that is true, and one that was refused leaves none', async () => {
    const { id: first } = await data.publish({ A: 'ONE' })
    const add = async (locator: string) => {
      const draft = await beginSnapshot(data.path)
      await publishLocators(
        { ...draft, publish: async () => ({ id: draft.id, warnings: [] }) },
        { A: locator },
      )
      return draft
    }
    await add('KILLED')
    assert.equal((await stepFiles()).length, 1)
    await (await add('REFUSED')).abandon()
    assert.equal((await stepFiles()).length, 1)
    const { id: later } = await data.publish({ A: 'KILLED' })
    assert.equal((await walk(first, later))?.length, 2)
  })

  it('of which a step cannot be stored publishes nothing, and says why', async () => {
    const { id: first } = await data.publish({ A: 'ONE' })
    // A file where the folder of the steps should be: no user may make it.
    await rm(join(data.path, 'changes'), { recursive: true })
    await writeFile(join(data.path, 'changes'), '')
    await assert.rejects(data.publish({ A: 'TWO' }))
    assert.equal((await data.open()).current()?.id, first)
  })

  it('that cannot read the old records warns that it is not known what changed', async () => {
    const { id: first } = await data.publish({ A: 'ONE', B: 'ONE' })
    await damage(await data.bookingsFile(first, 'A'))
    const { id: second } = await data.publish({ A: 'TWO', B: 'TWO' })
    const { warnings = [] } = await manifestOf(second)
    assert.deepEqual(
      warnings.map(({ kind, clients }) => [kind, clients]),
      [['changes-unknown', 1]],
    )
    assert.equal(await walk(first, second), null)
    assert.equal((await walk(first, second, 'B'))?.length, 2)
  })
})

describe('a walk', () => {
  prepareEachTest()

  it('finds its way around a damaged step, and reports it', async () => {
    const { id: first } = await data.publish({ A: 'ONE' })
    const { id: second } = await data.publish({ A: 'TWO' })
    const [direct = ''] = await stepFiles()
    await data.publish({ A: 'THREE' })
    const { id: last } = await data.publish({ A: 'TWO' })
    await damage(join(data.path, 'changes', direct))
    const damages: string[] = []
    const question = { source: source(), clientNumber: 'A', stored: 'bookings' } as const
    const [from, to] = [await versionIn(first, 'A'), await versionIn(last, 'A')]
    const onDamage = (reason: string) => void damages.push(reason)
    // The only way from the first snapshot is damaged.
    assert.equal(await walkSteps({ ...question, from, to, onDamage }), null)
    assert.deepEqual(damages, ['its checksum does not match'])
    // The same step was written once more.
    await data.publish({ A: 'ONE' })
    const { id: again } = await data.publish({ A: 'TWO' })
    assert.equal((await walk(first, again))?.length, 2)
    assert.deepEqual(await walk(second, again), [])
  })

  it('does not tell a record that changed and changed back', () => {
    const step = (before: string | null, after: string | null) => {
      const of = { clientNumber: 'A', stored: 'invoices', from: '1', to: '2' } as const
      const state = (row: number, hash: string | null) =>
        hash === null ? null : ([row, hash.repeat(HASH_LENGTH)] as const)
      const changes = [[['X', '1'], state(0, before), state(7, after)] as const]
      return { isForward: true, records: decodeStep(encodeStep({ ...of, changes }), of) }
    }
    assert.deepEqual(composed([step('a', 'b'), step('b', 'a')]), [])
    assert.deepEqual(composed([step(null, 'b'), step('b', null)]), [])
    const back = { ...step('a', 'b'), isForward: false }
    assert.deepEqual(composed([step('a', 'b'), back]), [])
    const found = composed([step('a', null), step(null, 'c')])
    assert.deepEqual(told(found), [[['X', '1'], 'changed']])
    assert.deepEqual(
      found.map((change) => [rowOf(change), change.isRowKnown]),
      [[7, true]],
    )
  })
})

describe('a stored step', () => {
  prepareEachTest()

  it('has the keys, rows and hashes of its records, whatever their texts', () => {
    const changes = fc.uniqueArray(
      fc.tuple(
        fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })),
        fc.option(state),
        fc.option(state),
      ),
    )
    fc.assert(
      fc.property(changes, fc.string({ unit: 'grapheme' }), (changes, clientNumber) => {
        const of = { clientNumber, stored: 'invoices', from: '1', to: '2' } as const
        // Not at a whole word of the memory.
        const bytes = Buffer.concat([Buffer.from(' '), encodeStep({ ...of, changes })]).subarray(1)
        const { count, key, before, after, hashes } = decodeStep(bytes, of)
        const rowsOf = (side: 1 | 2) => changes.map((change) => change[side]?.[0] ?? -1)
        assert.deepEqual([...before], rowsOf(1))
        assert.deepEqual([...after], rowsOf(2))
        assert.deepEqual(
          Array.from({ length: count }, (_, at) => key(at)),
          changes.map(([key]) => key),
        )
        const expected = changes.flatMap(([, ...states]) =>
          states.map((state) =>
            state === null ? Buffer.alloc(16) : Buffer.from(state[1], 'base64url').subarray(0, 16),
          ),
        )
        assert.deepEqual(hashes, Buffer.concat(expected))
      }),
    )
  })

  it('is refused when it is another one, or has another format', () => {
    const of = { clientNumber: 'A', stored: 'bookings', from: '1', to: '2' } as const
    const bytes = encodeStep({ ...of, changes: [] })
    assert.throws(() => decodeStep(bytes, { ...of, to: '3' }), /its to is '2'/)
    const other = Buffer.from(bytes.toString('latin1').replace('"format":2', '"format":1'), 'latin1')
    assert.throws(() => decodeStep(other, of), /it has format 1/)
  })
})

describe('steps', () => {
  prepareEachTest()

  it('are kept some days beyond the oldest snapshot, and then removed', async () => {
    const { id: first } = await data.publish({ A: 'ONE' })
    await data.publish({ A: 'TWO' })
    await data.publish({ A: 'THREE' })
    const destination = dataFolderDestination(data.path)
    await destination.removeOldSnapshots(1)
    await destination.removeOldChanges(1)
    assert.equal((await stepFiles()).length, 2)
    assert.equal(await removeOldSteps(stepsInDataFolder(data.path), new Date(Date.now() - 60_000)), 0)
    assert.equal(await removeOldSteps(stepsInDataFolder(data.path), new Date(Date.now() + 60_000)), 2)
    assert.deepEqual(await stepFiles(), [])
    assert.equal(oldestStep([], 30), null)
    assert.deepEqual(
      oldestStep(['20260302T000000000Z-0000', '20260301T120000000Z-1f3a'], 30),
      new Date('2026-01-30T12:00:00Z'),
    )
    assert.ok(first)
  })
})

describe('the clients that changed between two snapshots', () => {
  prepareEachTest()

  it('are told with counts for each list that changed', async () => {
    const { id: first } = await data.publish({ A: 'ONE', B: 'ONE', C: 'ONE' })
    const { id: second } = await data.publish({ A: 'TWO', B: 'ONE', D: 'ONE' })
    const both = await Promise.all([manifestOf(first), manifestOf(second)])
    const found = await changedClients(both[0], both[1], source())
    const counts = (added: number, removed: number) => {
      const each = { added, changed: 0, removed }
      return { bookings: each, itineraries: each }
    }
    assert.deepEqual(
      found.toSorted((one, other) => (one.clientNumber < other.clientNumber ? -1 : 1)),
      [
        { clientNumber: 'A', lists: counts(1, 1) },
        { clientNumber: 'C', lists: counts(0, 1) },
        { clientNumber: 'D', lists: counts(1, 0) },
      ],
    )
    assert.equal((await changedClients(null, both[1], source())).length, 3)
    assert.deepEqual(await changedClients(both[1], both[1], source()), [])
  })

  it('are told without counts when it is not known what changed', async () => {
    const { id: first } = await data.publish({ A: 'ONE' })
    const { id: second } = await data.publish({ A: 'TWO' })
    await removeOldSteps(stepsInDataFolder(data.path), new Date(Date.now() + 60_000))
    const found = await changedClients(await manifestOf(first), await manifestOf(second), source())
    assert.deepEqual(found, [{ clientNumber: 'A', lists: { bookings: null, itineraries: null } }])
  })

  it('are found among 50,000 clients by reading the steps of those that differ only', async () => {
    const { id } = await data.publish({ A: 'ONE' })
    const manifest = await manifestOf(id)
    const [client] = manifest.clients
    assert.ok(client)
    const many = Array.from({ length: 50_000 }, (_, i) => ({ ...client, clientNumber: `C${i}` }))
    const asked: string[] = []
    const counting = {
      edges: async (clientNumber: string) => {
        asked.push(clientNumber)
        return []
      },
    }
    const other = { ...client, bookings: { ...client.bookings, sha256: 'f'.repeat(64) } }
    const changed = many.map((each, i) => (i === 7 ? { ...other, clientNumber: 'C7' } : each))
    const found = await changedClients({ clients: many }, { clients: changed }, counting)
    assert.deepEqual([found.length, asked], [1, ['C7']])
  })
})

const told = (changes: readonly NetChange[] | null) =>
  changes?.map((change) => {
    const kind = isRemoved(change) ? 'removed' : isAdded(change) ? 'added' : 'changed'
    return [keyOf(change), kind]
  })

/** A row and a hash. */
const state = fc.tuple(
  fc.nat(),
  fc
    .uint8Array({ minLength: 17, maxLength: 17 })
    .map((bytes) => Buffer.from(bytes).toString('base64url').slice(0, HASH_LENGTH)),
)
