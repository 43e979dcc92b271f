/** What is read before the first request for the newest changes. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { KeyedRecords } from '../../engine/keyed-records.ts'
import { createMemoryEngine } from '../../engine/memory/memory-engine.ts'
import { defaultQueryLimits } from '../../query/limits.ts'
import { decodeStep, encodeStep, type RecordChange, type StepRecords } from '../../snapshot/changes/step.ts'
import type { StepEdge, StepSource } from '../../snapshot/changes/step-store.ts'
import { fileStepSource, stepsInDataFolder } from '../../snapshot/changes/stored-steps.ts'
import { DataFolder, type Locators } from '../../snapshot/testing/data-folder.ts'
import { rollBack } from '../../snapshot/writing/roll-back.ts'
import { createAnswerChanges, createKeptLists } from './answer-changes.ts'
import { openChangeReaders } from './change-readers.ts'
import { createWarmChanges } from './warm-changes.ts'

const LONG = 10_001

/** More changes than one list that is warmed up may have. */
const longStep = async (edge: StepEdge): Promise<StepRecords> => {
  const changes = Array.from(
    { length: LONG },
    (_, i) => [[String(i)], null, [0, HASH, HASH]] satisfies RecordChange,
  )
  const of = { clientNumber: 'A', stored: 'bookings', from: edge.from, to: edge.to } as const
  return decodeStep(encodeStep({ ...of, changes }), of)
}

const HASH = 'A'.repeat(22)

/** A thread whose looks for steps and reads of steps are counted. */
async function thread(t: TestContext, locators: Locators, read = (edge: StepEdge) => edge.read()) {
  const data = await DataFolder.make()
  t.after(() => data.remove())
  await data.publish(locators)
  const catalogue = await data.open()
  const files = fileStepSource(async () => stepsInDataFolder(data.path))
  let [looks, reads, recordReads] = [0, 0, 0]
  const memory = createMemoryEngine()
  const engine: typeof memory = {
    ...memory,
    open: async (...of) => {
      const opened = await memory.open(...of)
      const keyed = (): KeyedRecords => {
        const records = opened.keyed()
        return {
          ...records,
          read: (rows) => {
            recordReads++
            return records.read(rows)
          },
        }
      }
      return { ...opened, keyed }
    },
  }
  const steps: StepSource = {
    ...files,
    edges: async (...of) => {
      looks++
      const edges = await files.edges(...of)
      return edges.map((edge) => ({
        ...edge,
        read: () => {
          reads++
          return read(edge)
        },
      }))
    },
  }
  const { observe } = data
  const deps = { catalogue, engine, limits: defaultQueryLimits, observe }
  const lists = createKeptLists()
  const readers = openChangeReaders()
  const answer = createAnswerChanges({ ...deps, steps }, lists)
  return {
    data,
    readers,
    looks: () => looks,
    reads: () => reads,
    /** How often records were read from the data. */
    recordReads: () => recordReads,
    /** The changes as lines of JSON, and the token of the end. */
    ask: async (clientNumber: string, since?: string, list: 'bookings' | 'itineraries' = 'bookings') => {
      const principal = { accountId: 'a', accountName: 'a', clientNumber }
      const parameters = () => (since === undefined ? [] : ([['since', since]] as const))
      const found = await answer({ version: 2, list, principal, query: null, parameters })
      const written = await found.execute()
      const chunks: Uint8Array[] = []
      for await (const chunk of written.chunks('ndjson', 1000)) chunks.push(Buffer.from(chunk))
      const lines = Buffer.concat(chunks).toString().split('\n').slice(0, -1)
      return { count: written.count, lines, token: found.changesToken as string }
    },
    announce: async (clients: readonly string[]) => {
      await catalogue.refresh()
      const warm = createWarmChanges({ steps }, { lists, readers })
      for (const client of clients) await warm(client, 'bookings', deps)
    },
  }
}

describe('warming up changes', () => {
  it('reads the newest step of a list that was asked for before, and no others', async (t) => {
    const { data, readers, looks, ask, announce } = await thread(t, { A: 'ONE', B: 'ONE' })
    const [a, b] = [await ask('A'), await ask('B')]
    const itineraries = await ask('A', undefined, 'itineraries')
    readers.note('A', 'bookings')
    await data.publish({ A: 'TWO', B: 'TWO' })
    await announce(['A', 'B'])
    assert.equal(looks(), 1)
    assert.equal((await ask('A', a.token)).count, 2)
    assert.equal(looks(), 1)
    await ask('A', itineraries.token, 'itineraries')
    await ask('B', b.token)
    assert.equal(looks(), 3)
  })

  it('copies the records, so that a request reads none from the data', async (t) => {
    const { data, readers, recordReads, ask, announce } = await thread(t, { A: 'ONE', B: 'ONE' })
    const [a, b] = [await ask('A'), await ask('B')]
    for (const list of ['bookings', 'itineraries'] as const) readers.note('A', list)
    await data.publish({ A: 'TWO', B: 'TWO' })
    await announce(['A', 'B'])
    const before = recordReads()
    const ofA = await ask('A', a.token)
    assert.equal(recordReads(), before)
    const ofB = await ask('B', b.token)
    assert.equal(recordReads(), before + 1)
    assert.deepEqual(
      ofA.lines,
      ofB.lines.map((line) => line.replace('"clientNumber":"B"', '"clientNumber":"A"')),
    )
    assert.deepEqual(
      ofA.lines.map((line) => JSON.parse(line)._change),
      ['removed', 'added'],
    )
  })

  it('reads the step in the other direction after a return to an older snapshot', async (t) => {
    const { data, readers, looks, ask, announce } = await thread(t, { A: 'ONE' })
    await data.publish({ A: 'TWO' })
    await announce([])
    const { token } = await ask('A')
    readers.note('A', 'bookings')
    await rollBack(data.path, undefined)
    await announce(['A'])
    assert.equal((await ask('A', token)).count, 2)
    assert.equal(looks(), 1)
  })

  it('keeps the lists of many clients until they are asked for', async (t) => {
    // More than a cache has on trial.
    const clients = Array.from({ length: 17 }, (_, i) => `C${i}`)
    const all = (locator: string) => Object.fromEntries(clients.map((client) => [client, locator]))
    const { data, readers, looks, ask, announce } = await thread(t, all('ONE'))
    const asked = clients.flatMap((client) => [
      [client, 'bookings'] as const,
      [client, 'itineraries'] as const,
    ])
    const tokens: string[] = []
    for (const [client, list] of asked) {
      readers.note(client, list)
      tokens.push((await ask(client, undefined, list)).token)
    }
    await data.publish(all('TWO'))
    await announce(clients)
    for (const [i, [client, list]] of asked.entries())
      assert.equal((await ask(client, tokens[i], list)).count, 2)
    assert.equal(looks(), clients.length)
  })

  it('reads no step of a client that is new: callers have no token from before', async (t) => {
    const { data, readers, reads, announce } = await thread(t, { A: 'ONE' })
    readers.note('B', 'bookings')
    await data.publish({ A: 'ONE', B: 'ONE' })
    await announce(['B'])
    assert.equal(reads(), 0)
  })

  it('keeps no long list', async (t) => {
    const { data, readers, reads, ask, announce } = await thread(t, { A: 'ONE' }, longStep)
    const { token } = await ask('A')
    readers.note('A', 'bookings')
    await data.publish({ A: 'TWO' })
    await announce(['A'])
    assert.equal(reads(), 1)
    assert.equal((await ask('A', token)).count, LONG)
    assert.equal(reads(), 2)
  })
})
