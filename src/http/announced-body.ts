import type { IncomingMessage } from 'node:http'

/** Whether the headers announce a body. One that is sent in chunks may turn out to be empty. */
export const announcesBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Why it is unclear where the body ends, as the end of the sentence "The request is malformed: ..."; null where it is clear. Node
 * reads a body in another coding until the connection ends, and knows `gzip, chunked`; a proxy may find another end
 * (RFC 9112, section 6.3).
 */
export function faultOfFraming({ headers, httpVersion }: IncomingMessage): string | null {
  const coding = headers['transfer-encoding']
  if (coding === undefined) return null
  if (httpVersion === '1.0') return 'HTTP/1.0 has no Transfer-Encoding'
  return coding.toLowerCase() === 'chunked' ? null : 'the only Transfer-Encoding is chunked'
}
