/**
 * Host functions that go over the records of a client with `foreach`, part by part: a script needs memory for one part and for
 * what it keeps. The query begins with the loop, and all its parts come from the snapshot that the run reads.
 */
import type { ListName } from '../../../schema/datasets.ts'
import {
  any,
  define,
  type NativeContext,
  type NativeFunction,
  optional,
  ScriptSequence,
  type SequenceReader,
} from '../../../script/values.ts'
import { containedWait } from '../failures.ts'
import type { RecordsQuestion } from '../query-records.ts'
import { hostOf } from '../run-host.ts'
import { recordsIn } from './read-records.ts'
import { clientOf, eachOptions, queryOf } from './record-options.ts'

const eachFunction = (name: string, list: ListName): NativeFunction =>
  define({
    name,
    category: 'Records',
    parameters: [any('clientNumber'), optional(any('options'))],
    returns: 'sequence',
    about: `Goes over the ${list} of a client: foreach item in ${name}(client, {filter: "..."}) do. They are read part by part, all of them from one snapshot, so that any number fits into the memory of a run. The options are filter, orderBy, select and unknownLabels, as for the Query functions. With select, records have only the members that it names, which is faster. Only foreach takes the result, which may be in a variable; each loop reads anew.`,
    body(context, clientNumber, options) {
      const clientName = clientOf(name, clientNumber)
      const question = { list, clientNumber: clientName, ...queryOf(name, options, eachOptions) }
      const bytes = bytesOf(question)
      context.allocate(bytes)
      return new ScriptSequence(name, bytes, () => readerOf(name, question, context))
    },
  })

export const eachFunctions: readonly NativeFunction[] = [
  eachFunction('EachBooking', 'bookings'),
  eachFunction('EachInvoice', 'invoices'),
  eachFunction('EachItinerary', 'itineraries'),
]

/** A sequence without options takes about this much memory. */
const SEQUENCE_BYTES = 512

const bytesOf = ({ clientNumber, parameters }: RecordsQuestion): number =>
  parameters.reduce((bytes, [, text]) => bytes + 2 * text.length, SEQUENCE_BYTES + 2 * clientNumber.length)

/** About as much as is read while other runs wait. */
const CHUNK_BYTES = 64 * 1024

function readerOf(name: string, question: RecordsQuestion, context: NativeContext): SequenceReader {
  let chunks: Iterator<Uint8Array> | AsyncIterator<Uint8Array> | null = null
  let isClosed = false
  const close = (): void => {
    isClosed = true
    // Ends the reading inside the engine. Its failure concerns nobody any more.
    const ending = Promise.resolve(chunks?.return?.())
    ending.catch(() => undefined)
  }
  return {
    next: () =>
      containedWait(name, context, async () => {
        if (chunks === null) {
          const { records } = hostOf(context)
          const found = await records.query(question, context.cancellation)
          chunks = iteratorOf(found.chunks(CHUNK_BYTES))
          if (isClosed) close()
        }
        const { done, value } = await chunks.next()
        return done === true ? null : recordsIn(value, context)
      }),
    close,
  }
}

const iteratorOf = <Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
): Iterator<Item> | AsyncIterator<Item> =>
  Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
