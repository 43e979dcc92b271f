/**
 * Redacts query strings and forms parameter by parameter. A value is decoded, redacted as text or JSON, and encoded again. A
 * parameter without a credential stays as it was written.
 */
import { isCredentialName, REDACTED } from './credential-names.ts'

type Deps = {
  readonly text: (text: string) => string
  readonly json: (body: string) => string
}

export function createFormRedaction({ text, json }: Deps): (form: string) => string {
  const redactParameter = (parameter: string): string => {
    const sign = parameter.indexOf('=')
    if (sign < 0) return parameter
    const [name, value] = [decode(parameter.slice(0, sign)), decode(parameter.slice(sign + 1))]
    if (value === '') return parameter
    const start = parameter.slice(0, sign + 1)
    if (name !== undefined && isCredentialName(name, value)) return start + REDACTED
    if (value === undefined) return parameter
    const redacted = /^\s*[[{"]/.test(value) ? json(value) : text(value)
    if (redacted === value) return parameter
    // A lone surrogate cannot be percent-encoded.
    return start + encodeURIComponent(redacted.toWellFormed()).replaceAll(ENCODED, REDACTED)
  }
  return (form) => text(form.split('&').map(redactParameter).join('&'))
}

const ENCODED = encodeURIComponent(REDACTED)

/** Undefined when the percent signs do not encode UTF-8; the form is then redacted as text only. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
