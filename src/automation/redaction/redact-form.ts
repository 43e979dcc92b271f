/**
 * Redacts query strings and forms parameter by parameter. What a value holds once it is decoded, JSON perhaps, is redacted
 * as such and encoded again; a parameter with nothing in it stays as it was written.
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
    // Half a pair of units is nothing that addresses can carry.
    return start + encodeURIComponent(redacted.toWellFormed()).replaceAll(ENCODED, REDACTED)
  }
  return (form) => text(form.split('&').map(redactParameter).join('&'))
}

const ENCODED = encodeURIComponent(REDACTED)

/** Undefined when the percent signs are no encoding; it is looked at as text then. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
