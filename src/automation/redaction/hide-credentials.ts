/**
 * Finds the credentials of a request by the names of headers, cookies, parameters and members of the body, so that they are
 * redacted wherever else they occur: in the path, the log, the answer or a notepad.
 */
import type { ScriptRequest } from '../runs/run-states.ts'
import { isCredentialName, NAME_HINTS } from './credential-names.ts'
import type { Redaction } from './redaction.ts'

/** Hiding less would make holes in what has nothing to do with it. */
const LEAST_CREDENTIAL = 8

/** Nobody sends more; whoever does must not hold up others. What is left over goes by its names, and only there. */
const MOST_CREDENTIALS = 100
const MOST_MEMBERS = 10_000

export function hideCredentials(request: ScriptRequest, redaction: Redaction): void {
  const { headers, params, query } = request
  let left = MOST_CREDENTIALS
  const hide = (secret: string) => {
    if (secret.length >= LEAST_CREDENTIAL && left-- > 0) redaction.hide(secret)
  }
  for (const given of [headers, params]) {
    for (const [name, value] of Object.entries(given)) {
      if (!redaction.isCredential(name)) continue
      hide(value)
      hide(value.replace(/^[A-Za-z]+ +/, ''))
    }
  }
  for (const cookie of cookiesOf(headers.cookie ?? '')) hide(cookie)
  hideMembers(query, hide)
  hideMembers(bodyOf(request), hide)
}

/** The values: which of them are credentials, only those know who have set them. */
const cookiesOf = (header: string): string[] =>
  header.split(';').map((cookie) => cookie.slice(cookie.indexOf('=') + 1).trim())

/** Most bodies are done with after this one look: names may be written with escapes. */
const HINT = new RegExp(`${NAME_HINTS}|[\\\\%]`, 'i')

function bodyOf({ rawBody, bodyKind }: ScriptRequest): unknown {
  if (rawBody === null || bodyKind === 'text' || !HINT.test(rawBody)) return null
  if (bodyKind === 'form')
    return [...new URLSearchParams(rawBody)].map(([name, value]) => ({ [name]: value }))
  try {
    return JSON.parse(rawBody)
  } catch {
    return null
  }
}

/** At any depth; all texts below a name that says so are credentials. */
function hideMembers(root: unknown, hide: (secret: string) => void): void {
  const waiting: { readonly value: unknown; readonly isCredential: boolean }[] = [
    { value: root, isCredential: false },
  ]
  let left = MOST_MEMBERS
  for (let next = waiting.pop(); next !== undefined && left > 0; next = waiting.pop()) {
    const { value, isCredential } = next
    left--
    if (typeof value === 'string' && isCredential) hide(value)
    if (typeof value !== 'object' || value === null) continue
    for (const [name, member] of Object.entries(value)) {
      const named = !Array.isArray(value) && isCredentialName(name, typeof member === 'string' ? member : '')
      if (named || isCredential || typeof member === 'object')
        waiting.push({ value: member, isCredential: named || isCredential })
    }
  }
}
