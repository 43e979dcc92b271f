/** Questions for records as scripts put them, answered as version 2 of the API answers them: for any client, without an account. */
import type { QueryRecords } from './automation/host/query-records.ts'
import { type AnswerDeps, answer } from './read/answer.ts'

export const queryRecords =
  (deps: AnswerDeps): QueryRecords =>
  async ({ list, clientNumber, parameters }, cancellation) => {
    const principal = { accountId: 'script', accountName: 'script', clientNumber }
    const question = { version: 2, list, principal, query: null, parameters: () => parameters } as const
    const { meta, execute } = await answer(question, deps)
    const result = await execute(cancellation)
    return {
      count: result.count,
      meta: meta(result),
      chunks: (chunkBytes) => result.chunks('json', chunkBytes),
    }
  }
