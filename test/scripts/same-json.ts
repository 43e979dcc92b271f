/** Whether two JSON texts mean the same: numbers within a relative tolerance of 1e-10, keys in any order (1.1). */
export const isSameJson = (a: string, b: string): boolean => isSame(JSON.parse(a), JSON.parse(b))

const TOLERANCE = 1e-10

function isSame(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') {
    return a === b || Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b))
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) =>
        Object.hasOwn(b, key) &&
        isSame((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  )
}

/** All keys of a JSON text in their order, which objects of JavaScript would not keep. */
export const keysOf = (json: string): readonly string[] =>
  [...json.matchAll(/("(?:[^"\\]|\\.)*")\s*(:?)/g)]
    .filter(([, , colon]) => colon === ':')
    .map(([, key]) => JSON.parse(key as string) as string)
