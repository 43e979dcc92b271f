/**
 * Host functions that query bookings, invoices and itineraries of any client like version 2 of the API, and return the answer as
 * values. Records and groups are read chunk by chunk, so that a run stops reading when its memory is full.
 */
import type { ListName } from '../../../schema/datasets.ts'
import type { QueryMeta } from '../../../schema/shapes.ts'
import {
  any,
  define,
  fromPlain,
  type NativeContext,
  type NativeFunction,
  optional,
  type Value,
} from '../../../script/values.ts'
import type { FoundRecords } from '../query-records.ts'
import { hostOf } from '../run-host.ts'
import { eachFunctions } from './each-record.ts'
import { readRecords } from './read-records.ts'
import { clientOf, queryOf, queryOptions } from './record-options.ts'
import { snapshotFunctions } from './snapshot.ts'

const queryFunction = (name: string, list: ListName): NativeFunction =>
  define({
    name,
    category: 'Records',
    parameters: [any('clientNumber'), optional(any('options'))],
    returns: 'object',
    about: `Returns the ${list} of a client as version 2 of the API does: {clientNumber, count, ${list}, _meta}. The options are filter, orderBy, select, apply, page and pageSize, each as version 2 takes it; without page and pageSize, all matching records are returned. With select, records have only the members that it names. With apply, groups are returned instead of records: {clientNumber, count, groups, _meta}. The option unknownLabels: "null" takes labels that the client does not have as null in every record, instead of refusing them. An unknown client has no records and no labels.`,
    async waits(context, clientNumber, options) {
      const client = clientOf(name, clientNumber)
      const { records } = hostOf(context)
      const asked = queryOf(name, options, queryOptions)
      const found = await records.query({ list, clientNumber: client, ...asked }, context.cancellation)
      const isGrouped = asked.parameters.some(([parameter]) => parameter === '$apply')
      return envelope(context, client, isGrouped ? 'groups' : list, found)
    },
  })

export const recordFunctions: readonly NativeFunction[] = [
  ...snapshotFunctions,
  queryFunction('QueryBookings', 'bookings'),
  queryFunction('QueryInvoices', 'invoices'),
  queryFunction('QueryItineraries', 'itineraries'),
  ...eachFunctions,
]

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
