/**
 * Turns the request into `Data`, with the request under `Data.request` (specification 4.3, design 8.4). Its values count towards
 * the limits of the script. Refuses a body that claims to be JSON and is not, before the script runs.
 */
import { decodedPairs, faultOfForm } from '../../kernel/addresses/form-encoding.ts'
import { unmarked } from '../../kernel/text.ts'
import { fromPlain, type JsonMaker, readJson, TooManyKeys, type Value } from '../../script/values.ts'
import type { ScriptRequest } from '../runs/run-states.ts'

/**
 * @param bodyKeys the most different keys of the body, because each takes memory of its own
 * @throws JsonFault for a malformed JSON body, and for one with too many different keys
 * @throws FormFault for a form that is not percent-encoded UTF-8
 * @throws ScriptFailure when the request exceeds the limits of memory or time
 */
export function requestData(
  request: ScriptRequest,
  maker: JsonMaker,
  bodyKeys = Number.POSITIVE_INFINITY,
): Value {
  const { method, path, queryString, query, headers, params, rawBody, user, address, schedule } = request
  const { isAuthenticated, name, principalId, roles } = user
  const members: readonly (readonly [name: string, value: Value])[] = [
    ['method', maker.text(method)],
    ['path', maker.text(path)],
    ['queryString', maker.text(queryString)],
    ['query', fromPlain(query, maker)],
    ['headers', fromPlain(headers, maker)],
    ['params', fromPlain(params, maker)],
    ['body', bodyOf(request, maker, bodyKeys)],
    ['rawBody', rawBody === null ? null : maker.text(rawBody)],
    ['user', fromPlain({ isAuthenticated, name, principalId, roles }, maker)],
  ]
  const requestObject = maker.object()
  for (const [member, value] of members) maker.set(requestObject, member, value)
  if (address != null) maker.set(requestObject, 'address', maker.text(address))
  if (schedule !== undefined) maker.set(requestObject, 'schedule', fromPlain(schedule, maker))
  const data = maker.object()
  maker.set(data, 'request', requestObject)
  return data
}

/** Null without a body and for a body that is neither JSON nor a form. */
function bodyOf({ rawBody, bodyKind }: ScriptRequest, maker: JsonMaker, mostKeys: number): Value {
  if (rawBody === null || bodyKind === 'text') return null
  if (bodyKind === 'form') return readForm(rawBody, maker, mostKeys)
  // JSON must not begin with a byte order mark (RFC 8259, section 8.1), but some senders add one.
  const text = unmarked(rawBody)
  // A number that becomes infinite would differ from what the caller sent, and cannot be written as JSON again.
  return /^[ \t\r\n]*$/.test(text) ? null : readJson(text, maker, { largeNumbers: 'refused', mostKeys })
}

/** A form that is not percent-encoded UTF-8. */
export class FormFault extends Error {
  override readonly name: string = 'FormFault'
}

/** One text per name; an array of texts for a repeated name, as in `query`. */
function readForm(body: string, maker: JsonMaker, mostKeys: number): Value {
  maker.work(Math.ceil(body.length / 100))
  const fault = faultOfForm(body)
  if (fault !== null) throw new FormFault(fault)
  const values = new Map<string, string[]>()
  for (const [name, value] of decodedPairs(body)) {
    const known = values.get(name)
    if (known === undefined) {
      if (values.size === mostKeys) throw new TooManyKeys(mostKeys, body.length)
      values.set(name, [value])
    } else known.push(value)
  }
  const form = maker.object()
  for (const [name, given] of values) {
    maker.work(given.length)
    const texts = given.map((text) => maker.text(text))
    maker.set(form, name, texts.length === 1 ? texts[0]! : maker.array(texts))
  }
  return form
}
