/**
 * For tests of changes: plays a history of snapshots, wherever they are, and asks after each event what changed since some
 * earlier token. Whoever applies the answer has the current records byte for byte.
 */
import assert from 'node:assert/strict'
import type fc from 'fast-check'
import { joined } from '../../../engine/testing/joined-chunks.ts'
import type { WritableRecords } from '../../../engine/writers/write-records.ts'
import { compareCodePoints } from '../../../kernel/text.ts'
import type { ListName } from '../../../schema/datasets.ts'
import type { StepSource } from '../../../snapshot/changes/step-store.ts'
import type { ServedSnapshot } from '../../../snapshot/snapshot.ts'
import type { SnapshotDraft } from '../../../snapshot/writing/snapshot-writer.ts'
import { answer } from '../../answer.ts'
import { type ChangesDeps, createAnswerChanges } from '../answer-changes.ts'
import {
  addState,
  applied,
  CLIENT,
  type Event,
  identityOf,
  type Known,
  publishState,
  type State,
} from './histories.ts'

export type Place<Served extends ServedSnapshot> = {
  readonly deps: Omit<ChangesDeps<Served>, 'steps'>
  readonly steps: StepSource
  readonly begin: () => Promise<SnapshotDraft>
  readonly rollBack: () => Promise<unknown>
  readonly retire: (keep: number) => Promise<void>
  /** Makes the catalogue see what is current. */
  readonly look: () => Promise<unknown>
}

const lists: readonly ListName[] = ['bookings', 'invoices', 'itineraries']
const principal = { accountId: 'a', accountName: 'a', clientNumber: CLIENT }

export async function followHistory<Served extends ServedSnapshot>(
  place: Place<Served>,
  history: readonly Event[],
  choices: fc.Stream<number>,
): Promise<void> {
  const { deps, steps } = place
  const known = new Map<ListName, Known[]>(lists.map((list) => [list, [{ token: null, records: new Map() }]]))
  let last: State | null = null
  for (const event of history) {
    last = await happen(place, event, last)
    await place.look()
    if (deps.catalogue.current() === null) continue
    for (const list of lists) {
      const own = known.get(list) as Known[]
      const from = own[(choices.next().value as number) % own.length] as Known
      const parameters: [string, string][] = from.token === null ? [] : [['since', from.token]]
      const request = { version: 2, list, principal, query: null, parameters: () => parameters } as const
      // Opened again for each question, as by a service that was started again.
      const found = await createAnswerChanges({ ...deps, steps })(request)
      const lines = await linesOf(await found.execute())
      const order = lines.map((line) => identityOf(JSON.parse(line), list))
      assert.deepEqual(order, order.toSorted(compareCodePoints))
      const now = applied(from, lines, list, found.changesToken as string)
      const plain = await answer({ ...request, parameters: () => [] }, deps)
      const current = await linesOf(await plain.execute())
      assert.deepEqual([...now.records.values()].sort(), [...current].sort())
      own.push(now)
    }
  }
}

async function linesOf(result: WritableRecords): Promise<readonly string[]> {
  const lines = String(await joined(result.chunks('ndjson', 300))).split('\n')
  assert.equal(lines.pop(), '')
  assert.equal(lines.length, result.count)
  return lines
}

async function happen(
  { begin, rollBack, retire }: Pick<Place<ServedSnapshot>, 'begin' | 'rollBack' | 'retire'>,
  event: Event,
  last: State | null,
): Promise<State | null> {
  switch (event.kind) {
    case 'publish':
      await publishState(await begin(), event.state)
      return event.state
    case 'repeat':
      if (last !== null) await publishState(await begin(), last)
      return last
    case 'kill':
      await addState(await begin(), event.state)
      return last
    case 'roll-back':
      await rollBack().catch(() => undefined)
      return last
    case 'retire':
      await retire(event.keep)
      return last
  }
}
