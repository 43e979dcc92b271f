/**
 * The header by which the service knows the requests of its own scripts: how many runs, each called by the one before, stand
 * between a request and the call from outside that began them. Scripts cannot set it.
 */

/** In lower case, as node names headers. */
export const CALL_DEPTH_HEADER = 'tripfolio-call-depth'

/** 0 for a request that no run has sent; null for a value that the service never sends. */
export function callDepthOf(value: unknown): number | null {
  if (value === undefined) return 0
  return typeof value === 'string' && /^[1-9]\d{0,3}$/.test(value) ? Number(value) : null
}
