/** Answers queries of scripts for records as version 2 of the API does, but for any client and without an account. */
import type { OpenRecords } from '../automation/host/query-records.ts'
import { type AnswerDeps, answer } from '../read/answer.ts'
import type { ServedSnapshot } from '../snapshot/snapshot.ts'

/** All queries of a run read the snapshot that is current when the run begins, even when another one is published meanwhile. */
export const openRecords =
  <Served extends ServedSnapshot>(
    deps: AnswerDeps<Served> & { readonly catalogue: { readonly pinned: () => Served | null } },
  ): OpenRecords =>
  () => {
    const { catalogue } = deps
    const snapshot = catalogue.pinned()
    const retained = (id: string) => catalogue.retained(id)
    const pinned = { ...deps, catalogue: { current: () => snapshot, retained } }
    return {
      snapshot,
      query: async ({ list, clientNumber, parameters, unknownLabels }, cancellation) => {
        const principal = { accountId: 'script', accountName: 'script', clientNumber }
        const question = { version: 2, list, principal, query: null, parameters: () => parameters } as const
        const { meta, execute } = await answer(
          question,
          unknownLabels ? { ...pinned, unknownLabels } : pinned,
        )
        const result = await execute(cancellation)
        return {
          count: result.count,
          meta: meta(result),
          chunks: (chunkBytes) => result.chunks('json', chunkBytes),
        }
      },
    }
  }
