/** Keys as notepads keep them: a name that begins with capitals begins with small letters, as in `URLValue` to `urlValue`. */

/** @param value of JSON, at any depth that JSON.parse can make */
export function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [camelCasedKey(key), camelCased(member)]),
  )
}

/** The last of several capitals belongs to the next word where one follows. */
function camelCasedKey(key: string): string {
  const capitals = /^[A-Z]+/.exec(key)?.[0].length ?? 0
  if (capitals === 0) return key
  const isWhole = capitals === 1 || capitals === key.length || !/[a-z]/.test(key.charAt(capitals))
  const lowered = isWhole ? capitals : capitals - 1
  return key.slice(0, lowered).toLowerCase() + key.slice(lowered)
}
