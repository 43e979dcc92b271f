/**
 * What keeps credentials out of the history and the logs: everything recorded of a run goes through here first, whole, and
 * is cut to length afterwards, for half a secret is not recognised. Values that the run has read are replaced wherever they
 * occur; besides, whatever is named or looks like a credential. When in doubt it takes too much.
 */

import { isCredentialHeader, NAME_HINTS, REDACTED } from './credential-names.ts'
import { createFormRedaction } from './redact-form.ts'
import { createJsonRedaction } from './redact-json.ts'
import { redactParts } from './redact-parts.ts'
import { redactPatterns } from './redact-patterns.ts'
import { createSecrets } from './redact-secrets.ts'

export type Redaction = {
  /** From now on this value is replaced wherever it occurs, also as it stands in JSON, in addresses and in base64. */
  readonly hide: (secret: string) => void
  readonly text: (text: string) => string
  /** Of the service, which may quote a part of a value: parts go as well. */
  readonly message: (message: string) => string
  /** Whether the header of this name carries a credential or a signature. */
  readonly isCredential: (header: string) => boolean
  /** Credential and signature headers lose their values; the others go through {@link text}. */
  readonly headers: (headers: Readonly<Record<string, string>>) => Record<string, string>
  /** Parameters that are named like credentials lose their values. Keeps the leading `?`. */
  readonly queryString: (queryString: string) => string
  /** Members that are named like credentials lose their values, at any depth. JSON stays JSON. */
  readonly body: (body: string, kind: 'json' | 'form' | 'text') => string
}

/**
 * Without any of it nothing is named or looks like a credential: parts of names, beginnings of tokens, addresses, and the signs
 * of encodings that may hide one of these. Most texts are done with after this one look.
 */
const HINT = new RegExp(`${NAME_HINTS}|eyJ|bearer|basic|://|[\\\\%]`, 'i')

/** @param signatureHeaders those whose values sign the request, in any case of letters */
export function createRedaction(signatureHeaders: readonly string[]): Redaction {
  const secrets = createSecrets()
  const signatures = new Set(signatureHeaders.map((name) => name.toLowerCase()))
  const isCredential = (header: string) => signatures.has(header.toLowerCase()) || isCredentialHeader(header)
  const isHarmless = (text: string) => !HINT.test(text) && secrets.replace(text) === text
  // Values of a few bytes are looked for as they are, and a plus may be a space of theirs.
  const isHarmlessForm = (text: string) => !text.includes('+') && isHarmless(text)
  const text = (text: string) => (isHarmless(text) ? text : redactPatterns(secrets.replace(text)))
  const json = createJsonRedaction({ text, holdsSecret: (text) => secrets.replace(text) !== text })
  const form = createFormRedaction({ text, json })
  return {
    hide: secrets.add,
    text,
    message: (message) => redactParts(text(message), secrets.values()),
    isCredential,
    headers: (headers) =>
      Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, isCredential(name) ? REDACTED : text(value)]),
      ),
    queryString: (queryString) => {
      if (isHarmlessForm(queryString)) return queryString
      return queryString.startsWith('?') ? `?${form(queryString.slice(1))}` : form(queryString)
    },
    body: (body, kind) => {
      if (kind === 'form' ? isHarmlessForm(body) : isHarmless(body)) return body
      if (kind === 'text') return text(body)
      return kind === 'json' ? json(body) : form(body)
    },
  }
}
