/** How a run went that an operator started: a trial or a rerun. */
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
      { description: 'Changes and messages that a trial held back, since it is a dry run' },
    ),
  },
  {
    description:
      'What callers would have got, and what was recorded; `execution` is null when the body could not be read and nothing ran',
  },
)
