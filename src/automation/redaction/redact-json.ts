/**
 * Redacts JSON member by member and leaves the rest as it is written: the result is JSON, and numbers keep their digits. A text
 * that is not JSON, for example because it was cut, is redacted as text.
 */
import { unmarked } from '../../kernel/text.ts'
import { isCredentialName, REDACTED } from './credential-names.ts'

type Deps = {
  readonly text: (text: string) => string
  /** Whether the text contains a known secret. */
  readonly holdsSecret: (text: string) => boolean
}

export function createJsonRedaction({ text, holdsSecret }: Deps): (body: string) => string {
  return (body) => {
    if (!isJson(body)) return text(body)
    // Most documents hold no credential. If the whole text is clean, only strings with escapes need another look.
    const looksClean = text(body) === body
    const redacted = redactMembers(body, (token) => {
      if (looksClean && !token.includes('\\')) return token
      return token.startsWith('"') ? redactString(token, text) : redactLiteral(token, text)
    })
    // A secret that is JSON itself extends over several tokens.
    return holdsSecret(redacted) ? MARK : redacted
  }
}

const MARK = JSON.stringify(REDACTED)

function isJson(body: string): boolean {
  try {
    JSON.parse(unmarked(body))
    return true
  } catch {
    return false
  }
}

function redactString(token: string, text: (text: string) => string): string {
  const content: string = token.includes('\\') ? JSON.parse(token) : token.slice(1, -1)
  const redacted = text(content)
  return redacted === content ? token : JSON.stringify(redacted)
}

const redactLiteral = (token: string, text: (text: string) => string): string =>
  text(token) === token ? token : MARK

/** The first character of a name, string, number, word or bracket. */
const TOKEN_START = /[^\s,:]/g

/** @param redact takes a string, number or word as it is written and returns its replacement */
function redactMembers(body: string, redact: (token: string) => string): string {
  let rest = ''
  let copied = 0
  let name: string | undefined
  TOKEN_START.lastIndex = 0
  for (let start = nextToken(body, 0); start < body.length; ) {
    const first = body[start]!
    const isContainer = first === '{' || first === '['
    const isHidden = name !== undefined && (isContainer || isString(first) || isNumber(first))
    let end = tokenEnd(body, start)
    if (isHidden && isCredentialName(name!, isContainer ? '' : body.slice(start, end))) {
      if (isContainer) end = containerEnd(body, start)
      rest += body.slice(copied, start) + MARK
      copied = end
      name = undefined
    } else if (isContainer || first === '}' || first === ']') {
      name = undefined
    } else {
      const token = body.slice(start, end)
      const redacted = redact(token)
      if (redacted !== token) {
        rest += body.slice(copied, start) + redacted
        copied = end
      }
      name = isString(first) && isName(body, end) ? (JSON.parse(token) as string) : undefined
    }
    start = nextToken(body, end)
  }
  return copied === 0 ? body : rest + body.slice(copied)
}

const isString = (first: string): boolean => first === '"'
const isNumber = (first: string): boolean => first === '-' || (first >= '0' && first <= '9')

function nextToken(body: string, from: number): number {
  TOKEN_START.lastIndex = from
  return TOKEN_START.exec(body)?.index ?? body.length
}

const WORD = /[\w.+-]+/y

function tokenEnd(body: string, start: number): number {
  if (body[start] === '"') return stringEnd(body, start)
  WORD.lastIndex = start
  return WORD.test(body) ? WORD.lastIndex : start + 1
}

function stringEnd(body: string, start: number): number {
  let at = start + 1
  while (body[at] !== '"') at += body[at] === '\\' ? 2 : 1
  return at + 1
}

function containerEnd(body: string, start: number): number {
  let depth = 0
  for (let at = start; ; ) {
    const first = body[at]!
    if (first === '{' || first === '[') depth++
    if (first === '}' || first === ']') depth--
    at = tokenEnd(body, at)
    if (depth === 0) return at
    at = nextToken(body, at)
  }
}

/** Whether the string that ends at `end` is the name of a member. */
const isName = (body: string, end: number): boolean => {
  while (/\s/.test(body[end] ?? '')) end++
  return body[end] === ':'
}
