/** Reads parts of a list. All parts of one table come from one snapshot, so that a refresh in between moves no row. */
import { type Answer, type Api, answerOf } from '../../api/client.ts'
import type { ListName } from '../fields/list-fields.ts'
import type { ListRecord } from './columns.ts'

export type RecordsPart = {
  readonly records: readonly ListRecord[]
  /** Of all parts. */
  readonly total: number
  readonly snapshotId: string | undefined
  /** When the source of the snapshot was extracted, as a date of HTTP. */
  readonly extractedAt: string | undefined
}

export type Parameters = {
  readonly $filter?: string
  readonly $orderby?: string
  readonly $select?: string
  readonly $top?: number
  readonly $skip?: number
  readonly $apply?: string
}

type ReadOptions = { readonly signal?: AbortSignal; readonly snapshotId?: string | undefined }

/** @throws ApiProblem with parameter and column when the query cannot be understood; 410 when the snapshot is gone */
export async function readRecords(
  api: Api,
  list: ListName,
  parameters: Parameters,
  options: ReadOptions = {},
): Promise<RecordsPart> {
  const { data, response } = await read(api, list, parameters, options)
  return {
    records: data[list] as readonly ListRecord[],
    total: totalOf(data),
    snapshotId: response.headers.get('snapshot-id') ?? undefined,
    extractedAt: response.headers.get('last-modified') ?? undefined,
  }
}

export type Groups = {
  readonly groups: readonly ListRecord[]
  /** Of all parts. */
  readonly total: number
}

/** Groups of `$apply`. */
export async function readGroups(
  api: Api,
  list: ListName,
  parameters: Parameters,
  options: ReadOptions = {},
): Promise<Groups> {
  const { data } = await read(api, list, parameters, options)
  return { groups: data.groups as readonly ListRecord[], total: totalOf(data) }
}

type Body = Readonly<Record<string, unknown>>

const read = (
  api: Api,
  list: ListName,
  query: Parameters,
  { signal, snapshotId }: ReadOptions,
): Promise<Answer<Body>> =>
  answerOf(
    api.GET(`/api/v2/${list}`, {
      params: { query, ...(snapshotId !== undefined && { header: { 'Snapshot-Id': snapshotId } }) },
      ...(signal !== undefined && { signal }),
    }) as Promise<{ data?: Body; error?: unknown; response: Response }>,
  )

const totalOf = ({ _meta }: Body): number => (_meta as { readonly total: number } | undefined)?.total ?? 0
