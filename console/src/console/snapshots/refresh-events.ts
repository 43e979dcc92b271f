/** The state of refreshes after each event of the stream. */
type WithId = { readonly id: string }

export type RefreshState<Refresh extends WithId> = {
  readonly current: Refresh | null
  readonly last: Refresh | null
}

type StreamEvent = { readonly event?: string | undefined; readonly data: string }

/** Unknown events change nothing: a newer service may send more. */
export function refreshAfter<Refresh extends WithId>(
  state: RefreshState<Refresh> | undefined,
  { event, data }: StreamEvent,
): RefreshState<Refresh> | undefined {
  if (event === 'snapshot') return JSON.parse(data) as RefreshState<Refresh>
  if (event !== 'progress' && event !== 'ended') return state
  const refresh = JSON.parse(data) as Refresh
  const { current = null, last = null } = state ?? {}
  if (event === 'progress') return { current: refresh, last }
  const isOther = current !== null && current.id !== refresh.id
  return { current: isOther ? current : null, last: refresh }
}

type Amount = { readonly done: number; readonly expected: number | null }

type Progress = Readonly<Record<'tables' | 'rows' | 'bytes', Amount | null>>

/** How much of the stage is done, from 0 to 1; undefined while nobody knows. */
export function shareDone({ progress }: { readonly progress: Progress | null }): number | undefined {
  const { bytes, rows, tables } = progress ?? {}
  for (const amount of [bytes, rows, tables]) {
    if (amount && amount.expected !== null && amount.expected > 0)
      return Math.min(1, amount.done / amount.expected)
  }
  return undefined
}
