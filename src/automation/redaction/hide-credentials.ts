/**
 * Finds the credentials of a request by the names of its headers, parameters and members of the body, and takes every value of a
 * cookie for one. They are then redacted wherever else they occur: in the path, the log, the response or a notepad.
 */
import { decodedPairs } from '../../kernel/addresses/form-encoding.ts'
import { unmarked } from '../../kernel/text.ts'
import type { ScriptRequest } from '../runs/run-states.ts'
import { isCredentialName, NAME_HINTS } from './credential-names.ts'
import type { Redaction } from './redaction.ts'

/** Shorter credentials are not hidden elsewhere, because short texts occur in unrelated places by chance. */
const LEAST_CREDENTIAL = 8

/** Bounds on the work for one request. Credentials beyond them are redacted only next to their name. */
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

/** Shorter values of fields are masked only where they are named, because they occur in unrelated places by chance. */
const LEAST_FIELD = 4

/** Finds the values of the fields that the endpoint declares, so that they are masked wherever else they occur. */
export function hideFields(request: ScriptRequest, redaction: Redaction): void {
  const { fields } = redaction
  if (fields === null) return
  const { headers, params, query, rawBody, bodyKind } = request
  const parameters = [headers, params, query].flatMap((given) => Object.entries(given))
  const form = bodyKind === 'form' ? decodedPairs(rawBody ?? '') : []
  for (const [name, values] of [...parameters, ...form]) {
    for (const value of [values].flat()) {
      if (fields.isField(name)) hideValues([value], redaction)
      else hideFieldsIn(value, redaction)
    }
  }
  if (bodyKind !== 'form') hideFieldsIn(rawBody, redaction)
}

/** @param body a text of any kind but a form */
export function hideFieldsIn(body: string | null, redaction: Redaction): void {
  const { fields } = redaction
  if (fields !== null && body !== null) hideValues(fields.valuesIn(body), redaction)
}

function hideValues(values: readonly string[], { hide }: Redaction): void {
  for (const value of values.slice(0, MOST_CREDENTIALS)) if (value.length >= LEAST_FIELD) hide(value)
}

/** The values of all cookies. Their names do not show which of them are credentials. */
const cookiesOf = (header: string): string[] =>
  header.split(';').map((cookie) => cookie.slice(cookie.indexOf('=') + 1).trim())

/** Most bodies are ruled out by this one look. Names may be written with escapes, so `\` and `%` count as hints. */
const HINT = new RegExp(`${NAME_HINTS}|[\\\\%]`, 'i')

function bodyOf({ rawBody, bodyKind }: ScriptRequest): unknown {
  if (rawBody === null || bodyKind === 'text' || !HINT.test(rawBody)) return null
  if (bodyKind === 'form') return decodedPairs(rawBody).map(([name, value]) => ({ [name]: value }))
  try {
    return JSON.parse(unmarked(rawBody))
  } catch {
    return null
  }
}

/** Hides credentials at any depth. All texts below a name that names a credential count as credentials. */
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
