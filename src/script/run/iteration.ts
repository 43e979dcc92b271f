/** The collection of a `foreach`, and its current place. */
import { ScriptFailure } from '../failure.ts'
import { kindOf } from '../values/kinds.ts'
import {
  ScriptArray,
  ScriptObject,
  ScriptSequence,
  type SequenceReader,
  type Value,
} from '../values/value.ts'

export class Iteration {
  /** Of a sequence, the part that was read last. */
  over: ScriptArray | ScriptObject | string
  /** The version at the beginning; a different one means that the container was changed. */
  version: number
  /** Reads the further parts of a sequence; null for other collections. */
  readonly reader: SequenceReader | null
  place = 0

  constructor(over: ScriptArray | ScriptObject | string, reader: SequenceReader | null = null) {
    this.over = over
    this.version = typeof over === 'string' ? 0 : over.version
    this.reader = reader
  }

  /** Goes on with the next part of a sequence; without one, frees the part before. */
  take(part: ScriptArray = new ScriptArray([])): void {
    this.over = part
    this.version = part.version
    this.place = 0
  }
}

/** @throws ScriptFailure JM5402 for values without elements */
export function iterationOver(over: Value): Iteration {
  if (over instanceof ScriptArray || over instanceof ScriptObject || typeof over === 'string')
    return new Iteration(over)
  if (over instanceof ScriptSequence) return new Iteration(new ScriptArray([]), over.read())
  throw new ScriptFailure('JM5402', `foreach goes over arrays, objects and texts, not over ${kindOf(over)}`)
}

/** Undefined at the end, or at the end of a part. @throws ScriptFailure JM5002 when the container was changed during the loop */
export function nextItem(iteration: Iteration, work: (units: number) => void): Value | undefined {
  const { over } = iteration
  if (typeof over === 'string') {
    return iteration.place < over.length ? over.charAt(iteration.place++) : undefined
  }
  if (over.version !== iteration.version) {
    throw new ScriptFailure(
      'JM5002',
      'What foreach goes over was changed meanwhile; go over a copy, or collect the changes first',
    )
  }
  if (over instanceof ScriptArray) {
    return iteration.place < over.items.length ? over.items[iteration.place++] : undefined
  }
  const { slots } = over
  const from = iteration.place
  let value: Value | undefined
  while (iteration.place < slots.length && value === undefined) value = slots[iteration.place++]
  // An object that once had many keys may have many empty slots.
  if (iteration.place > from + 1) work(iteration.place - from)
  return value
}
