/**
 * For tests of changes: plays a history of snapshots, wherever they are, and asks after each event what changed since some
 * earlier token. Whoever applies the answer has the current records byte for byte. The answer since a moment is that since a
 * token of that moment, or it is refused because what refreshes noted then was removed.
 */
import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type fc from 'fast-check'
import { joined } from '../../../engine/testing/joined-chunks.ts'
import type { WritableRecords } from '../../../engine/writers/write-records.ts'
import { Problem } from '../../../kernel/problem.ts'
import { compareCodePoints } from '../../../kernel/text.ts'
import type { ListName } from '../../../schema/datasets.ts'
import type { StepSource } from '../../../snapshot/changes/step-store.ts'
import { timeOfSnapshot } from '../../../snapshot/format/layout.ts'
import type { ServedSnapshot } from '../../../snapshot/snapshot.ts'
import type { SnapshotDraft } from '../../../snapshot/writing/snapshot-writer.ts'
import { answer } from '../../answer.ts'
import { type ChangesDeps, createAnswerChanges, createKeptLists } from '../answer-changes.ts'
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

/** Copies of no records, of those of short lists, and of all. */
const copiedBytes = [0, 500, 2 ** 20]

export type Place<Served extends ServedSnapshot> = {
  readonly deps: Omit<ChangesDeps<Served>, 'steps'>
  readonly steps: StepSource
  readonly begin: () => Promise<SnapshotDraft>
  readonly rollBack: () => Promise<unknown>
  readonly retire: (keep: number) => Promise<void>
  /** Notes a snapshot as if it became current, which does not happen any more: the refresh is killed. */
  readonly noteKilled?: (snapshot: string) => Promise<void>
  /** Removes what refreshes noted before a moment. */
  readonly forget?: (before: Date) => Promise<unknown>
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
  const past: Moment[] = [
    { at: await nextMillisecond(), begun: 0, published: Number.POSITIVE_INFINITY, tokens: null },
  ]
  let last: State | null = null
  let forgotten = 0
  for (const event of history) {
    if (event.kind === 'forget') {
      const { at } = past[event.moment % past.length] as Moment
      forgotten = Math.max(forgotten, place.forget === undefined ? 0 : at)
      await place.forget?.(new Date(at))
    }
    const current = deps.catalogue.current()?.id
    last = await happen(place, event, last)
    await place.look()
    const before = past.at(-1) as Moment
    const begun = deps.catalogue.current()?.id === current ? before.begun : before.at
    const tokens = new Map<ListName, string>()
    const moment = await nextMillisecond()
    const served = deps.catalogue.current()
    if (served === null) continue
    const published = timeOfSnapshot(served.id)
    for (const list of lists) {
      const own = known.get(list) as Known[]
      const from = own[(choices.next().value as number) % own.length] as Known
      const parameters: [string, string][] = from.token === null ? [] : [['since', from.token]]
      const request = { version: 2, list, principal, query: null, parameters: () => parameters } as const
      // Opened again for each question, as by a service that was started again.
      const copyBudget = {
        leftBytes: copiedBytes[(choices.next().value as number) % copiedBytes.length] as number,
      }
      const found = await createAnswerChanges({ ...deps, steps }, createKeptLists(), copyBudget)(request)
      const token = found.changesToken as string
      tokens.set(list, token)
      const written = await found.execute().catch(problemOnly)
      if (written instanceof Problem) {
        assert.deepEqual([written.code, forgotten > 0], ['SNP331', true])
        continue
      }
      const lines = await linesOf(written)
      const order = lines.map((line) => identityOf(JSON.parse(line), list))
      assert.deepEqual(order, order.toSorted(compareCodePoints))
      const now = applied(from, lines, list, token)
      const earlier = past[(choices.next().value as number) % past.length] as Moment
      const sinceThen = past.slice(past.indexOf(earlier)).map(({ published }) => published)
      const isKnown = earlier.begun >= forgotten && Math.min(...sinceThen, published) >= forgotten
      await sameSinceMoment(place, list, earlier, isKnown)
      const plain = await answer({ ...request, parameters: () => [] }, deps)
      const current = await linesOf(await plain.execute())
      assert.deepEqual([...now.records.values()].sort(), [...current].sort())
      own.push(now)
    }
    past.push({ at: moment, begun, published, tokens })
  }
}

/** What a caller could have known then. */
type Moment = {
  /** In milliseconds since 1970. */
  readonly at: number
  /** A moment before the snapshot of that moment became current. */
  readonly begun: number
  /**
   * When the refresh of that snapshot began, which noted what it compared. After a return to an earlier snapshot this may have
   * been removed already, although the return itself is still noted.
   */
  readonly published: number
  /** Null before the first snapshot. */
  readonly tokens: ReadonlyMap<ListName, string> | null
}

/** Moments of events are different, and passed when they are asked for. */
async function nextMillisecond(): Promise<number> {
  const before = Date.now() + 1
  while (Date.now() <= before) await setTimeout(1)
  return before + 1
}

async function sameSinceMoment<Served extends ServedSnapshot>(
  { deps, steps }: Place<Served>,
  list: ListName,
  { at, tokens }: Moment,
  isKnown: boolean,
): Promise<void> {
  const token = tokens?.get(list)
  const ask = async (since: string | undefined) => {
    const parameters = () => (since === undefined ? [] : [['since', since] as const])
    const request = { version: 2, list, principal, query: null, parameters } as const
    const found = await createAnswerChanges({ ...deps, steps })(request)
    return { lines: await linesOf(await found.execute()), etag: found.etag, token: found.changesToken }
  }
  const expected = await ask(token).catch(problemOnly)
  const found = await ask(new Date(at).toISOString()).catch(problemOnly)
  if (found instanceof Problem) {
    assert.equal(found.code, 'SNP333')
    assert.ok(!isKnown || expected instanceof Problem, 'All is known')
  } else assert.deepEqual(found, expected)
}

function problemOnly(error: unknown): Problem {
  if (error instanceof Problem) return error
  throw error
}

async function linesOf(result: WritableRecords): Promise<readonly string[]> {
  const lines = String(await joined(result.chunks('ndjson', 300))).split('\n')
  assert.equal(lines.pop(), '')
  assert.equal(lines.length, result.count)
  return lines
}

async function happen(
  place: Pick<Place<ServedSnapshot>, 'begin' | 'rollBack' | 'retire' | 'noteKilled'>,
  event: Event,
  last: State | null,
): Promise<State | null> {
  const { begin, rollBack, retire, noteKilled } = place
  switch (event.kind) {
    case 'publish':
      await publishState(await begin(), event.state)
      return event.state
    case 'repeat':
      if (last !== null) await publishState(await begin(), last)
      return last
    case 'kill': {
      const draft = await begin()
      await addState(draft, event.state)
      await noteKilled?.(draft.id)
      return last
    }
    case 'roll-back':
      await rollBack().catch(() => undefined)
      return last
    case 'retire':
      await retire(event.keep)
      return last
    case 'forget':
      return last
  }
}
