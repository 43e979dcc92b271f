/** Reads one record with everything that the API has about it, and what belongs to it. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ListName } from '../fields/list-fields.ts'
import { listFields } from '../fields/list-fields.ts'
import type { ListRecord } from '../list/columns.ts'
import { readRecords } from '../list/read-records.ts'
import { recordFilter, recordKey } from '../list/record-key.ts'
import { useSession } from '../session/session.tsx'

/** Whole records, and what only queries can name. A booking is read as its itinerary, which has the segments besides. */
function wholeRecord(list: ListName): string {
  const { fields, collections } = listFields[list]
  const names = fields.map(({ name }) => name)
  const elements = collections.flatMap((collection) =>
    collection.fields.map(({ name }) => `${collection.name}.${name}`),
  )
  return ['*', ...names, ...elements].join(',')
}

export function useRecord(list: ListName, key: string) {
  const { api } = useSession()
  const source = list === 'bookings' ? 'itineraries' : list
  return useQuery<ListRecord | null>({
    queryKey: ['record', source, key],
    queryFn: async ({ signal }) => {
      const { records } = await readRecords(
        api,
        source,
        { $filter: recordFilter(source, key), $select: wholeRecord(source), $top: 20 },
        { signal },
      )
      // The condition does not regard letter case.
      return records.find((record) => recordKey(source, record) === key) ?? null
    },
    placeholderData: keepPreviousData,
  })
}

export function useInvoicesOf(locator: string) {
  const { api } = useSession()
  return useQuery({
    queryKey: ['invoices-of', locator],
    queryFn: async ({ signal }) => {
      const parameters = {
        $filter: recordFilter('bookings', locator),
        $select: 'company,invoiceNumber,invoiceDate,totalAmount,currencyCode',
        $top: 50,
      }
      return (await readRecords(api, 'invoices', parameters, { signal })).records
    },
  })
}
