/**
 * Refuses calls from addresses that an endpoint does not allow, before anything else about them is checked. The refusal is 403
 * and names the address: addresses of endpoints are no secrets, and whoever configures a sender or a proxy sees what is wrong.
 */
import type { FastifyRequest } from 'fastify'
import type { Problem } from '../../kernel/problem.ts'
import { addressFilter } from '../../schema/address-range.ts'
import { callerAddress } from '../request-report.ts'
import { addressNotAllowed } from './problems.ts'

const filters = new WeakMap<readonly string[], ReturnType<typeof addressFilter>>()

/** @returns Problem SRV143 for an address that is in none of the ranges */
export function refuseAddress(request: FastifyRequest, ranges: readonly string[]): Problem | undefined {
  let isAllowed = filters.get(ranges)
  if (isAllowed === undefined) {
    isAllowed = addressFilter(ranges)
    filters.set(ranges, isAllowed)
  }
  const address = callerAddress(request)
  return isAllowed(address) ? undefined : addressNotAllowed(address ?? 'unknown')
}
