/** The sequences that the loops of a run are reading: begun with the loop, released when it is left or the run is over. */
import { ScriptFailure } from '../failure.ts'
import type { SequenceReader, Value } from '../values/value.ts'
import { type Iteration, iterationOver } from './iteration.ts'

/** Each keeps something for reading on that no limit of the run counts. */
const MOST_READERS = 16

export class OpenReaders {
  /** Made for the first sequence, because most runs read none. */
  #open: Set<SequenceReader> | null = null

  /** @throws ScriptFailure for a value without elements, or when too many sequences are being read */
  begin(over: Value): Iteration {
    const iteration = iterationOver(over)
    const { reader } = iteration
    if (reader === null) return iteration
    this.#open ??= new Set()
    if (this.#open.size >= MOST_READERS) throw tooManyReaders()
    this.#open.add(reader)
    return iteration
  }

  /** Does nothing for other collections, and when it has ended already. */
  end(iteration: Iteration): void {
    const { reader } = iteration
    if (reader === null || this.#open?.delete(reader) !== true) return
    iteration.take()
    reader.close()
  }

  endAll(): void {
    for (const reader of this.#open ?? []) reader.close()
    this.#open = null
  }
}

const tooManyReaders = (): ScriptFailure =>
  new ScriptFailure('JM5002', `A run can go over at most ${MOST_READERS} sequences of records at once`)
