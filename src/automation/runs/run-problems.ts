/** What is wrong with a run: that there is nothing to run (END110), and answers that cannot be sent (END12x), which are recorded. */
import { Problem } from '../../kernel/problem.ts'
import { RunProblem } from '../problems.ts'

export const endpointGone = (version: number) =>
  new RunProblem({
    code: 'END110',
    message: `Expected version ${version} of the endpoint, found none: it was deleted meanwhile`,
    hint: 'Ask again: who asks now finds what there is now.',
    retryAfterSeconds: undefined,
    executionId: undefined,
  })

/** @param member as scripts write it, such as `Data._statusCode` */
export const badAnswer = (member: string, expected: string, found: string) =>
  new Problem('END120', `Expected ${expected} as ${member}, found ${found}`)

export const headerNotAllowed = (name: string, reason: string) =>
  new Problem('END121', `Expected no header '${name}' in Data._headers: ${reason}`)
