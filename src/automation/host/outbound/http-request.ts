/** The host function for HTTP requests to others. */
import { answerContent } from '../../../outbound/answer-content.ts'
import {
  any,
  define,
  fromPlain,
  JsonFault,
  type NativeContext,
  type NativeFunction,
  readJson,
  type Value,
} from '../../../script/values.ts'
import { hostOf } from '../run-host.ts'
import { httpOptions } from './request-options.ts'
import { whileWaited } from './run-outbound.ts'
import { type HttpResult, sendForRun } from './send-for-run.ts'

const httpRequest = define({
  name: 'HttpRequest',
  category: 'Requests and mail',
  parameters: [any('request')],
  returns: 'object',
  about:
    'Sends an HTTP request and returns {status, headers, body, bodyBase64, json, error}. The request is {method, url, headers, body, bodyBase64, timeoutMs, secretHeaders, retries, followRedirects}; only url is needed. Only hosts in allowedHosts of the endpoint can be asked. A body that is not a text is sent as JSON. In secretHeaders, names of secrets stand in braces: {"Authorization": "Bearer {erp-token}"}. Without an answer, status is 0 and error is {code, message}. A trial sends nothing: the sample request says what is answered.',
  async waits(context, request) {
    const host = hostOf(context)
    const options = httpOptions(context, request)
    const result = await whileWaited(context, (signal) => sendForRun(options, host, signal))
    return answerValue(context, result)
  },
})

export const httpFunctions: readonly NativeFunction[] = [httpRequest]

function answerValue(context: NativeContext, result: HttpResult): Value {
  const { status, headers } = result.kind === 'answered' ? result.answer : result
  const value = context.object()
  context.set(value, 'status', status)
  context.set(value, 'headers', fromPlain(headers, context))
  const { body, bodyBase64, json } = contentOf(context, result)
  context.set(value, 'body', body)
  context.set(value, 'bodyBase64', bodyBase64)
  context.set(value, 'json', json)
  const error =
    result.kind === 'answered' ? null : { code: result.problem.code, message: result.problem.message }
  context.set(value, 'error', fromPlain(error, context))
  return value
}

type Content = { readonly [Member in 'body' | 'bodyBase64' | 'json']: Value }

function contentOf(context: NativeContext, result: HttpResult): Content {
  if (result.kind === 'failed') return { body: null, bodyBase64: null, json: null }
  const { headers, body } = result.answer
  // Decoding reads every byte.
  context.work(Math.ceil(body.length / BYTES_PER_WORK))
  const content = answerContent(headers, body)
  if (content.kind === 'bytes') {
    return { body: null, bodyBase64: context.text(body.toString('base64')), json: null }
  }
  const json = content.kind === 'json' ? jsonOf(context, content.text) : null
  return { body: context.text(content.text), bodyBase64: null, json }
}

const BYTES_PER_WORK = 100

/** Null for a text that is not JSON: the script has the text, and the log says so. */
function jsonOf(context: NativeContext, text: string): Value {
  if (text.trim() === '') return null
  try {
    return readJson(text, context)
  } catch (cause) {
    if (!(cause instanceof JsonFault)) throw cause
    hostOf(context).log.add('Warning', 'HttpRequest: the answer says that it is JSON, and is not')
    return null
  }
}
