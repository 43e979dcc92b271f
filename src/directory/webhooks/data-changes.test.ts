/** The numbers of changes: each client counts its own, whichever node records, and whatever was removed since. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openStorePair, type StorePair } from '../testing/store-pair.ts'

let pair: StorePair
before(async () => {
  pair = await openStorePair()
})
after(() => pair.close())

let recorded = 0
/** Records one change of each client, on the nodes in turn. */
async function record(...clients: readonly string[]): Promise<void> {
  const { dataChanges } = recorded++ % 2 === 0 ? pair.here : pair.elsewhere
  const [from, to] = [await dataChanges.recordedUpTo(), `S${recorded}`]
  const changes = clients.map((clientNumber) => ({ clientNumber, snapshotId: to, lists: {} }))
  assert.equal(await dataChanges.record({ from, to }, changes), true)
}

const numbersOf = async (client: string, from = 0) =>
  (await pair.here.dataChanges.after(client, from, 100)).map(({ sequence }) => sequence)

describe('the changes of a client', () => {
  it('are counted by themselves, on all nodes', async () => {
    await record('A1', '\ufeffA1', 'B2')
    await record('\ufeffA1')
    await record('B2', 'C3')
    await record('A1', '\ufeffA1')
    assert.deepEqual(
      [await numbersOf('A1'), await numbersOf('\ufeffA1'), await numbersOf('B2'), await numbersOf('C3')],
      [[1, 2], [1, 2, 3], [1, 2], [1]],
    )
    assert.deepEqual(await numbersOf('\ufeffA1', 2), [3])
    const { dataChanges } = pair.elsewhere
    assert.deepEqual([await dataChanges.newestOf('A1'), await dataChanges.oldestOf('A1')], [2, 1])
    assert.deepEqual([await dataChanges.newestOf('D4'), await dataChanges.oldestOf('D4')], [0, null])
  })

  it('are told apart from those of clients whose numbers look like it', async () => {
    const alike = ['E5', 'e5', 'E5 ', ' E5', 'E50', 'E', '\ufeffE5', 'Ｅ5', 'E%', 'E_']
    for (const [at, client] of alike.entries())
      await record(...alike.slice(at), client === 'E5' ? 'F6' : 'E5')
    const { dataChanges } = pair.elsewhere
    for (const [at, client] of alike.entries()) {
      const own = client === 'E5' ? alike.length : at + 1
      assert.equal(await dataChanges.newestOf(client), own, client)
      const found = await pair.here.dataChanges.after(client, 0, 100)
      assert.deepEqual(new Set(found.map(({ data }) => data.clientNumber)), new Set([client]))
      assert.equal(found.length, own, client)
    }
  })

  it('are counted on when they were removed', async () => {
    const { dataChanges } = pair.here
    await dataChanges.prune(new Date(Date.now() + 1000))
    assert.deepEqual([await dataChanges.newestOf('A1'), await dataChanges.oldestOf('A1')], [2, null])
    await record('A1')
    assert.deepEqual([await numbersOf('A1'), await dataChanges.oldestOf('A1')], [[3], 3])
  })
})
