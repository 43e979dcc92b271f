/**
 * Writes the line of an answered request as JSON, the one line that is written thousands of times per second. The text is the
 * one that `JSON.stringify` would write for the members of `log-lines.ts`; the names are constants, and texts that return, such
 * as routes and accounts, are quoted once.
 */
import type { Answered } from './observation.ts'

/** @param start the line up to its own members: level and time */
export function requestLine(start: string, o: Answered): string {
  let line = `${start},"requestId":${quoted(o.requestId)},"method":${quotedOnce(o.method)},"route":${quotedOnce(o.route)},"status":${o.status},"ms":${roundedMs(o.milliseconds)},"bytes":${o.bytes}`
  if (o.accountId !== undefined) line += `,"account":${quotedOnce(o.accountId)}`
  if (o.clientNumber !== undefined) line += `,"client":${quotedOnce(o.clientNumber)}`
  if (o.address !== undefined) line += `,"address":${quotedOnce(o.address)}`
  if (o.problem !== undefined) line += `,"problem":${quotedOnce(o.problem)}`
  return o.aborted ? `${line},"aborted":true,"msg":"request"}\n` : `${line},"msg":"request"}\n`
}

/** To the microsecond. */
export const roundedMs = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000

/** Visible ASCII without the quote and the backslash: JSON writes these characters as they are. */
const PLAIN = /^[ !#-[\]-~]*$/

const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text))

const MOST_REMEMBERED = 4096
const MOST_REMEMBERED_LENGTH = 256
const remembered = new Map<string, string>()

function quotedOnce(text: string): string {
  const known = remembered.get(text)
  if (known !== undefined) return known
  const written = quoted(text)
  if (text.length > MOST_REMEMBERED_LENGTH) return written
  // Callers choose some of the texts, such as methods and addresses: their number must not matter.
  if (remembered.size >= MOST_REMEMBERED) remembered.clear()
  remembered.set(text, written)
  return written
}
