/** How the runs went that operators started. */
import Type from 'typebox'
import { Execution } from '../../schema/execution-shapes.ts'
import { nullable } from '../../schema/shapes.ts'

export const RunReport = Type.Object(
  {
    response: Type.Object({
      status: Type.Integer(),
      headers: Type.Record(Type.String(), Type.String()),
      body: nullable(Type.String()),
    }),
    execution: nullable(Execution),
    heldWrites: Type.Array(
      Type.Object({
        action: Type.String({ description: 'As the audit trail would have told it' }),
        subjectId: Type.String(),
        before: Type.Unknown(),
        after: Type.Unknown(),
      }),
      { description: 'Of tests: changes and messages that were held back' },
    ),
  },
  {
    description:
      'What callers would have got, and what was recorded; `execution` is null when the body could not be read and nothing ran',
  },
)
