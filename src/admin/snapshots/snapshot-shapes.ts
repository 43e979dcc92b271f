/** Snapshots, refreshes and what was set aside, as the admin API tells of them. */
import Type, { type Static } from 'typebox'
import { moment, nullable } from '../../schema/shapes.ts'

const count = (description: string) => nullable(Type.Integer({ description }))

const Warnings = Type.Array(
  Type.Object({
    kind: Type.String({ description: 'Such as `clients-emptied`, `table-shrunk` or `line-end-missing`' }),
    message: Type.String(),
    clients: Type.Optional(Type.Integer({ description: 'How many clients it concerns' })),
  }),
  { description: 'What may be wrong with the extract although it was published' },
)

export const SnapshotSummary = Type.Object({
  id: Type.String(),
  current: Type.Boolean({ description: 'Whether requests are answered from it' }),
  intact: Type.Boolean({
    description:
      'Whether it can be used: its files are there, in their sizes and a format that is known. The rest is null if not',
  }),
  extractedAt: nullable(moment('When the source was extracted')),
  publishedAt: nullable(moment('When it was published')),
  clients: count('How many'),
  bookings: count('How many'),
  segments: count('How many'),
  invoices: count('How many'),
  lineItems: count('How many'),
  rejects: count('Rows of the extract that were set aside'),
  warnings: nullable(Warnings),
  bytes: count('Of its files'),
})

const begun = {
  requestedBy: Type.String({ description: 'Who asked for it' }),
  startedAt: moment('When it began'),
}
const ended = { ...begun, endedAt: moment('When it ended') }

export const RefreshState = Type.Union(
  [
    Type.Object({ state: Type.Literal('none') }),
    Type.Object({ state: Type.Literal('running'), ...begun }),
    Type.Object({
      state: Type.Literal('published'),
      ...ended,
      snapshot: Type.String({ description: 'Id of what it published' }),
      rejects: Type.Integer({ description: 'Rows of the extract that were set aside' }),
      warnings: Warnings,
    }),
    Type.Object({ state: Type.Literal('refused'), ...ended, reason: Type.String() }),
    Type.Object(
      { state: Type.Literal('failed'), ...ended, reason: Type.String() },
      { description: 'It took too long, or its process was ended; nothing is said of the extract' },
    ),
  ],
  { description: 'The latest refresh since the service was started' },
)

export const RefreshRequest = Type.Object(
  {
    acceptShrink: Type.Optional(
      Type.Boolean({
        description:
          'Publish this once, however much the extract has lost against the current snapshot; later refreshes are compared with what this one publishes',
      }),
    ),
  },
  { additionalProperties: false },
)

export const Reject = Type.Object({
  table: Type.String(),
  file: Type.String({ description: 'In the folder of the extract' }),
  row: Type.Integer({ description: 'In the file: the first row below the header is 1' }),
  key: nullable(
    Type.Record(Type.String(), nullable(Type.String()), {
      description: 'What identifies the row, as far as it could be read',
    }),
  ),
  field: nullable(Type.String({ description: 'The column at fault, if it is one' })),
  rule: Type.String(),
  value: nullable(Type.String({ description: 'What was found; long values are cut, card numbers masked' })),
  message: Type.String(),
})

export type SnapshotSummary = Static<typeof SnapshotSummary>
