/**
 * One object of the admin API with its version. A change is sent with the version that was seen; when somebody else has changed
 * the object meanwhile, the caller learns what is different.
 */
import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Answer, answerOf } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
import { type Difference, differences } from './differences.ts'

type Call<T> = Parameters<typeof answerOf<T>>[0]

type Seen<T> = Pick<Answer<T>, 'data' | 'etag'>

export type LoadedResource<T> = {
  /** Undefined until it is loaded. */
  readonly seen: Seen<T> | undefined
  readonly error: Error | null
  readonly retry: () => void
  /**
   * @param from what the change was decided on; by default what is loaded
   * @throws ChangedMeanwhile when it is no longer so, ApiProblem for other refusals
   */
  readonly change: <R>(send: (ifMatch: string) => Call<R>, from?: Seen<T>) => Promise<R>
  /** A change after which there is nothing to load. */
  readonly remove: (send: (ifMatch: string) => Call<unknown>) => Promise<void>
}

type ResourceOptions<T> = {
  readonly key: QueryKey
  readonly read: (signal?: AbortSignal) => Call<T>
  /** Members that change by themselves. */
  readonly ignored?: readonly string[]
  readonly refetchMs?: number
}

export function useResource<T extends object>(options: ResourceOptions<T>): LoadedResource<T> {
  const { key, read, ignored, refetchMs } = options
  const queries = useQueryClient()
  const query = useQuery({
    queryKey: key,
    queryFn: async ({ signal }): Promise<Seen<T>> => seenOf(await answerOf(read(signal))),
    ...(refetchMs !== undefined && { refetchInterval: refetchMs }),
  })
  const send = async <R>(call: (ifMatch: string) => Call<R>, from: Seen<T> | undefined): Promise<R> => {
    try {
      return (await answerOf(call(from?.etag ?? '*'))).data
    } catch (cause) {
      if (from === undefined || !(cause instanceof ApiProblem && cause.status === 412)) throw cause
      const now = seenOf(await answerOf(read()))
      const show = () => void queries.setQueryData(key, now)
      throw new ChangedMeanwhile(differences(from.data, now.data, ignored), show)
    }
  }
  return {
    seen: query.data,
    error: query.error,
    retry: () => void query.refetch(),
    change: async (call, from = query.data) => {
      const answer = await send(call, from)
      await queries.invalidateQueries({ queryKey: key })
      return answer
    },
    remove: async (call) => {
      await send(call, query.data)
      queries.removeQueries({ queryKey: key })
    },
  }
}

const seenOf = <T>({ data, etag }: Answer<T>): Seen<T> => ({ data, etag })

/** Somebody else has changed the object since it was read. Nothing was changed now. */
export class ChangedMeanwhile extends Error {
  readonly changes: readonly Difference[]
  /** Shows the object as it is now. */
  readonly show: () => void

  constructor(changes: readonly Difference[], show: () => void) {
    super('It was changed since you read it')
    this.name = 'ChangedMeanwhile'
    this.changes = changes
    this.show = show
  }
}
