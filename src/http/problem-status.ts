/** The HTTP status of each kind of problem: the only place where kinds become statuses. */
import type { ProblemKind } from '../kernel/problems/kinds.ts'

/** Null: only commands, the start of the service and refreshes report it; a request that meets it gets 500. */
export const statusOfKind: { readonly [Kind in ProblemKind]: number | null } = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  'timed-out': 408,
  conflict: 409,
  gone: 410,
  'precondition-failed': 412,
  'too-large': 413,
  'uri-too-long': 414,
  'unsupported-media-type': 415,
  'expectation-failed': 417,
  unprocessable: 422,
  'precondition-required': 428,
  limited: 429,
  'headers-too-large': 431,
  'loop-detected': 508,
  unavailable: 503,
  'storage-failure': 503,
  damaged: 500,
  defect: 500,
  settings: null,
  usage: null,
  'file-access': null,
  'extract-refused': null,
  unreadable: null,
  locked: null,
  interrupted: null,
  script: null,
}

export const statusOf = ({ kind }: { readonly kind: ProblemKind }): number => statusOfKind[kind] ?? 500
