/** Refreshes as they are kept and shown: how far one is, how it ended, and what it found. */
import type { Static } from 'typebox'
import Type from '../kernel/type.ts'
import { moment, nullable } from './shapes.ts'

export const refreshOutcomes = [
  'running',
  'published',
  'unchanged',
  'refused',
  'failed',
  'cancelled',
  'lost',
] as const

const refreshStages = ['read', 'validate', 'build', 'publish'] as const

const amount = (what: string) =>
  nullable(
    Type.Object(
      {
        done: Type.Integer(),
        expected: nullable(Type.Integer({ description: 'How many there will be; null while unknown' })),
      },
      { description: `${what}; null where they are not counted` },
    ),
  )

export const RefreshProgress = Type.Object(
  {
    stage: Type.Enum([...refreshStages]),
    table: nullable(Type.String({ description: 'The table that is read or validated' })),
    tables: amount('Tables of the extract'),
    rows: amount('Rows of the extract, while building records'),
    bytes: amount('Bytes of the files of the extract'),
  },
  { description: 'How far a refresh is' },
)

const count = (description: string) => nullable(Type.Integer({ description }))

const RejectExample = Type.Object({
  file: Type.String({ description: 'Name of the file in the folder of the extract' }),
  row: Type.Integer({ description: 'Number of the row in the file; the first row below the header is 1' }),
  key: nullable(Type.Record(Type.String(), nullable(Type.String()))),
  value: nullable(Type.String({ description: 'Long values are cut, card numbers are masked' })),
  message: Type.String(),
})

export const RejectGroup = Type.Object(
  {
    table: Type.String(),
    rule: Type.String(),
    field: nullable(Type.String({ description: 'The column at fault; null when it is not a single column' })),
    count: Type.Integer({
      description:
        'Listed faults; a row may have several. Of a table that refused the refresh at most 10,000 rows are listed',
    }),
    examples: Type.Array(RejectExample, { description: 'The first ones' }),
  },
  { description: 'Rejects of one table that break the same rule' },
)

export const RefreshReason = Type.Object(
  {
    code: Type.String({ description: 'A code of the reference of errors' }),
    message: Type.String({ description: 'One line' }),
    hint: nullable(Type.String({ description: 'What to do next' })),
    figures: Type.Record(
      Type.String(),
      Type.Union([Type.String(), Type.Number(), Type.Array(Type.String())]),
      {
        description:
          'What the message counts and compares, such as `table`, `rejects`, `rows` and `allowedShare`',
      },
    ),
    causes: Type.Array(RejectGroup, { description: 'The most frequent faults of the table' }),
  },
  { description: 'Why a refresh did not publish' },
)

const StageTime = Type.Object({
  stage: Type.Enum([...refreshStages]),
  milliseconds: Type.Integer({ description: 'How long it took; so far, for the stage that runs' }),
})

/** Kept for each refresh, and changed while it runs. */
const figureMembers = {
  progress: nullable(RefreshProgress),
  stages: Type.Array(StageTime, { description: 'The stages so far' }),
  sourceBytes: count('Size of the files that were read; null where the source has no files'),
  snapshotBytes: count('Size of the files of the snapshot'),
  rows: count('Rows of the extract'),
  rejects: count('Rejected rows, those that went with their parent included'),
  clients: nullable(
    Type.Object({ total: Type.Integer(), changed: Type.Integer(), unchanged: Type.Integer() }),
  ),
  reasons: Type.Array(RefreshReason, { description: 'Why it did not publish; empty when it did' }),
}

/** Known at the end, and only shown with a single refresh. */
const findingMembers = {
  tables: Type.Array(
    Type.Object({
      table: Type.String(),
      rows: Type.Integer({ description: 'Rows of the extract' }),
      rejects: Type.Integer({ description: 'Rows that were set aside for a fault of their own' }),
      withParent: Type.Integer({
        description: 'Rows that were set aside because the row they belong to was',
      }),
    }),
  ),
  rejectsByRule: Type.Array(RejectGroup, { description: 'The most frequent ones first, at most 200' }),
  warnings: Type.Array(
    Type.Object({
      kind: Type.String(),
      message: Type.String(),
      clients: Type.Optional(Type.Integer({ description: 'Number of clients that it concerns' })),
    }),
  ),
}

const summaryMembers = {
  id: Type.String({ format: 'uuid' }),
  node: Type.String({ description: 'Name of the machine and data folder of the refresh' }),
  origin: Type.Enum(['service', 'command'], {
    description: '`service`: a running service did it, whoever asked. `command`: `tripfolio ingest` did it',
  }),
  requestedBy: Type.String({ description: 'Who or what started it, such as `schedule`' }),
  outcome: Type.Enum([...refreshOutcomes], {
    description:
      '`unchanged`: published, and no record differs. `refused`: the extract cannot be used. `failed`: it took too long or its process failed. `lost`: its process died without noting an end',
  }),
  startedAt: moment('When it began'),
  endedAt: nullable(moment('When it ended; of a lost one, when it was last known to run')),
  milliseconds: count('How long it took'),
  snapshotId: nullable(Type.String({ description: 'The snapshot that it published' })),
  ...figureMembers,
}

export const RefreshSummary = Type.Object(summaryMembers, { description: 'A refresh' })

export const RefreshRecord = Type.Object(
  { ...summaryMembers, ...findingMembers },
  { description: 'A refresh with what it found' },
)

const Figures = Type.Object(figureMembers)
const Findings = Type.Object(findingMembers)

export type RefreshOutcome = (typeof refreshOutcomes)[number]
export type RefreshStageName = (typeof refreshStages)[number]
export type RefreshProgress = Static<typeof RefreshProgress>
export type RejectGroup = Static<typeof RejectGroup>
export type RefreshReason = Static<typeof RefreshReason>
export type RefreshFigures = Static<typeof Figures>
export type RefreshFindings = Static<typeof Findings>
export type RefreshSummary = Static<typeof RefreshSummary>
export type RefreshRecord = Static<typeof RefreshRecord>

/** Of a refresh that has done nothing yet. */
export const noFigures: RefreshFigures = {
  progress: null,
  stages: [],
  sourceBytes: null,
  snapshotBytes: null,
  rows: null,
  rejects: null,
  clients: null,
  reasons: [],
}
export const noFindings: RefreshFindings = { tables: [], rejectsByRule: [], warnings: [] }
