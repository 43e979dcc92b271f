/**
 * Cleans mistyped names of parameters: `&amp;$filter=`, `;$filter=`, `?query=`, `%24filter` that was encoded twice. Returns the
 * name that was probably meant, in lower case and without its `$`.
 */

/** Longer names are not cleaned. */
const LONGEST_NAME = 200

export function bareName(name: string): string {
  if (name.length > LONGEST_NAME) return name
  return decodedAgain(name.toLowerCase())
    .replace(/^(?:[\s?&;$]|amp;)+/, '')
    .replace(/[\s[\]:]+$/, '')
}

/** The name was decoded once; clients that encode several times do so once or twice more. */
function decodedAgain(name: string): string {
  let decoded = name
  for (let times = 0; times < 3 && decoded.includes('%'); times++) {
    try {
      decoded = decodeURIComponent(decoded).toLowerCase()
    } catch {
      return decoded
    }
  }
  return decoded
}

/** Advice about the characters around the name; undefined when there is none. */
export function slipAdvice(name: string): string | undefined {
  const lower = name.toLowerCase()
  if (/^[\s?;]*(?:&|\?)?amp;/.test(lower)) return 'write & between parameters, not &amp;'
  if (lower.startsWith(';')) return 'write & between parameters, not ;'
  if (lower.includes('%')) return 'encode the name once'
  return undefined
}

/** Names of parameters after semicolons in the value of another one: `;$filter` for `1;$filter=x`. */
export const namesBehindSemicolons = (value: string): readonly string[] =>
  value.includes(';') ? (value.match(/;(?:amp;)?[^;&=]{1,200}(?==)/g) ?? []) : []
