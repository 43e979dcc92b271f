/** Conditional requests (RFC 9110, section 13.1.2): is the copy that the caller holds still good? */

const entityTag = /(?:W\/)?("[^"]*")/g

/**
 * Compares weakly, so that a tag a proxy has weakened still counts. `If-Modified-Since` is deliberately not evaluated:
 * falling back to an older snapshot moves Last-Modified backwards, which that header cannot express.
 */
export function isStillGood(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  const strong = etag.replace(/^W\//, '')
  for (const [, tag] of ifNoneMatch.matchAll(entityTag)) if (tag === strong) return true
  return false
}
