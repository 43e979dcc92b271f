/**
 * Numbers that no double holds, such as `1e400`: JSON.parse makes them infinite, which is another value than was sent.
 * A JSON text and what was parsed from it enter, the JSON pointer of the first such number leaves.
 */

/** Without an exponent it takes 309 digits. Most bodies have neither, so nothing is walked through. */
const CAN_BE_TOO_LARGE = /[0-9][eE]|[0-9]{309}/

export function pathOfInfinity(text: string, value: unknown): string | null {
  return CAN_BE_TOO_LARGE.test(text) ? find(value) : null
}

type Place = { readonly value: unknown; readonly path: string }

/** With a list of its own in place of the call stack: bodies may be nested deeply. */
function find(root: unknown): string | null {
  const waiting: Place[] = [{ value: root, path: '' }]
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { value, path } = place
    if (typeof value === 'number' && !Number.isFinite(value)) return path
    if (typeof value !== 'object' || value === null) continue
    const members = Object.entries(value)
    for (const [name, member] of members.reverse()) {
      waiting.push({ value: member, path: `${path}/${name}` })
    }
  }
  return null
}
