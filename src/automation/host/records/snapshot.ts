/** Host functions that tell which records a run reads: the snapshot, and the clients in it. */
import { define, fromPlain, type NativeFunction } from '../../../script/values.ts'
import { listOf } from '../host-answers.ts'
import { hostOf } from '../run-host.ts'

const getDataAsOf = define({
  name: 'GetDataAsOf',
  category: 'Records',
  parameters: [],
  returns: 'object or null',
  about:
    'Returns which data this run reads: {snapshotId, extractedAt, publishedAt}. extractedAt is when it was extracted from the warehouse, publishedAt when this service could first answer from it; both in UTC. All queries of a run read the snapshot that was current when the run began. Returns null when there was no snapshot.',
  body(context) {
    const { snapshot } = hostOf(context).records
    if (snapshot === null) return null
    const { id, extractedAt, publishedAt } = snapshot
    const plain = {
      snapshotId: id,
      extractedAt: extractedAt.toISOString(),
      publishedAt: publishedAt.toISOString(),
    }
    return fromPlain(plain, context)
  },
})

const getClients = define({
  name: 'GetClients',
  category: 'Records',
  parameters: [],
  returns: 'array',
  about:
    'Lists the clients that have records, by client number: {clientNumber, name, bookings, invoices}, the last two being counts. The list is empty when there is no snapshot.',
  async waits(context) {
    const clients = (await hostOf(context).records.snapshot?.clients()) ?? []
    return listOf(context, clients, ({ clientNumber, name, bookings, invoices }) => ({
      clientNumber,
      name,
      bookings,
      invoices,
    }))
  },
})

export const snapshotFunctions: readonly NativeFunction[] = [getDataAsOf, getClients]
