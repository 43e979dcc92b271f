/** Requests of scripts to a real server on this machine that answers well, badly, slowly or not at all. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it, type TestContext } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { targetTooSlow } from '../../../outbound/problems.ts'
import type { SendRequest } from '../../../outbound/send-request.ts'
import { targetRules } from '../../../outbound/target.ts'
import { openRuns, type Runs } from '../../testing/open-runs.ts'
import { outboundServices } from '../../testing/outbound-services.ts'

const SECRET = 'canary-4f1b9c6e2d'

type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string }

let runs: Runs
let port: number
let seen: Seen[] = []
let listener: RequestListener

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { method = '', url = '', headers } = request
  seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
  listener(request, response)
})

before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
  runs = await openRuns()
  await runs.store.secrets.set('erp-token', { value: SECRET }, 'test')
})
after(async () => {
  server.closeAllConnections()
  server.close()
  await runs.close()
})

/** A second server, which answers 200 until it is told to redirect. */
async function anotherServer(test: TestContext) {
  const asked: string[] = []
  const headers: IncomingMessage['headers'][] = []
  let location = ''
  const other = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    headers.push(request.headers)
    asked.push(`${request.method} ${request.url} ${Buffer.concat(chunks)}`)
    response.writeHead(location === '' ? 200 : 307, location === '' ? {} : { Location: location }).end()
  }).listen(0, '127.0.0.1')
  await once(other, 'listening')
  test.after(() => {
    other.closeAllConnections()
    other.close()
  })
  const leadsTo = (url: string) => {
    location = url
  }
  return { port: (other.address() as AddressInfo).port, asked, headers, leadsTo }
}

/** Starts with an empty list of requests. */
function answering(given: RequestListener): void {
  seen = []
  listener = given
}

const json = (response: ServerResponse, value: unknown, status = 200) =>
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))

const asked = (more: object = {}) => ({ allowedHosts: [`127.0.0.1:${port}`], ...more })

/** The value of `HttpRequest` with these members, `AT` standing for the address of the server. */
const ask = async (members: string, more: object = {}) =>
  (await runs.answer(
    `HttpRequest({${members.replaceAll('AT', `http://127.0.0.1:${port}`)}})`,
    asked(more),
  )) as {
    readonly status: number
    readonly headers: Record<string, string>
    readonly body: string | null
    readonly bodyBase64: string | null
    readonly json: unknown
    readonly error: { readonly code: string; readonly message: string } | null
  }

/** Why the run failed. */
async function failure(members: string, more: object = {}) {
  const script = `Data._payload = HttpRequest({${members.replaceAll('AT', `http://127.0.0.1:${port}`)}})`
  const { execution } = await runs.run(script, asked(more))
  assert.equal(execution?.status, 'Failed')
  return `${execution?.error?.code} ${execution?.error?.message}`
}

describe('HttpRequest', () => {
  it('sends method, path, query, headers and a value as JSON, and returns all of the answer', async () => {
    answering((_request, response) => {
      response.writeHead(201, { 'Content-Type': 'application/json', 'X-Two': ['a', 'b'] })
      response.end('{"id":7,"name":"\u00e9"}')
    })
    const answer = await ask(
      'method: "post", url: "AT/orders?x=1", headers: {"X-Id": 5, "X-Not": null}, body: {a: [1, "\u00e9"]}',
    )
    const [request] = seen
    assert.deepEqual(
      [request?.method, request?.url, request?.body],
      ['POST', '/orders?x=1', '{"a":[1,"\u00e9"]}'],
    )
    assert.equal(request?.headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(request?.headers['x-id'], '5')
    assert.ok(!('x-not' in (request?.headers ?? {})))
    assert.deepEqual(
      [answer.status, answer.headers['x-two'], answer.body, answer.json, answer.error],
      [201, 'a, b', '{"id":7,"name":"\u00e9"}', { id: 7, name: '\u00e9' }, null],
    )
  })

  it('sends a text as it is, with the content type of the script, and bytes of base64', async () => {
    answering((_request, response) => void response.writeHead(204).end())
    const empty = await ask('method: "PUT", url: "AT/a", headers: {"Content-Type": "text/csv"}, body: "a;b"')
    await ask('method: "PUT", url: "AT/b", bodyBase64: "AAEC"')
    assert.deepEqual(
      seen.map(({ headers, body }) => [headers['content-type'], body]),
      [
        ['text/csv', 'a;b'],
        ['application/octet-stream', '\0\u0001\u0002'],
      ],
    )
    assert.deepEqual([empty.status, empty.body, empty.json], [204, '', null])
  })

  it('reads other charsets, bytes, and a body that only claims to be JSON', async () => {
    const bodies: readonly (readonly [type: string, body: Buffer])[] = [
      ['text/plain; charset=iso-8859-1', Buffer.from([0xe9])],
      ['image/png', Buffer.from([1, 2, 3])],
      ['application/json', Buffer.from('{"a":')],
    ]
    answering((_request, response) => {
      const [type, body] = bodies[seen.length - 1] as (typeof bodies)[number]
      response.writeHead(200, { 'Content-Type': type }).end(body)
    })
    const told = async () => {
      const { body, bodyBase64, json } = await ask('url: "AT/"')
      return [body, bodyBase64, json]
    }
    assert.deepEqual(await told(), ['\u00e9', null, null])
    assert.deepEqual(await told(), [null, 'AQID', null])
    assert.deepEqual(await told(), ['{"a":', null, null])
  })

  it('returns an error without an answer, which the script can handle', async () => {
    answering((request) => void request.socket.destroy())
    const broken = await ask('url: "AT/"')
    assert.deepEqual([broken.status, broken.body, broken.error?.code], [0, null, 'OUT111'])
    answering(() => undefined)
    const silent = await ask('url: "AT/", timeoutMs: 40')
    assert.deepEqual([silent.status, silent.error?.code], [0, 'OUT112'])
  })

  it('leaves time for the script when its timeout is longer than the run', async () => {
    const given: number[] = []
    const send: SendRequest = async ({ timeoutMs }) => {
      given.push(timeoutMs)
      throw targetTooSlow('127.0.0.1', timeoutMs, null)
    }
    const waiting = await openRuns({ outbound: outboundServices({ send }) })
    try {
      const script = `HttpRequest({url: "http://127.0.0.1:${port}/", timeoutMs: 60000})`
      const began = performance.now()
      const answer = await waiting.answer(script, asked({ limits: { milliseconds: 30_000 } }))
      const tookMs = performance.now() - began
      assert.equal((answer as { error: { code: string } }).error.code, 'OUT112')
      assert.equal(given.length, 1)
      const [timeoutMs = 0] = given
      // A quarter of a second of the run is kept. What this machine took to begin is also missing, and twice less than 1 ms:
      // the time of the run and the time of the request are both rounded down.
      assert.ok(timeoutMs <= 29_750 && timeoutMs > 29_748 - tookMs, `${timeoutMs} ms after ${tookMs} ms`)
    } finally {
      await waiting.close()
    }
  })

  it('ends its request when the run is cancelled', async () => {
    const cancellation = new AbortController()
    const { promise: isClosed, resolve: closed } = Promise.withResolvers<void>()
    answering((request) => {
      request.socket.once('close', () => closed())
      cancellation.abort('stopped')
    })
    const script = `HttpRequest({url: "http://127.0.0.1:${port}/"})`
    const { execution } = await runs.run(script, asked({ cancellation: cancellation.signal }))
    assert.equal(execution?.status, 'Cancelled')
    await isClosed
  })

  it('refuses arguments of another form before anything is sent', async () => {
    answering((_request, response) => void response.end())
    for (const [members, expected] of [
      ['', /JM5104 .*a text as url/],
      ['url: 5', /JM5104 .*a text as url/],
      ['url: "AT/", methd: "GET"', /JM5920 .*but not 'methd'/],
      ['url: "AT/", method: "TRACE"', /JM5104 .*GET, HEAD/],
      ['url: "AT/", body: "a"', /JM5920 .*no body with GET/],
      ['url: "AT/", method: "PUT", body: "a", bodyBase64: "AA=="', /JM5920 .*not both/],
      ['url: "AT/", method: "PUT", bodyBase64: "?"', /JM5920 .*base64/],
      ['url: "AT/", headers: {"x y": "1"}', /JM5920 .*'x y' is not the name of a header/],
      ['url: "AT/", headers: {host: "b.example"}', /JM5920 .*'host' is set by the service/],
      ['url: "AT/", headers: {"Tripfolio-Call-Depth": "1"}', /JM5920 .*'tripfolio-call-depth' is set by/],
      ['url: "AT/", headers: {a: "b\\nc: d"}', /JM5920 .*line end/],
      ['url: "AT/", headers: {a: "1", A: "2"}', /JM5920 .*twice/],
      ['url: "AT/", headers: {a: []}', /JM5104 .*texts as headers/],
      ['url: "AT/", secretHeaders: {a: "erp-token"}', /JM5920 .*secretHeaders\.a .*in braces/],
      ['url: "AT/", timeoutMs: 0', /JM5104 .*1 to 300000/],
      ['url: "AT/", retries: 6', /JM5104 .*0 to 5/],
      ['url: "AT/", followRedirects: "yes"', /JM5104 .*true or false/],
      ['url: "AT/", method: "POST", retries: 1', /JM5920 .*carried out twice.*Idempotency-Key.*\(END183\)/],
    ] as const) {
      assert.match(await failure(members), expected, members)
    }
    assert.equal(seen.length, 0)
  })
})

describe('an answer with content codings that nobody asked for', () => {
  const text = '{"reference": "R-1"}'
  const zstdTwice = Buffer.concat([zstdCompressSync('{"reference": '), zstdCompressSync('"R-1"}')])
  const readable: readonly (readonly [coding: string, body: Buffer])[] = [
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP', Buffer.concat([gzipSync('{"reference": '), gzipSync('"R-1"}')])],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstdCompressSync(text)],
    ['zstd', zstdTwice],
    ['deflate, gzip', gzipSync(deflateSync(text))],
    ['identity, br , gzip', gzipSync(brotliCompressSync(text))],
    ['identity', Buffer.from(text)],
    ['', Buffer.from(text)],
  ]
  const send = (coding: string, body: Buffer, type = 'application/json') =>
    answering((_request, response) =>
      response.writeHead(200, { 'Content-Type': type, 'Content-Encoding': coding }).end(body),
    )

  for (const [coding, body] of readable) {
    it(`is read: ${coding}, ${body.length} bytes`, async () => {
      send(coding, body)
      const answer = await ask('url: "AT/"')
      assert.equal(seen[0]?.headers['accept-encoding'], 'identity')
      assert.deepEqual([answer.status, answer.body, answer.json], [200, text, { reference: 'R-1' }])
      assert.deepEqual([answer.bodyBase64, answer.error], [null, null])
      for (const name of coding === '' ? [] : ['content-encoding', 'content-length'])
        assert.ok(!(name in answer.headers), name)
    })
  }

  const pdf = Buffer.from('%PDF')
  it('is read also when it is a file, and when it has no body', async () => {
    send('gzip', gzipSync(pdf), 'application/pdf')
    assert.equal((await ask('url: "AT/"')).bodyBase64, pdf.toString('base64'))
    send('gzip', Buffer.alloc(0))
    const empty = await ask('url: "AT/", method: "HEAD"')
    assert.deepEqual([empty.status, empty.body, empty.error], [200, '', null])
  })

  const unreadable: readonly (readonly [coding: string, body: Buffer, message: RegExp])[] = [
    ['compress', Buffer.from('x'), /content coding 'compress', which is not known here/],
    ['gzip, aws-chunked', Buffer.from('x'), /content coding 'aws-chunked', which is not known here/],
    [
      'gzip',
      Buffer.from(text),
      /content coding 'gzip', which does not fit its bytes: incorrect header check/,
    ],
    ['gzip', gzipSync(text).subarray(0, -9), /does not fit its bytes: unexpected end of file/],
    ['deflate', deflateSync(text).subarray(0, -1), /does not fit its bytes/],
    ['deflate', Buffer.concat([deflateSync(text), pdf]), /does not fit its bytes/],
    ['br', brotliCompressSync(text).subarray(0, -1), /does not fit its bytes/],
    ['br', Buffer.concat([brotliCompressSync(text), pdf]), /does not fit its bytes/],
    ['zstd', zstdTwice.subarray(0, -1), /does not fit its bytes/],
    ['zstd', Buffer.concat([zstdCompressSync(text), pdf]), /does not fit its bytes/],
    ['gzip,gzip,gzip,gzip,gzip', gzipSync(text), /which names more than 4 of them/],
  ]
  for (const [coding, body, message] of unreadable) {
    it(`has an error when it cannot be read: ${coding}, ${body.length} bytes`, async () => {
      send(coding, body)
      const { status, body: got, json, bodyBase64, error } = await ask('url: "AT/"')
      assert.deepEqual([status, got, json, bodyBase64, error?.code], [200, null, null, null, 'END215'])
      assert.match(error?.message ?? '', message)
    })
  }

  const zeros = Buffer.alloc(4 * 2 ** 20)
  const bombs: readonly (readonly [coding: string, body: Buffer])[] = [
    ['gzip', gzipSync(zeros)],
    ['deflate', deflateSync(zeros)],
    ['br', brotliCompressSync(zeros)],
    ['zstd', zstdCompressSync(zeros)],
    ['gzip, gzip', gzipSync(gzipSync(zeros))],
    ['zstd', Buffer.concat(Array.from({ length: 8 }, () => zstdCompressSync(zeros.subarray(0, 2 ** 19))))],
  ]
  for (const [coding, body] of bombs) {
    it(`meets the limit of the run with what it grows to: ${coding}, ${body.length} bytes`, async () => {
      const { limits } = outboundServices()
      const small = await openRuns({
        outbound: outboundServices({ limits: { ...limits, httpBytes: 2 ** 20 } }),
      })
      try {
        send(coding, body)
        const url = `url: "http://127.0.0.1:${port}/"`
        const script = `var first = HttpRequest({${url}})\nData._payload = first\nHttpRequest({${url}})`
        const { execution, response } = await small.run(script, asked())
        // The second request finds nothing left to read.
        assert.match(execution?.error?.message ?? '', /END181/, String(response.body))
        assert.equal(execution?.sent.httpReadBytes, 2 ** 20)
        assert.match(JSON.stringify(execution?.log), /OUT115/)
      } finally {
        await small.close()
      }
    })
  }
})

describe('the target of a request', () => {
  it('must be in allowedHosts, and the message says what to add', async () => {
    answering((_request, response) => void response.end())
    const expected = new RegExp(
      `may not send requests to 127\\.0\\.0\\.1:${port}\\. Add '127\\.0\\.0\\.1:${port}' to allowedHosts .*\\(OUT114\\)`,
    )
    assert.match(await failure('url: "AT/"', { allowedHosts: [] }), expected)
    assert.match(await failure('url: "AT/"', { allowedHosts: ['127.0.0.1'] }), expected)
    assert.equal(seen.length, 0)
  })

  it('must be public and https unless the operator trusts it, also when the endpoint allows it', async () => {
    const strict = await openRuns({ outbound: outboundServices({ targets: targetRules(undefined) }) })
    try {
      for (const [url, expected] of [
        ['http://erp.example.com/', /begins with https/],
        ['https://127.0.0.1/', /not on the public internet\..*trustedHosts/],
        ['https://0x7f000001/', /not on the public internet/],
        ['https://169.254.169.254/', /not on the public internet/],
        ['https://[::ffff:10.0.0.1]/', /not on the public internet/],
        ['https://user:pw@erp.example.com/', /without user and password/],
        ['file:///etc/passwd', /begins with https/],
      ] as const) {
        const allowedHosts = ['*.example.com', '127.0.0.1', '169.254.169.254', '[::ffff:a00:1]']
        const { execution } = await strict.run(`HttpRequest({url: "${url}"})`, { allowedHosts })
        assert.match(execution?.error?.message ?? '', expected, url)
      }
    } finally {
      await strict.close()
    }
  })
})

describe('redirects', () => {
  it('are answers unless the script asks to follow them', async () => {
    answering(({ url }, response) => {
      if (url === '/end') json(response, { at: 'end' })
      else response.writeHead(302, { Location: '/end' }).end()
    })
    const kept = await ask('url: "AT/"')
    assert.deepEqual([kept.status, kept.headers.location, seen.length], [302, '/end', 1])
    const followed = await ask('url: "AT/", followRedirects: true')
    assert.deepEqual([followed.status, followed.json, seen.length], [200, { at: 'end' }, 3])
  })

  it('are followed only to where the endpoint may send requests, and five times', async () => {
    answering(({ url }, response) => {
      const location =
        url === '/away' ? 'http://127.0.0.2/' : url === '/private' ? 'https://10.0.0.1/' : '/again'
      response.writeHead(307, { Location: location }).end()
    })
    assert.equal((await ask('url: "AT/away", followRedirects: true')).error?.code, 'OUT101')
    assert.equal((await ask('url: "AT/private", followRedirects: true')).error?.code, 'OUT102')
    assert.equal(seen.length, 2)
    assert.equal((await ask('url: "AT/again", followRedirects: true')).error?.code, 'OUT113')
    assert.equal(seen.length, 2 + 6)
  })

  it('never lead to a host that allowedHosts does not name, although the operator trusts it', async (test) => {
    const [listed, other] = [await anotherServer(test), await anotherServer(test)]
    const more = { allowedHosts: [`127.0.0.1:${port}`, `127.0.0.1:${listed.port}`] }
    answering(({ url }, response) => {
      const to = url === '/listed' ? listed : other
      response.writeHead(307, { Location: `http://127.0.0.1:${to.port}${url}` }).end()
    })
    const posted = 'method: "POST", body: {secret: 1}, followRedirects: true'
    assert.equal((await ask(`url: "AT/listed", ${posted}`, more)).status, 200)
    assert.deepEqual(listed.asked, ['POST /listed {"secret":1}'])
    const refused = await ask(`url: "AT/other", ${posted}`, more)
    assert.deepEqual([refused.status, refused.error?.code], [0, 'OUT114'])
    // Nor by way of a host that is allowed.
    listed.leadsTo(`http://127.0.0.1:${other.port}/`)
    assert.equal((await ask(`url: "AT/listed", ${posted}`, more)).error?.code, 'OUT114')
    assert.deepEqual(other.asked, [])
  })

  it('take no credential to another host, however it is named, nor to another port of the same', async (test) => {
    const other = await anotherServer(test)
    answering((_request, response) => {
      response.writeHead(307, { Location: `http://127.0.0.1:${other.port}/` }).end()
    })
    const headers = '{"Authorization": "a", "Cookie": "b", "X-Id": "c"}'
    const secretHeaders = '{"X-Mine": "{erp-token}"}'
    await ask(`url: "AT/", headers: ${headers}, secretHeaders: ${secretHeaders}, followRedirects: true`, {
      allowedHosts: [`127.0.0.1:${port}`, `127.0.0.1:${other.port}`],
    })
    assert.equal(seen[0]?.headers['x-mine'], SECRET)
    const [received = {}] = other.headers
    assert.deepEqual(
      ['authorization', 'cookie', 'x-mine', 'x-id'].map((name) => received[name]),
      [undefined, undefined, undefined, 'c'],
    )
  })
})

describe('retries', () => {
  it('send again what may pass, until it succeeds', async () => {
    answering((request, response) => {
      if (seen.length === 1) request.socket.destroy()
      else if (seen.length === 2) response.writeHead(503, { 'Retry-After': '0' }).end()
      else json(response, { attempt: seen.length })
    })
    assert.deepEqual((await ask('url: "AT/", retries: 3')).json, { attempt: 3 })
  })

  it('end with the last answer, and are not made for answers that will not pass', async () => {
    answering((_request, response) => void response.writeHead(502).end())
    assert.equal((await ask('url: "AT/", retries: 1')).status, 502)
    assert.equal(seen.length, 2)
    for (const status of [200, 400, 404, 500]) {
      answering((_request, response) => void response.writeHead(status).end())
      assert.equal((await ask('url: "AT/", retries: 1')).status, status)
      assert.equal(seen.length, 1)
    }
  })

  it('are made for a POST with an Idempotency-Key, which stays the same', async () => {
    answering((_request, response) => void response.writeHead(seen.length === 1 ? 503 : 201).end())
    const request = 'method: "POST", url: "AT/", headers: {"Idempotency-Key": "k-1"}, body: {}, retries: 1'
    assert.equal((await ask(request)).status, 201)
    assert.deepEqual(
      seen.map(({ headers }) => headers['idempotency-key']),
      ['k-1', 'k-1'],
    )
  })

  it('are not waited for longer than the run lasts', async () => {
    answering((_request, response) => void response.writeHead(429, { 'Retry-After': '3600' }).end())
    assert.equal((await ask('url: "AT/", retries: 5')).status, 429)
    assert.equal(seen.length, 1)
  })
})

describe('limits', () => {
  const limited = async (limits: object, script: string) => {
    const services = outboundServices()
    const outbound = outboundServices({ limits: { ...services.limits, ...limits } })
    const own = await openRuns({ outbound })
    try {
      const { execution, response } = await own.run(
        script.replaceAll('AT', `http://127.0.0.1:${port}`),
        asked(),
      )
      return { execution, response }
    } finally {
      await own.close()
    }
  }

  it('end a run that sends too many requests; retries count', async () => {
    answering((_request, response) => void response.writeHead(503).end())
    const script = 'HttpRequest({url: "AT/", retries: 5})\nHttpRequest({url: "AT/"})'
    const { execution } = await limited({ httpRequests: 2 }, script)
    assert.match(
      execution?.error?.message ?? '',
      /at most 2 HTTP requests\. .*httpRequestsPerRun\. \(END180\)/,
    )
    assert.equal(execution?.error?.line, 2)
    assert.equal(seen.length, 2)
    assert.equal(execution?.sent.httpRequests, 2)
  })

  it('count the requests of redirects, and none is followed beyond them', async () => {
    answering((_request, response) => response.writeHead(307, { Location: '/on' }).end())
    const script =
      'var a = HttpRequest({url: "AT/", followRedirects: true})\nData._payload = [a.status, a.error.code]'
    const { execution, response } = await limited({ httpRequests: 3 }, script)
    assert.equal(response.body, '[0,"END180"]')
    assert.deepEqual([seen.length, execution?.sent.httpRequests], [3, 3])
  })

  it('leave for an answer what those before have not taken', async () => {
    answering((_request, response) => void response.end('x'.repeat(1000)))
    const once = 'var a = HttpRequest({url: "AT/"})'
    const script = `${once}\nvar b = HttpRequest({url: "AT/"})\nData._payload = [a.error, b.error.code]`
    const { execution, response } = await limited({ httpBytes: 1500 }, script)
    assert.equal(response.body, '[null,"OUT115"]')
    assert.equal(execution?.sent.httpReadBytes, 1500)
  })

  it('are used up by their last byte, by bodies as by answers, and end retries', async () => {
    answering((_request, response) => void response.end('x'.repeat(1000)))
    const once = 'HttpRequest({url: "AT/"})'
    const all = await limited({ httpBytes: 1000 }, `var a = ${once}\nif a.error == null then ${once} end`)
    assert.match(all.execution?.error?.message ?? '', /at most 1000 bytes\..*\(END181\)/)
    assert.equal(seen.length, 1)
    const put = (more: string) =>
      `HttpRequest({url: "AT/", method: "PUT", body: PadLeft("", 1000, "x")${more}})`
    const both = await limited({ httpBytes: 1500 }, `Data._payload = ${put('')}.error.code`)
    assert.deepEqual([both.response.body, both.execution?.sent.httpReadBytes], ['"OUT115"', 500])
    answering((_request, response) => void response.writeHead(503, { 'Retry-After': '0' }).end())
    const repeated = await limited({ httpBytes: 2500 }, `Data._payload = ${put(', retries: 5')}.status`)
    assert.deepEqual([repeated.response.body, seen.length], ['503', 2])
  })

  it('let a request have 50 headers', async () => {
    answering((_request, response) => void response.end())
    const headers = (count: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, 'a'])))
    assert.equal((await ask(`url: "AT/", headers: ${headers(50)}`)).status, 200)
    assert.match(await failure(`url: "AT/", headers: ${headers(51)}`), /at most 50 headers/)
  })

  it('refuse an answer and a body that are too large', async () => {
    answering((_request, response) => void response.end('x'.repeat(2000)))
    const read = await limited(
      { httpBytes: 1500 },
      'var a = HttpRequest({url: "AT/"})\nData._payload = [a.status, a.error.code]',
    )
    assert.equal(read.response.body, '[200,"OUT115"]')
    assert.deepEqual(read.execution?.sent.httpReadBytes, 1500)
    const written = await limited(
      { httpBytes: 1500 },
      'HttpRequest({url: "AT/", method: "PUT", body: PadLeft("x", 2000, "x")})',
    )
    assert.match(written.execution?.error?.message ?? '', /at most 1500 bytes\..*\(END181\)/)
    assert.equal(seen.length, 1)
  })
})

describe('secretHeaders', () => {
  it('send secrets that the script never sees, and that nothing records', async () => {
    // Nothing but the value tells that it is a secret: `Bearer` before it would.
    answering((request, response) => json(response, { echo: request.headers['x-both'] }))
    const script = `
      var a = HttpRequest({
        method: "POST", url: "http://127.0.0.1:${port}/a?key=${SECRET}",
        secretHeaders: {"Authorization": "Bearer {ERP-Token}", "X-Both": "{erp-token}:{erp-token}"},
        body: {kept: 1}
      })
      Log("Information", "answered " + a.body)
      Data._payload = a.json
      HttpRequest({url: "http://127.0.0.1:1/", timeoutMs: 2000})`
    runs.observations.length = 0
    const { execution, response } = await runs.run(
      script,
      asked({ allowedHosts: [`127.0.0.1:${port}`, '127.0.0.1:1'] }),
    )
    assert.equal(execution?.status, 'Success', JSON.stringify(execution?.error))
    assert.equal(seen[0]?.headers.authorization, `Bearer ${SECRET}`)
    assert.equal(seen[0]?.headers['x-both'], `${SECRET}:${SECRET}`)
    assert.ok(response.body?.includes(SECRET))
    assert.ok(!JSON.stringify([execution, runs.observations]).includes(SECRET))
    // The body of a request is in no log either.
    assert.ok(!JSON.stringify([execution?.log, runs.observations]).includes('kept'))
    const lines = execution?.log.map(({ level, message }) => `${level} ${message.replace(/\d+ ms/, 'N ms')}`)
    assert.deepEqual(lines?.[0], 'Debug HttpRequest POST 127.0.0.1 in N ms: 200')
    assert.match(lines?.[2] ?? '', /^Warning HttpRequest GET 127\.0\.0\.1 in N ms: OUT111 .*ECONNREFUSED/)
  })

  it('that name no stored secret end the run before anything is sent', async () => {
    answering((_request, response) => void response.end())
    const members = 'url: "AT/", secretHeaders: {Authorization: "Bearer {nothing}"}'
    assert.match(await failure(members), /no active secret 'nothing'\. Store it .*\(END182\)/)
    await runs.store.secrets.set('broken', { value: `${SECRET}\r\nx-evil: 1` }, 'test')
    const broken = await failure('url: "AT/", secretHeaders: {Authorization: "{broken}"}')
    assert.match(broken, /'authorization' has a value with a line end/)
    assert.ok(!broken.includes(SECRET))
    assert.equal(seen.length, 0)
  })

  it('do not follow a redirect to another host', async () => {
    const other = createServer((request, response) => json(response, request.headers))
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    const elsewhere = (other.address() as AddressInfo).port
    try {
      answering((_request, response) => {
        response.writeHead(307, { Location: `http://127.0.0.1:${elsewhere}/` }).end()
      })
      const members =
        'url: "AT/", followRedirects: true, headers: {"X-Id": "1", "X-Api-Key": "k"}, secretHeaders: {"X-Mine": "{erp-token}"}'
      const { json: headers } = await ask(members, {
        allowedHosts: [`127.0.0.1:${port}`, `127.0.0.1:${elsewhere}`],
      })
      const names = Object.keys(headers as object)
      assert.ok(names.includes('x-id') && !names.includes('x-mine') && !names.includes('x-api-key'))
    } finally {
      other.closeAllConnections()
      other.close()
    }
  })
})

describe('the record of a run', () => {
  it('counts requests and bytes, and the service learns the outcomes', async () => {
    answering(({ url }, response) => void response.writeHead(url === '/no' ? 404 : 200).end('abc'))
    runs.observations.length = 0
    const at = `http://127.0.0.1:${port}`
    const script = `HttpRequest({method: "PUT", url: "${at}/a", body: "12345"})\nHttpRequest({url: "${at}/no"})`
    const { execution } = await runs.run(script, asked())
    assert.deepEqual(execution?.sent, {
      httpRequests: 2,
      httpSentBytes: 5,
      httpReadBytes: 6,
      mails: 0,
      mailRecipients: 0,
    })
    const sent = runs.observations.find(({ kind }) => kind === 'script-sent')
    assert.deepEqual(sent?.kind === 'script-sent' && [...sent.httpOutcomes], [
      ['2xx', 1],
      ['4xx', 1],
    ])
  })
})

describe('a dry run', () => {
  const trial = (script: string, sampleAnswers: object[] = [], allowedHosts = ['erp.example.com']) =>
    runs.run(script, { type: 'Test', allowedHosts, sampleAnswers: sampleAnswers as never })

  it('sends nothing, lists what it held back, and answers 202', async () => {
    const { response, dryRunWrites, execution } = await trial(`
      var a = HttpRequest({method: "POST", url: "https://erp.example.com/o?a=1", body: {n: 1}, secretHeaders: {"X-Mine": "{unknown}"}})
      Data._payload = [a.status, a.body, a.json, a.error]`)
    assert.equal(response.body, '[202,"",null,null]')
    assert.deepEqual(dryRunWrites, [
      {
        action: 'http.request',
        subjectId: 'erp.example.com',
        before: null,
        after: {
          method: 'POST',
          url: 'https://erp.example.com/o?a=1',
          headers: { 'content-type': 'application/json; charset=utf-8', 'x-mine': '{unknown}' },
          body: { n: 1 },
        },
      },
    ])
    assert.match(execution?.log[0]?.message ?? '', /held back: 202$/)
  })

  it('answers from the sample: by method and URL, one after another', async () => {
    const script = `
      var told = []
      foreach i in [1, 2, 3] do
        told.add(HttpRequest({url: "https://erp.example.com/orders/7?a=b"}).json)
      end
      told.add(HttpRequest({method: "DELETE", url: "https://erp.example.com/orders/7"}).body)
      Data._payload = told`
    const { response } = await trial(script, [
      { method: 'get', url: 'https://erp.example.com/orders/*', body: { n: 1 } },
      { method: 'GET', url: 'https://*.example.com/*?a=b', body: { n: 2 } },
      {
        url: 'https://erp.example.com/orders/7',
        rawBody: 'gone',
        headers: { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' },
      },
    ])
    assert.equal(response.body, '[{"n":1},{"n":2},{"n":2},"gone"]')
  })

  it('can fail, redirect and be repeated as the real one', async () => {
    const script = `
      var a = HttpRequest({url: "https://erp.example.com/a", retries: 2, followRedirects: true})
      var b = HttpRequest({url: "https://erp.example.com/b"})
      Data._payload = [a.json, b.status, b.error.code]`
    const { response, dryRunWrites } = await trial(script, [
      { url: 'https://erp.example.com/a', failure: 'unreachable' },
      { url: 'https://erp.example.com/a', status: 302, headers: { Location: '/c' } },
      { url: 'https://erp.example.com/b', failure: 'timeout' },
      { url: 'https://erp.example.com/c', body: 'moved' },
    ])
    assert.equal(response.body, '["moved",0,"OUT112"]')
    assert.equal(dryRunWrites.length, 4)
  })

  it('refuses what the real one refuses, also without a network', async () => {
    const { execution } = await trial('HttpRequest({url: "https://other.example.com/"})')
    assert.match(execution?.error?.message ?? '', /Add 'other\.example\.com' to allowedHosts/)
    const plain = await trial('HttpRequest({url: "http://erp.example.com/"})')
    assert.match(plain.execution?.error?.message ?? '', /begins with https/)
  })
})
