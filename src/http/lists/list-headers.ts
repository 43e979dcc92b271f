/** The headers of every list, whatever its body: how to keep it, which snapshot it is from, and what was ignored. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from '../../read/answer.ts'
import type { RecordFormat } from '../../schema/record-formats.ts'
import { rateLimitHeaders } from '../rate-limit.ts'
import { mediaTypes } from './record-formats.ts'
import { ignoredParametersWarning } from './warnings.ts'

/** Names and values in turn, which node writes out with less work than an object. */
export function listHeaders(
  request: FastifyRequest,
  { version, lastModified, snapshotId, ignored }: Answer,
): string[] {
  const headers = [
    'x-request-id',
    request.id,
    'x-content-type-options',
    'nosniff',
    'last-modified',
    httpDate(lastModified),
    'cache-control',
    'private, no-cache',
    'vary',
    varies[version],
    'snapshot-id',
    snapshotId,
  ]
  const warning = ignoredParametersWarning(ignored)
  if (warning !== undefined) headers.push('warning', warning)
  if (request.rateLimit !== undefined) headers.push(...Object.entries(rateLimitHeaders(request)).flat())
  return headers
}

export function setHeaders(reply: FastifyReply, headers: readonly string[]): FastifyReply {
  for (let i = 0; i < headers.length; i += 2) reply.header(headers[i] as string, headers[i + 1])
  return reply
}

/** A name to save the answer under, for the formats that are saved rather than read on: `bookings-C01234-2026….csv`. */
export function dispositionHeaders(
  { list, clientNumber, snapshotId }: Answer,
  format: RecordFormat,
): string[] {
  const { extension } = mediaTypes[format]
  if (extension === null) return []
  const name = [list, clientNumber, snapshotId].join('-').replace(/[^A-Za-z0-9_-]/g, '_')
  return ['content-disposition', `attachment; filename="${name}.${extension}"`]
}

const varies = {
  1: 'psk, X-API-Key, Accept, Accept-Encoding, Snapshot-Id',
  2: 'X-API-Key, Accept, Accept-Encoding, Snapshot-Id',
} as const

/** All answers of a snapshot carry the same date. */
let lastDate = { time: Number.NaN, text: '' }

function httpDate(date: Date): string {
  const time = date.getTime()
  if (time !== lastDate.time) lastDate = { time, text: date.toUTCString() }
  return lastDate.text
}
