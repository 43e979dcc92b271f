/** The report of a run that an operator started: a trial or a rerun. */
import Type from '../../kernel/type.ts'
import { Execution } from '../../schema/execution-shapes.ts'
import { nullable } from '../../schema/shapes.ts'

export const RunReport = Type.Object(
  {
    response: Type.Object({
      status: Type.Integer(),
      headers: Type.Record(Type.String(), Type.String()),
      body: nullable(Type.String()),
      bodyEncoding: Type.Optional(
        Type.Enum(['base64'], { description: 'The body is base64 of bytes; without it, the body is text' }),
      ),
    }),
    execution: nullable(Execution),
    heldWrites: Type.Array(
      Type.Object({
        action: Type.String({ description: 'The action as the audit trail would name it' }),
        subjectId: Type.String(),
        before: Type.Unknown(),
        after: Type.Unknown(),
      }),
      { description: 'The changes and messages that a trial held back, because it is a dry run' },
    ),
  },
  {
    description:
      'The response that a caller would get, and the record of the run. `execution` is null when the body could not be read and nothing ran',
  },
)
