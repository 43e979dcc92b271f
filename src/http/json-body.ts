/**
 * Builds the envelope around the records of a JSON answer (specification 2.6 and 2.9), members in the order of the
 * specification. The other formats have no envelope; headers carry its content.
 */
import type { WritableRecords } from '../engine/writers/write-records.ts'
import type { Answer } from '../read/answer.ts'
import type { QueryMeta } from '../schema/shapes.ts'

export type Envelope = { readonly head: string; readonly tail: string }

export function jsonEnvelope(answer: Answer, result: WritableRecords, meta: QueryMeta | null): Envelope {
  const { changesToken } = answer
  return {
    head: headOf(answer, result),
    tail: meta === null ? ']}' : `],"_meta":${metaJson(meta, changesToken)}}`,
  }
}

/** In version 1 the head has only the name of the array. */
function headOf({ version, clientNumber, member }: Answer, { count }: WritableRecords): string {
  if (version === 1) return '{"result":['
  return `{"clientNumber":${JSON.stringify(clientNumber)},"count":${count},"${member}":[`
}

/** Changes have their token in the place of the count of what a filter found. */
function metaJson(
  { page, pageSize, total, totalPages, filteredCount }: QueryMeta,
  token: string | undefined,
): string {
  const totals = `"total":${total},`
  const paging =
    page === undefined ? totals : `"page":${page},"pageSize":${pageSize},${totals}"totalPages":${totalPages},`
  return `{${paging}${token === undefined ? `"filteredCount":${filteredCount}` : `"token":"${token}"`}}`
}
