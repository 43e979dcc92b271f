/** Problems as a command prints them to standard error: lines for a person, or with `--json` one line of JSON for a program. */

import { isNotWritable, whyNotWritable } from '../../directory/problems.ts'
import { DetailedProblem, type Problem } from '../../kernel/problem.ts'
import { printable } from '../../script/problems.ts'
import { exitCodeOf } from './exit-codes.ts'

/** @param label such as `warning: ` */
export function problemLines(problem: Problem, label = ''): string {
  if (isNotWritable(problem)) return `tripfolio: ${label}${whyNotWritable(problem)}\n`
  const { message, hint } = problem
  // The causes of a refusal and the messages of the database have several lines. What they quote may come from a file of others.
  const lines = message.replaceAll(/(?![\t\n])\p{Cc}/gu, printable).replaceAll('\n', '\n           ')
  return `tripfolio: ${label}${lines}\n${hint === undefined ? '' : `           ${hint}\n`}`
}

/** The code, what is wrong, and what to do; where the problem itself has no hint, the one of docs/reference/errors.md. */
export async function errorJson(problem: Problem): Promise<string> {
  const exitCode = exitCodeOf(problem)
  const stack = problem.kind === 'defect' && problem.cause instanceof Error ? problem.cause.stack : undefined
  return `${JSON.stringify({ error: { ...(await described(problem)), stack, exitCode } })}\n`
}

export const warningJson = async (problem: Problem): Promise<string> =>
  `${JSON.stringify({ warning: await described(problem) })}\n`

async function described(problem: Problem) {
  const { code, kind } = problem
  // Loaded here: these are the texts of all codes.
  const { explanations } = await import('../../kernel/problems/catalogue.ts')
  const message = isNotWritable(problem) ? whyNotWritable(problem) : problem.message
  const hint = problem.hint ?? explanations[code].action
  return problem instanceof DetailedProblem
    ? { code, kind, message, hint, details: problem.details }
    : { code, kind, message, hint }
}
