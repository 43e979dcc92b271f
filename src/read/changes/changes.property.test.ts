/**
 * The law of changes: whoever applies them, over any walk of tokens, has the current records byte for byte. Over random histories
 * of snapshots in a data folder. A failure prints its seed: set TRIPFOLIO_PROPERTY_SEED to it and run again.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { createMemoryEngine } from '../../engine/memory/memory-engine.ts'
import { joined } from '../../engine/testing/joined-chunks.ts'
import { compareCodePoints } from '../../kernel/text.ts'
import { defaultQueryLimits } from '../../query/limits.ts'
import type { ListName } from '../../schema/datasets.ts'
import { fileStepSource, stepsInDataFolder } from '../../snapshot/changes/stored-steps.ts'
import { DataFolder } from '../../snapshot/testing/data-folder.ts'
import { rollBack } from '../../snapshot/writing/roll-back.ts'
import { beginSnapshot, removeOldSnapshots } from '../../snapshot/writing/snapshot-writer.ts'
import { answer } from '../answer.ts'
import { createAnswerChanges } from './answer-changes.ts'
import {
  addState,
  applied,
  arbitraryHistory,
  CLIENT,
  type Event,
  identityOf,
  type Known,
  publishState,
  type State,
} from './testing/histories.ts'

const seed = Number(process.env.TRIPFOLIO_PROPERTY_SEED ?? Math.floor(Math.random() * 0x7fffffff))
const lists: readonly ListName[] = ['bookings', 'invoices', 'itineraries']
const principal = { accountId: 'a', accountName: 'a', clientNumber: CLIENT }

it('changes over any walk of tokens lead to the current records, byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryHistory, fc.infiniteStream(fc.nat()), async (history, choices) => {
      const folder = await DataFolder.make()
      try {
        await follow(folder, history, choices)
      } finally {
        await folder.remove()
      }
    }),
    { seed, numRuns: 25 },
  )
})

async function follow(
  folder: DataFolder,
  history: readonly Event[],
  choices: fc.Stream<number>,
): Promise<void> {
  const choose = (most: number): number => (choices.next().value as number) % most
  const catalogue = await folder.open()
  const deps = {
    catalogue,
    engine: createMemoryEngine(),
    limits: defaultQueryLimits,
    observe: () => undefined,
  }
  // Opened again for each question, as by a service that was started again.
  const changes = () =>
    createAnswerChanges({ ...deps, steps: fileStepSource(async () => stepsInDataFolder(folder.path)) })
  const known = new Map<ListName, Known[]>(lists.map((list) => [list, [{ token: null, records: new Map() }]]))
  let last: State | null = null
  for (const event of history) {
    last = await happen(folder, event, last)
    await catalogue.refresh()
    if (catalogue.current() === null) continue
    for (const list of lists) {
      const own = known.get(list) as Known[]
      const from = own[choose(own.length)] as Known
      const parameters: [string, string][] = [['format', 'ndjson']]
      if (from.token !== null) parameters.push(['since', from.token])
      const request = { version: 2, list, principal, query: null, parameters: () => parameters } as const
      const found = await changes()(request)
      const lines = await linesOf(await found.execute())
      const order = lines.map((line) => JSON.parse(line)).map((record) => identityOf(record, list))
      assert.deepEqual(order, order.toSorted(compareCodePoints))
      const now = applied(from, lines, list, found.changesToken as string)
      const plain = { ...request, parameters: () => [['format', 'ndjson']] as [string, string][] }
      const current = await linesOf(await (await answer(plain, deps)).execute())
      assert.deepEqual([...now.records.values()].sort(), [...current].sort())
      own.push(now)
    }
  }
}

async function linesOf(result: Awaited<ReturnType<Awaited<ReturnType<typeof answer>>['execute']>>) {
  const lines = String(await joined(result.chunks('ndjson', 300))).split('\n')
  assert.equal(lines.pop(), '')
  assert.equal(lines.length, result.count)
  return lines
}

async function happen({ path }: DataFolder, event: Event, last: State | null): Promise<State | null> {
  switch (event.kind) {
    case 'publish':
      await publishState(await beginSnapshot(path), event.state)
      return event.state
    case 'repeat':
      if (last !== null) await publishState(await beginSnapshot(path), last)
      return last
    case 'kill':
      await addState(await beginSnapshot(path), event.state)
      return last
    case 'roll-back':
      await rollBack(path, undefined).catch(() => undefined)
      return last
    case 'retire':
      await removeOldSnapshots(path, event.keep)
      return last
  }
}
