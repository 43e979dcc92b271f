/**
 * Names of parameters as slips leave them: `&amp;$filter=`, `;$filter=`, `?query=`, `%24filter` that was encoded twice. The
 * name as it was sent enters; the name that was likely meant leaves, in lower case and without its `$`.
 */

/** A longer name is no slip. */
const LONGEST_NAME = 200

export function bareName(name: string): string {
  if (name.length > LONGEST_NAME) return name
  return decodedAgain(name.toLowerCase())
    .replace(/^(?:[\s?&;$]|amp;)+/, '')
    .replace(/[\s[\]:]+$/, '')
}

/** The name was decoded once; a client that encodes what is encoded already does so once or twice more. */
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

/** What to write in place of what stands around the name; undefined where there is nothing to say. */
export function slipAdvice(name: string): string | undefined {
  const lower = name.toLowerCase()
  if (/^[\s?;]*(?:&|\?)?amp;/.test(lower)) return 'write & between parameters, not &amp;'
  if (lower.startsWith(';')) return 'write & between parameters, not ;'
  if (lower.includes('%')) return 'encode the name once'
  return undefined
}

/** Parameters behind semicolons in the value of another one: of `1;$filter=x` it is `;$filter`. */
export const namesBehindSemicolons = (value: string): readonly string[] =>
  value.includes(';') ? (value.match(/;(?:amp;)?[^;&=]{1,200}(?==)/g) ?? []) : []
