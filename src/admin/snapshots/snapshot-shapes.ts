/** Snapshots, refreshes and rejected rows as the admin API shows them. */
import type { Static } from 'typebox'
import Type from '../../kernel/type.ts'
import { RefreshReason } from '../../schema/refresh-shapes.ts'
import { moment, nullable } from '../../schema/shapes.ts'

const count = (description: string) => nullable(Type.Integer({ description }))

const Warnings = Type.Array(
  Type.Object({
    kind: Type.String({
      description: 'Kind of the warning, such as `clients-emptied`, `table-shrunk` or `line-end-missing`',
    }),
    message: Type.String(),
    clients: Type.Optional(Type.Integer({ description: 'Number of clients that it concerns' })),
  }),
  { description: 'Possible faults of the extract, which was published nevertheless' },
)

export const SnapshotSummary = Type.Object({
  id: Type.String(),
  current: Type.Boolean({ description: 'True for the snapshot that requests are answered from' }),
  intact: Type.Boolean({
    description:
      'True when the snapshot can be used: all its files exist, have the right size and a known format. Otherwise the other members are null',
  }),
  extractedAt: nullable(moment('When the source was extracted')),
  publishedAt: nullable(moment('When it was published')),
  clients: count('Number of clients'),
  bookings: count('Number of bookings'),
  segments: count('Number of segments'),
  invoices: count('Number of invoices'),
  lineItems: count('Number of line items'),
  rejects: count('Number of rejected rows of the extract'),
  invoicesWithoutBooking: count(
    'Number of invoices that name a booking that is not in the snapshot; their `recordLocator` is null. Null for snapshots of earlier versions',
  ),
  warnings: nullable(Warnings),
  bytes: count('Size of its files'),
})

const begun = {
  requestedBy: Type.String({ description: 'Who started it' }),
  startedAt: moment('When it began'),
}
const why = {
  reason: Type.String({ description: 'As a command prints it' }),
  reasons: Type.Array(RefreshReason, { description: 'The same as data' }),
}
const ended = { ...begun, endedAt: moment('When it ended') }

export const RefreshState = Type.Union(
  [
    Type.Object({ state: Type.Literal('none') }),
    Type.Object({ state: Type.Literal('running'), ...begun }),
    Type.Object({
      state: Type.Literal('published'),
      ...ended,
      snapshot: Type.String({ description: 'Id of the published snapshot' }),
      rejects: Type.Integer({ description: 'Number of rejected rows of the extract' }),
      warnings: Warnings,
    }),
    Type.Object({ state: Type.Literal('refused'), ...ended, ...why }),
    Type.Object(
      { state: Type.Literal('failed'), ...ended, ...why },
      { description: 'It took too long, or its process ended; this says nothing about the extract' },
    ),
  ],
  { description: 'The latest refresh by this node, also of before a restart' },
)

export const RefreshRequest = Type.Object(
  {
    acceptShrink: Type.Optional(
      Type.Boolean({
        description:
          'Publish this extract even if it has far fewer rows than the current snapshot. Later refreshes are compared with the snapshot that this one publishes',
      }),
    ),
    despiteHold: Type.Optional(
      Type.Boolean({ description: 'Refresh although refreshes are held. They stay held' }),
    ),
  },
  { additionalProperties: false },
)

export const Reject = Type.Object({
  table: Type.String(),
  client: nullable(Type.String({ description: 'Client number of the row; null when it is not known' })),
  file: Type.String({ description: 'Name of the file in the folder of the extract' }),
  row: Type.Integer({ description: 'Number of the row in the file; the first row below the header is 1' }),
  key: nullable(
    Type.Record(Type.String(), nullable(Type.String()), {
      description: 'The key of the row, as far as it could be read',
    }),
  ),
  field: nullable(Type.String({ description: 'The column at fault; null when it is not a single column' })),
  rule: Type.String(),
  value: nullable(
    Type.String({ description: 'The value at fault; long values are cut, card numbers are masked' }),
  ),
  message: Type.String(),
})

export type SnapshotSummary = Static<typeof SnapshotSummary>
