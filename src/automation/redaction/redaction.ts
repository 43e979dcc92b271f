/**
 * Keeps credentials out of the history and the logs. Everything that is recorded of a run is redacted whole and cut to length
 * afterwards, because half a secret is not recognised. Replaced are the secrets that the run has read, wherever they occur, and
 * everything that is named like a credential or looks like one. In doubt, too much is redacted. Numbers of payment cards and the
 * fields that an endpoint declares are masked too.
 */

import { maskCardNumbers } from './card-numbers.ts'
import { isCredentialHeader, NAME_HINTS, REDACTED } from './credential-names.ts'
import { createMaskedFields, isLikeJson, type MaskedFields } from './masked-fields.ts'
import { createFormRedaction } from './redact-form.ts'
import { createJsonRedaction } from './redact-json.ts'
import { redactParts } from './redact-parts.ts'
import { redactPatterns } from './redact-patterns.ts'
import { createSecrets } from './redact-secrets.ts'

export type Redaction = {
  /** The fields that the endpoint declares; null for none. */
  readonly fields: MaskedFields | null
  /** From now on this value is replaced wherever it occurs, also encoded in JSON, addresses and base64. */
  readonly hide: (secret: string) => void
  readonly text: (text: string) => string
  /** For messages of the service, which may quote parts of a value: parts are redacted too. */
  readonly message: (message: string) => string
  /** Whether the header of this name carries a credential or a signature. */
  readonly isCredential: (header: string) => boolean
  /** Redacts the values of credential and signature headers; other values go through {@link text}. */
  readonly headers: (headers: Readonly<Record<string, string>>) => Record<string, string>
  /** Redacts the values of parameters that are named like credentials. Keeps the leading `?`. */
  readonly queryString: (queryString: string) => string
  /** Redacts the values of members that are named like credentials, at any depth. JSON stays JSON. */
  readonly body: (body: string, kind: 'json' | 'form' | 'text') => string
}

/**
 * A text without any of these holds nothing that is named like a credential or looks like one: parts of names, beginnings of
 * tokens, addresses, and signs of encodings that may hide one of these. Most texts are ruled out by this one look.
 */
const HINT = new RegExp(`${NAME_HINTS}|eyJ|bearer|basic|://|[\\\\%]`, 'i')

export type RedactionOptions = {
  /** Names of members, or paths to them, whose values are masked: `passport`, `$.travellers[*].passport`. */
  readonly maskedFields?: readonly string[] | undefined
  /** By default they are masked. */
  readonly cardNumbers?: 'mask' | 'keep' | undefined
}

/** @param signatureHeaders names of the headers that sign the request, in any letter case */
export function createRedaction(
  signatureHeaders: readonly string[],
  { maskedFields = [], cardNumbers = 'mask' }: RedactionOptions = {},
): Redaction {
  const redaction = redactionOf(signatureHeaders, cardNumbers === 'mask' ? maskCardNumbers : (text) => text)
  return maskedFields.length === 0 ? redaction : withFields(redaction, createMaskedFields(maskedFields))
}

/** Masks the fields first, as long as they stand where they were declared. */
function withFields(redaction: Redaction, fields: MaskedFields): Redaction {
  const text = (text: string) => redaction.text(fields.text(text))
  return {
    ...redaction,
    fields,
    text,
    message: (message) => redaction.message(fields.text(message)),
    headers: (headers) =>
      Object.fromEntries(
        Object.entries(redaction.headers(headers)).map(([name, value]) => [
          name,
          fields.isField(name) ? REDACTED : value,
        ]),
      ),
    queryString: (queryString) => redaction.queryString(fields.form(queryString)),
    body: (body, kind) => {
      const masked =
        kind === 'form' ? fields.form(body) : isLikeJson(body) ? fields.json(body) : fields.text(body)
      return redaction.body(masked, kind)
    },
  }
}

function redactionOf(signatureHeaders: readonly string[], maskCards: (text: string) => string): Redaction {
  const secrets = createSecrets()
  const signatures = new Set(signatureHeaders.map((name) => name.toLowerCase()))
  const isCredential = (header: string) => signatures.has(header.toLowerCase()) || isCredentialHeader(header)
  const isHarmless = (text: string) =>
    !HINT.test(text) && secrets.replace(text) === text && maskCards(text) === text
  // Short values are looked for unencoded, and a plus in a form may stand for a space in them.
  const isHarmlessForm = (text: string) => !text.includes('+') && isHarmless(text)
  const text = (text: string) => (isHarmless(text) ? text : maskCards(redactPatterns(secrets.replace(text))))
  const json = createJsonRedaction({ text, holdsSecret: (text) => secrets.replace(text) !== text })
  const form = createFormRedaction({ text, json })
  return {
    fields: null,
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
