/**
 * The entry that a look at contents leaves in the audit trail, before the answer is sent. One that is like an entry of the last minute
 * is left out: pages and refreshes of a page would fill the trail.
 */
import { LRUCache } from 'lru-cache'
import type { Deed } from '../directory/audit/audit.ts'

export type ReadingTrail = (deed: Deed) => Promise<void>

const ALIKE_MS = 60_000
const MOST_REMEMBERED = 1000
/** Subjects and filters come from addresses. */
const MOST_CHARACTERS = 300

export function openReadingTrail(audit: { readonly note: (deed: Deed) => Promise<void> }): ReadingTrail {
  const noted = new LRUCache<string, true>({ max: MOST_REMEMBERED, ttl: ALIKE_MS })
  return async (asked) => {
    const deed = { ...asked, subjectId: asked.subjectId.slice(0, MOST_CHARACTERS), after: cut(asked.after) }
    const key = JSON.stringify(deed)
    if (noted.has(key)) return
    await audit.note(deed)
    noted.set(key, true)
  }
}

function cut(after: unknown): unknown {
  if (typeof after !== 'object' || after === null) return null
  const given = Object.entries(after).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, String(value).slice(0, MOST_CHARACTERS)]))
}
