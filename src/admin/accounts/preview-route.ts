/**
 * What a client sees: its records, answered as version 2 answers the client itself. The operator asks as operator, and each answer
 * leaves an entry in the audit trail. It counts neither as use of an account nor against its rate.
 */
import Type from '../../kernel/type.ts'
import type { AdminDeps } from '../admin-deps.ts'
import type { AddRoute } from '../admin-route.ts'
import { queryShape } from '../paging.ts'
import { notFound } from '../problems.ts'

/** The longest query that an entry of the trail shows. */
const MOST_QUERY_CHARACTERS = 2000

const lists = ['bookings', 'invoices', 'itineraries'] as const

const text = (description: string, ...examples: string[]) =>
  Type.Optional(Type.String({ description, ...(examples.length > 0 && { examples }) }))
const number = (minimum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, description, examples: [minimum] }))

const query = queryShape({
  $filter: text('The records to show', "bookingDate ge '2026-01-01' and isTicketed eq true"),
  $apply: text('Groups instead of records', 'aggregate($count as bookings)'),
  $orderby: text('The order of the records', 'bookingDate desc'),
  $select: text('The members of the records', 'recordLocator,bookingDate'),
  $page: number(1, 'The page to show'),
  $pageSize: number(1, 'Records per page, at most 500'),
  $top: number(0, 'The most records to show'),
  $skip: number(0, 'Records to leave out first'),
  $count: text('Whether to tell totals beside `$top` and `$skip`', 'true'),
  $format: text('`json`, `ndjson`, `csv` or `arrow`; by default as `Accept` says', 'csv'),
})

const envelopes = ['BookingsResponse', 'InvoicesResponse', 'ItinerariesResponse', 'GroupsResponse']

/** @param hasClient whether the current snapshot has the client */
export function previewRoute(
  add: AddRoute,
  { store, sendRecords }: AdminDeps,
  hasClient: (number: string) => Promise<boolean | undefined>,
): void {
  add({
    method: 'GET',
    path: '/clients/:number/records/:list',
    operationId: 'previewClientRecords',
    role: 'support',
    tag: 'Clients',
    summary: 'Get the records that a client sees',
    description:
      'Answers as `/api/v2/bookings`, `/invoices` and `/itineraries` answer the client: the same parameters, headers, formats, records and errors. You need no key of the client, and nothing counts as its use. Each answer leaves an entry `client.preview` in the audit trail, with the list, the query and the snapshot.',
    params: Type.Object({
      number: Type.String({ description: 'Client number; letter case matters', examples: ['C01234'] }),
      list: Type.Enum([...lists], { description: 'The list' }),
    }),
    query,
    readsQuery: true,
    answer: {
      description: 'The list as the client gets it',
      shape: Type.Unknown({ anyOf: envelopes.map((name) => ({ $ref: `${name}#` })) }),
    },
    refusals: {
      404: 'Neither the current snapshot nor an account has such a client',
      410: 'The snapshot that `Snapshot-Id` names no longer exists',
      503: 'There is no snapshot yet, the service is busy, or tokens cannot be checked',
    },
    handle: async ({ params: { number: clientNumber, list }, by, request, reply }) => {
      if (!(await hasClient(clientNumber)) && !(await hasAccount(clientNumber))) {
        throw notFound('client', clientNumber)
      }
      const [, asked = ''] = /\?(.*)$/s.exec(request.raw.url as string) ?? []
      return sendRecords(list, request, reply, {
        principal: { accountId: by, accountName: by, clientNumber },
        beforeAnswer: ({ snapshotId }) =>
          store.audit.note({
            actor: by,
            action: 'client.preview',
            subjectId: clientNumber,
            after: { list, query: asked.slice(0, MOST_QUERY_CHARACTERS), snapshotId },
          }),
      })
    },
  })

  const hasAccount = async (wanted: string) =>
    (await store.accounts.list()).some(({ clientNumber }) => clientNumber === wanted)
}
