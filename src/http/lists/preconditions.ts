/** Decides for a conditional request whether the caller's copy is still good (RFC 9110, section 13.1.2). */

const entityTag = /(?:W\/)?("[^"]*")/g

/**
 * Uses the weak comparison, so that a tag that a proxy has weakened still matches. `If-Modified-Since` is deliberately not
 * evaluated: falling back to an older snapshot moves Last-Modified backwards, which that header cannot express.
 */
export function isStillGood(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  const strong = etag.replace(/^W\//, '')
  for (const [, tag] of ifNoneMatch.matchAll(entityTag)) if (tag === strong) return true
  return false
}
