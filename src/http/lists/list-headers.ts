/** The headers of every list, whatever its body: caching, snapshot, ignored parameters, rate limit. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from '../../read/answer.ts'
import type { RecordFormat } from '../../schema/record-formats.ts'
import { announcesBody } from '../announced-body.ts'
import { rateLimitHeaders } from '../rate-limit.ts'
import { mediaTypes } from './record-formats.ts'
import { ignoredWarning } from './warnings.ts'

/** Alternating names and values, which node writes faster than an object. */
export function listHeaders(
  request: FastifyRequest,
  { version, lastModified, snapshotId, ignored, changesToken }: Answer,
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
  if (changesToken !== undefined) headers.push('changes-token', changesToken)
  const warning = ignoredWarning(ignored, announcesBody(request.raw))
  if (warning !== undefined) headers.push('warning', warning)
  if (request.rateLimit !== undefined) headers.push(...Object.entries(rateLimitHeaders(request)).flat())
  return headers
}

export function setHeaders(reply: FastifyReply, headers: readonly string[]): FastifyReply {
  for (let i = 0; i < headers.length; i += 2) reply.header(headers[i] as string, headers[i + 1])
  return reply
}

/** Proposes a file name, for the formats that are usually saved: `bookings-C01234-2026….csv`. */
export function dispositionHeaders(
  { list, member, clientNumber, snapshotId, changesToken }: Answer,
  format: RecordFormat,
): string[] {
  const { extension } = mediaTypes[format]
  if (extension === null) return []
  const parts = member === list ? [list] : [list, member]
  const what = changesToken === undefined ? parts : [list, 'changes']
  const name = [...what, clientNumber, snapshotId].join('-').replace(/[^A-Za-z0-9_-]/g, '_')
  return ['content-disposition', `attachment; filename="${name}.${extension}"`]
}

/** Adds the places of the other pages. */
export function pushLinks(headers: string[], links: string): void {
  if (links !== '') headers.push('link', links)
}

const varies = {
  1: 'psk, X-API-Key, Authorization, Accept, Accept-Encoding, Snapshot-Id',
  2: 'X-API-Key, Authorization, Accept, Accept-Encoding, Snapshot-Id',
} as const

/** The last date as text: all answers of a snapshot have the same one. */
let lastDate = { time: Number.NaN, text: '' }

function httpDate(date: Date): string {
  const time = date.getTime()
  if (time !== lastDate.time) lastDate = { time, text: date.toUTCString() }
  return lastDate.text
}
