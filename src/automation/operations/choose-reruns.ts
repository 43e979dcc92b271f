/** Chooses the runs that a batch of reruns repeats, oldest first, and tells what is left out and what was repeated before. */
import type { ExecutionFilter, History } from '../../directory/history/history.ts'
import { type ExecutionSummary, TRIAL } from '../../schema/execution-shapes.ts'

export type RerunChoice = {
  readonly chosen: readonly ExecutionSummary[]
  /** How many of the runs that match cannot be repeated, or are reruns that the filter does not ask for. */
  readonly leftOut: { readonly trials: number; readonly refused: number; readonly reruns: number }
  /** How many of the chosen ones an earlier batch has repeated, or is to repeat. */
  readonly repeatedBefore: number
}

const PAGE = 500

export async function chooseReruns(
  { list, reruns }: Pick<History, 'list' | 'reruns'>,
  filter: ExecutionFilter,
  limit: number,
): Promise<RerunChoice> {
  const chosen: ExecutionSummary[] = []
  const leftOut = { trials: 0, refused: 0, reruns: 0 }
  let after: string | undefined
  do {
    const page = await list(filter, { limit: PAGE, after, sort: 'startedAt' })
    for (const run of page.items) {
      if (chosen.length === limit) break
      if (run.type === TRIAL) leftOut.trials++
      else if (run.status === 'Refused') leftOut.refused++
      else if (run.type === 'Rerun' && filter.type !== 'Rerun') leftOut.reruns++
      else chosen.push(run)
    }
    after = page.next ?? undefined
  } while (after !== undefined && chosen.length < limit)
  return { chosen, leftOut, repeatedBefore: await reruns.repeated(chosen.map(({ id }) => id)) }
}

/** Whether nothing in the filter restricts the runs. */
export const isEmptyFilter = (filter: ExecutionFilter): boolean =>
  Object.values(filter).every((value) => value === undefined || value === '')
