/** Tells the history of a call that was refused before its script ran. Never called for an admitted call. */
import type { FastifyRequest } from 'fastify'
import type { RefusedCall } from '../../automation/history/refusals.ts'
import { RunProblem } from '../../automation/problems.ts'
import { Problem } from '../../kernel/problem.ts'
import { pathOf } from '../allowed-methods.ts'
import { statusOf } from '../problem-status.ts'

export type NoteRefusal = (
  call: RefusedCall,
  refusal: { readonly status: number; readonly code: string; readonly message: string },
) => void

/** Errors that are no problems are defects, which the log reports. A lost run has a record of its own. */
export function noteRefusedCall(
  request: FastifyRequest,
  cause: unknown,
  note: NoteRefusal | undefined,
): void {
  if (note === undefined || request.call === null || !(cause instanceof Problem)) return
  if (cause instanceof RunProblem && cause.executionId !== undefined) return
  note(refusedCall(request, request.call), {
    status: statusOf(cause),
    code: cause.code,
    message: cause.message,
  })
}

/** The sender gets 200, so that it does not send the delivery again. */
export function noteDuplicate(request: FastifyRequest, note: NoteRefusal | undefined): void {
  if (note === undefined || request.call === null) return
  note(refusedCall(request, request.call), {
    status: 200,
    code: 'END116',
    message: 'This delivery was processed before',
  })
}

const refusedCall = (
  { id, method, raw }: FastifyRequest,
  { endpoint, user }: NonNullable<FastifyRequest['call']>,
): RefusedCall => ({
  endpoint,
  method,
  path: decoded(pathOf(raw.url as string)),
  requestId: id,
  principalId: user.principalId || null,
})

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
