/**
 * Host functions that query bookings, invoices and itineraries of any client like version 2 of the API, and return the answer as
 * values. Records and groups are read chunk by chunk, so that a run stops reading when its memory is full.
 */

import type { UnknownLabels } from '../../query/bind/resolve-path.ts'
import type { ListName } from '../../schema/datasets.ts'
import type { QueryMeta } from '../../schema/shapes.ts'
import {
  any,
  define,
  fromPlain,
  type JsonMaker,
  type NativeContext,
  type NativeFunction,
  numberToText,
  optional,
  readJson,
  type ScriptArray,
  type Value,
} from '../../script/values.ts'
import { detachedString } from '../history/detached-string.ts'
import { refusedArgument } from './failures.ts'
import { nextSlice } from './host-answers.ts'
import { optionsOf, plainText, wrongArgument } from './host-arguments.ts'
import type { FoundRecords, RecordsQuestion } from './query-records.ts'
import { hostOf } from './run-host.ts'

const queryFunction = (name: string, list: ListName): NativeFunction =>
  define({
    name,
    category: 'Records',
    parameters: [any('clientNumber'), optional(any('options'))],
    returns: 'object',
    about: `Returns the ${list} of a client as version 2 of the API does: {clientNumber, count, ${list}, _meta}. The options are filter, orderBy, select, apply, page and pageSize, each as version 2 takes it; without page and pageSize, all matching records are returned. With select, records have only the members that it names. With apply, groups are returned instead of records: {clientNumber, count, groups, _meta}. The option unknownLabels: "null" takes labels that the client does not have as null in every record, instead of refusing them. An unknown client has no records and no labels.`,
    async waits(context, clientNumber, options) {
      const client = plainText(clientNumber)
      if (client === null) throw wrongArgument(name, 'a text as client number', clientNumber)
      const { records } = hostOf(context)
      const asked = queryOf(name, options)
      const found = await records.query({ list, clientNumber: client, ...asked }, context.cancellation)
      const isGrouped = asked.parameters.some(([parameter]) => parameter === '$apply')
      return envelope(context, client, isGrouped ? 'groups' : list, found)
    },
  })

const getDataAsOf = define({
  name: 'GetDataAsOf',
  category: 'Records',
  parameters: [],
  returns: 'string or null',
  about:
    'Returns when the data that this run reads was extracted from the warehouse, in UTC. All queries of a run read the snapshot that was current when the run began. Returns null when there was no snapshot.',
  body(context) {
    const { dataAsOf } = hostOf(context).records
    return dataAsOf === null ? null : context.text(dataAsOf.toISOString())
  },
})

export const recordFunctions: readonly NativeFunction[] = [
  getDataAsOf,
  queryFunction('QueryBookings', 'bookings'),
  queryFunction('QueryInvoices', 'invoices'),
  queryFunction('QueryItineraries', 'itineraries'),
]

type Parameter = { readonly name: string; readonly takes: 'text' | 'number' }

/** The options by name in lower case, without the `$` that they may begin with. */
const known: ReadonlyMap<string, Parameter> = new Map([
  ['filter', { name: '$filter', takes: 'text' }],
  ['orderby', { name: '$orderby', takes: 'text' }],
  ['select', { name: '$select', takes: 'text' }],
  ['apply', { name: '$apply', takes: 'text' }],
  ['page', { name: '$page', takes: 'number' }],
  ['pagesize', { name: '$pageSize', takes: 'number' }],
])

type AskedQuery = Pick<RecordsQuestion, 'parameters' | 'unknownLabels'>

/** Refuses unknown options: ignoring a misspelt one would return other records than the script asked for. */
function queryOf(name: string, options: Value | undefined): AskedQuery {
  const parameters: (readonly [string, string])[] = []
  let unknownLabels: AskedQuery['unknownLabels']
  for (const [key, value] of optionsOf(name, options)) {
    if (key === 'unknownlabels') {
      unknownLabels = unknownLabelsOf(name, value)
      continue
    }
    const parameter = known.get(key.replace(/^\$/, ''))
    if (parameter === undefined) {
      throw refusedArgument(
        `${name} has the options filter, orderBy, select, apply, page, pageSize and unknownLabels, but not '${key.slice(0, 40)}'`,
      )
    }
    if (value === null) continue
    // Page numbers often come from the query of the request, where every value is a text.
    const text = typeof value === 'number' && parameter.takes === 'number' ? numberToText(value) : value
    if (typeof text !== 'string') throw wrongArgument(name, `a ${parameter.takes} as ${key}`, value)
    parameters.push([parameter.name, text])
  }
  return unknownLabels === undefined ? { parameters } : { parameters, unknownLabels }
}

/** The null of the language means the choice of that name, as in the settings file. */
function unknownLabelsOf(name: string, value: Value): UnknownLabels {
  if (value === 'refuse') return 'refuse'
  if (value === 'null' || value === null) return 'null'
  throw wrongArgument(name, 'refuse or null as unknownLabels', value)
}

async function envelope(
  context: NativeContext,
  client: string,
  member: ListName | 'groups',
  found: FoundRecords,
): Promise<Value> {
  const answer = context.object()
  context.set(answer, 'clientNumber', context.text(client))
  context.set(answer, 'count', found.count)
  context.set(answer, member, await readRecords(context, found))
  if (found.meta !== null) context.set(answer, '_meta', fromPlain(found.meta satisfies QueryMeta, context))
  return answer
}

const CHUNK_BYTES = 64 * 1024
const COMMA = 0x2c
const OPEN = Buffer.from('[')
const CLOSE = Buffer.from(']')

async function readRecords(context: NativeContext, { chunks }: FoundRecords): Promise<ScriptArray> {
  // A text that V8 cuts from a chunk would keep the whole chunk in memory.
  const maker: JsonMaker = { ...context, text: (text) => context.text(detachedString(text)) }
  const records: Value[] = []
  let until = performance.now()
  for await (const chunk of chunks(CHUNK_BYTES)) {
    const inside = chunk[0] === COMMA ? chunk.subarray(1) : chunk
    const read = readJson(Buffer.concat([OPEN, inside, CLOSE]).toString(), maker)
    for (const record of (read as ScriptArray).items) records.push(record)
    if (performance.now() > until) until = await nextSlice(context)
  }
  return context.array(records)
}
