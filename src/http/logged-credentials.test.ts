/** Credentials never reach the log, wherever a request ends and however its headers are spelled. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLogger } from '../observe/logger.ts'
import { createObserver } from '../observe/observer.ts'
import { createMetrics } from '../observe/service-metrics.ts'
import { endpoint, PREFIX, startEndpoints } from './testing/endpoints.ts'
import { apiKey, exchange, until } from './testing/server.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

/** Headers with credentials, and headers that somebody has misspelled who meant one of these. */
const names = [
  'Authorization',
  'Proxy-Authorization',
  'X-API-Key',
  'psk',
  'Cookie',
  'Webhook-Signature',
  'X-Hub-Signature-256',
  'Stripe-Signature',
  'Idempotency-Key',
  'If-Match',
  'X-ApiKey',
  'Api_Key',
  'Authorisation',
  'X-Signature',
] as const

const canaryOf = (name: string) => `canary-${name.toLowerCase()}`
const spellings: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => name.toLowerCase(),
  (name) => name.replace(/.{2}/g, ([a = '', b = '']) => a.toUpperCase() + b.toLowerCase()),
]

type Values = Readonly<Record<string, string>>
const everything = (values: Values, spell: (name: string) => string): string =>
  names.map((name) => `${spell(name)}: ${values[name] ?? canaryOf(name)}\r\n`).join('')

const unknown: Values = { Authorization: `Bearer ${canaryOf('authorization')}` }
const basic: Values = { Authorization: `Basic ${base64(`user:${canaryOf('basic')}`)}` }
const known: Values = { 'X-API-Key': apiKey, Authorization: 'Bearer valid guest' }
const secrets = [
  ...names.map(canaryOf),
  apiKey,
  'valid guest',
  canaryOf('basic'),
  base64(`user:${canaryOf('basic')}`),
]

const LIST = '/api/v2/bookings'
const plain = (method: string, path: string) => ({ line: `${method} ${path} HTTP/1.1`, more: '', body: '' })
const json = (path: string, body: string, header = 'Content-Language: en') => ({
  line: `POST ${PREFIX}${path} HTTP/1.1`,
  more: `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${header}\r\n`,
  body,
})

type Row = readonly [
  what: string,
  request: { readonly line: string; readonly more: string; readonly body: string },
  values: Values,
  status: number,
]
const requests: readonly Row[] = [
  ['a list', plain('GET', LIST), known, 200],
  ['a key that is not known', plain('GET', LIST), unknown, 401],
  ['a password that is not known', plain('GET', LIST), { ...basic, 'X-API-Key': '' }, 401],
  ['a psk that is not known', plain('GET', '/api/v1/bookings'), unknown, 401],
  ['a query that is wrong', plain('GET', `${LIST}?$filter=wrong`), known, 400],
  ['a damaged file', plain('GET', `${LIST}?$filter=damaged`), known, 503],
  ['a defect', plain('GET', `${LIST}?$filter=defect`), known, 500],
  ['an unknown address', plain('GET', '/nowhere'), known, 404],
  ['another method', plain('DELETE', LIST), known, 405],
  ['an address that is no text', plain('GET', `${LIST}/%ff`), known, 400],
  ['an expectation', { ...plain('GET', LIST), more: 'Expect: wonders\r\n' }, known, 417],
  ['two hosts', { ...plain('GET', LIST), more: 'Host: y\r\n' }, known, 400],
  ['the depth of scripts', { ...plain('GET', LIST), more: 'Tripfolio-Call-Depth: x\r\n' }, known, 400],
  [
    'a format that there is not',
    { ...plain('GET', LIST), more: 'Accept: application/json;q=0\r\n' },
    known,
    406,
  ],
  ['another version of HTTP', { ...plain('GET', LIST), line: `GET ${LIST} HTTP/1.2` }, known, 400],
  ['a script', json('open', '{}'), known, 200],
  ['a script that fails', json('fails', '{}'), known, 500],
  ['a script for holders of a role', json('closed', '{}'), known, 403],
  ['a token that is not valid', json('closed', '{}'), unknown, 401],
  ['a token that cannot be checked', json('closed', '{}'), { Authorization: 'Bearer unknown' }, 503],
  ['a signature that is wrong', json('signed', '{}'), known, 401],
  ['a signature without a secret', json('unset', '{}'), known, 503],
  ['a body that is too large', json('open', `"${'x'.repeat(2000)}"`), known, 413],
  ['a body in an unknown coding', json('open', '{}', 'Content-Encoding: unknown'), known, 415],
]

/** Bytes that never become a request; the credential stands in what is wrong. */
const malformed: readonly (readonly [what: string, head: string, status: number])[] = [
  ['a space before the colon', `X-API-Key : ${canaryOf('x-api-key')}\r\n`, 400],
  ['no colon', `Cookie ${canaryOf('cookie')}\r\n`, 400],
  ['a control character', `Authorization: Bearer ${canaryOf('authorization')}\u0001\r\n`, 400],
  ['a folded line', `Authorization: Bearer\r\n ${canaryOf('authorization')}\u0000\r\n`, 400],
  ['too many bytes', `Cookie: ${canaryOf('cookie')}${'x'.repeat(300_000)}\r\n`, 431],
  [
    'two lengths',
    `Cookie: ${canaryOf('cookie')}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n`,
    400,
  ],
]

async function start(t: Parameters<typeof startEndpoints>[0]) {
  const { port, observations } = await startEndpoints(t, {
    endpoints: [
      endpoint('POST', 'open'),
      endpoint('POST', 'fails'),
      endpoint('POST', 'closed', { requiresAuthentication: true, allowedRoles: ['admin'] }),
      endpoint('POST', 'signed', { signature: { style: 'github', secret: 'signing' } }),
      endpoint('POST', 'unset', { signature: { style: 'github', secret: 'nothing' } }),
    ],
    script: (job) => {
      if (job.endpoint.name === 'Name of fails') throw new TypeError('a defect')
      return {}
    },
  })
  const isAnswered = ({ kind }: { readonly kind: string }) => kind === 'request-answered'
  /** Sends the text, and returns the status and everything that was logged and observed of it. */
  const send = async (text: string) => {
    observations.length = 0
    const answer = await exchange(port, text)
    await until(() => observations.some(isAnswered))
    const lines: string[] = []
    const write = (more: string) => void lines.push(more)
    const logger = createLogger({ level: 'debug', format: 'json', destination: { write } })
    const observe = createObserver({ logger, metrics: createMetrics() })
    for (const observation of observations) observe(observation)
    await until(() => lines.join('').includes('"msg":"request"'))
    return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]), log: lines.join('') }
  }
  return send
}

const hasNone = (text: string) => {
  for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} in ${text}`)
}

describe('the log has no credential', () => {
  for (const [what, { line, more, body }, values, expected] of requests) {
    it(`of a request that ends with ${expected} for ${what}`, async (t) => {
      const send = await start(t)
      for (const spell of spellings) {
        const head = `${line}\r\nHost: x\r\nConnection: close\r\n${everything(values, spell)}${more}\r\n`
        const { status, log } = await send(head + body)
        assert.equal(status, expected, log)
        hasNone(log)
      }
    })
  }

  for (const [what, head, expected] of malformed) {
    it(`of what is no request because of ${what}`, async (t) => {
      const send = await start(t)
      const { status, log } = await send(
        `GET ${LIST} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${head}\r\n`,
      )
      assert.equal(status, expected, log)
      hasNone(log)
    })
  }
})
