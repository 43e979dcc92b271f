/** Reads the body of an answer, whose content codings are undone: as text in its charset, as JSON, or as bytes when it is neither. */
import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'

export type AnswerContent =
  | { readonly kind: 'text' | 'json'; readonly text: string }
  | { readonly kind: 'bytes' }

const TEXT =
  /^text\/|^application\/(?:[^;]+\+)?xml$|^application\/(?:javascript|x-www-form-urlencoded|x-ndjson)$/
const JSON_TYPE = /^application\/(?:[^;]+\+)?json$/

/** Bytes that are not of the charset become U+FFFD. A charset that nobody knows is read as UTF-8. */
export function answerContent(headers: Readonly<Record<string, string>>, body: Uint8Array): AnswerContent {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const media = type.trim()
  const isJson = JSON_TYPE.test(media)
  if (!isJson && !TEXT.test(media) && !(media === '' && isUtf8(body))) return { kind: 'bytes' }
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/.exec(parameter)?.[1])
    .find((label) => label !== undefined)
  return { kind: isJson ? 'json' : 'text', text: decoder(charset).decode(body) }
}

function decoder(charset = 'utf-8'): TextDecoder {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}
