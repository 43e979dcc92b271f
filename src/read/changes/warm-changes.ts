/**
 * Makes the first request for the newest changes after an announcement as fast as later ones: reads the steps next to the
 * announced data of those lists that were asked for before, keeps what changed with copies of the records, and writes some of
 * it to nobody, so that code is compiled.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ListName, Version2Stored } from '../../schema/datasets.ts'
import { EMPTY_VERSION, versionName } from '../../snapshot/changes/step.ts'
import type { StepEdge } from '../../snapshot/changes/step-store.ts'
import type { ServedSnapshot, Snapshot } from '../../snapshot/snapshot.ts'
import type { Answer } from '../answer.ts'
import type { WarmChanges } from '../warm-up.ts'
import { type ChangesDeps, createAnswerChanges, type KeptLists } from './answer-changes.ts'
import type { ChangeReaders } from './change-readers.ts'
import { makeToken } from './changes-token.ts'

/** About 4 MB, a quarter of what is kept. */
const MOST_CHANGES = 40_000
/** A longer list takes long to write, so that reading its step makes little difference. */
const MOST_CHANGES_OF_LIST = 10_000
/** Of records that are copied for an announcement. */
const MOST_COPIED_BYTES = 4 * 2 ** 20
/** Code is compiled for speed after it has run some times. */
const REPETITIONS = 8
/** For an announcement: the code is the same for all clients. */
const MOST_REPETITIONS = 48
/** One before the announced data, and after a return to an older snapshot the one behind it. */
const MOST_STEPS = 2

const listsOf: { readonly [Name in Version2Stored]: readonly ListName[] } = {
  bookings: ['bookings', 'itineraries'],
  invoices: ['invoices'],
}

/** @returns warms up after one announcement */
export function createWarmChanges<Served extends ServedSnapshot = Snapshot>(
  { steps }: Pick<ChangesDeps<Served>, 'steps'>,
  { lists, readers }: { readonly lists: KeptLists; readonly readers: ChangeReaders },
): WarmChanges<Served> {
  let left = MOST_CHANGES
  let repetitionsLeft = MOST_REPETITIONS
  const copyBudget = { leftBytes: MOST_COPIED_BYTES }

  async function warm(
    edge: StepEdge,
    { clientNumber, stored, to }: { clientNumber: string; stored: Version2Stored; to: string },
    deps: Parameters<WarmChanges<Served>>[2],
  ): Promise<void> {
    const records = await edge.read()
    const from = edge.to === to ? edge.from : edge.to
    const only = { ...steps, edges: async () => [{ ...edge, read: async () => records }] }
    const answer = createAnswerChanges({ ...deps, steps: only }, lists, copyBudget)
    for (const list of listsOf[stored]) {
      if (!readers.has(clientNumber, list) || records.count > Math.min(left, MOST_CHANGES_OF_LIST)) continue
      left -= records.count
      await nextTurn()
      const since = makeToken(from, { clientNumber, list })
      const principal = { accountId: '', accountName: 'warm-up', clientNumber }
      const parameters = () => [['since', since]] as const
      const found = await answer({ version: 2, list, principal, query: null, parameters })
      await found.execute()
      // The second request takes the list off trial, where the lists of other clients would replace it.
      const repetitions = Math.max(1, Math.min(REPETITIONS, repetitionsLeft))
      repetitionsLeft -= repetitions
      for (let time = 0; time < repetitions; time++) {
        await nextTurn()
        await rehearse(found)
      }
    }
  }

  return async (clientNumber, stored, deps) => {
    const asked = listsOf[stored].find((list) => readers.has(clientNumber, list))
    const snapshot = deps.catalogue.current()
    if (asked === undefined || snapshot === null) return
    const { version } = await deps.engine.open(snapshot, clientNumber, asked)
    const to = versionName(version)
    for (const edge of newestSteps(await steps.edges(clientNumber, stored), to))
      await warm(edge, { clientNumber, stored, to }, deps)
  }
}

/** Without those of which no list is kept. */
function newestSteps(edges: readonly StepEdge[], version: string): readonly StepEdge[] {
  const before = new Map<string, StepEdge>()
  for (const edge of edges) {
    if (edge.from === EMPTY_VERSION || edge.from === edge.to) continue
    if (edge.to === version) before.set(edge.from, edge)
    if (edge.from === version) before.set(edge.to, edge)
  }
  return [...before.values()].slice(0, MOST_STEPS)
}

const CHUNK_BYTES = 64 * 1024
const MOST_CHUNKS = 16

async function rehearse({ execute }: Answer): Promise<void> {
  const result = await execute()
  let chunks = 0
  for await (const _ of result.chunks('json', CHUNK_BYTES)) if (++chunks === MOST_CHUNKS) break
}
