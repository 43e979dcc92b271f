/** The kind of every problem code of schedules and of what operators hold; `codes.ts` has the others. */
import type { ProblemKind } from './kinds.ts'

export const kindOfScheduleCode = {
  END170: 'conflict',
  END171: 'defect',
  DIR470: 'invalid',
  DIR471: 'not-found',
  DIR472: 'conflict',
  DIR473: 'conflict',
  DIR840: 'conflict',
  DIR841: 'invalid',
  DIR842: 'conflict',
  DIR843: 'conflict',
} as const satisfies Readonly<Record<string, ProblemKind>>
