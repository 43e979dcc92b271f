/**
 * Bytes that are not UTF-8 are refused wherever a caller can put them: decoded to U+FFFD, different texts would become the
 * same one, in payloads, in the history and in other systems. And a body reaches the script as it was sent.
 */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { type Admin, startAdmin } from './start-admin.ts'
import { type Endpoints, type Published, startEndpoints } from './start-endpoints.ts'
import { type Service, startService } from './start-service.ts'

/** Sends bytes as they are, which fetch does not; each character of the text is one byte. */
async function sendBytes(url: string, text: string): Promise<{ status: number; body: string }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(Buffer.from(text, 'latin1'))
  const received: Buffer[] = []
  for await (const chunk of socket) received.push(chunk)
  const answer = Buffer.concat(received).toString()
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]),
    body: answer.slice(answer.indexOf('\r\n\r\n') + 4),
  }
}

/** Latin-1, a cut character, an overlong one, half of a surrogate pair. */
const notUtf8 = ['\xe9', '\xe2\x82', '\xc0\x80', '\xed\xa0\x80'] as const
const escaped = (bytes: string): string =>
  [...bytes].map((byte) => `%${byte.charCodeAt(0).toString(16)}`).join('')
/** Also what is no escape at all. */
const badEscapes = [...notUtf8.map(escaped), '%', '%z', '%zz', '%C3%zz'] as const

describe('bytes that are not UTF-8, sent to a dynamic endpoint,', () => {
  let endpoints: Endpoints
  let endpoint: Published
  let path: string
  before(async () => {
    endpoints = await startEndpoints()
    endpoint = await endpoints.publish(
      'Data._payload = [Data.request.body, Data.request.query, Data.request.params, Data.request.headers["x-payer"]]',
      { path: 'echo/{name}' },
    )
    path = '/api/dynamic/v1/echo/'
  })
  after(() => endpoints.close())

  const post = (address: string, headers: string, body: string) =>
    sendBytes(
      endpoint.url,
      `POST ${address} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`,
    )
  const typed = (type: string) => `Content-Type: ${type}\r\n`
  const form = typed('application/x-www-form-urlencoded')
  const multipart = typed('multipart/form-data; boundary=b')

  const places: readonly (readonly [
    place: string,
    texts: readonly string[],
    send: (text: string) => ReturnType<typeof post>,
  ])[] = [
    ['a segment of the path', badEscapes, (text) => post(`${path}a${text}`, '', '')],
    ['a value of the query', badEscapes, (text) => post(`${path}x?payer=${text}`, '', '')],
    ['a name of the query', badEscapes, (text) => post(`${path}x?${text}=1`, '', '')],
    ['an escaped value of a form', badEscapes, (text) => post(`${path}x`, form, `a=1&payer=${text}`)],
    ['an escaped name of a form', badEscapes, (text) => post(`${path}x`, form, `a=1&${text}`)],
    ['a raw value of a form', notUtf8, (text) => post(`${path}x`, form, `payer=${text}`)],
    ['JSON', notUtf8, (text) => post(`${path}x`, typed('application/json'), `{"payer":"${text}"}`)],
    ['a text', notUtf8, (text) => post(`${path}x`, typed('text/plain'), text)],
    [
      'a part of a multipart body',
      notUtf8,
      (text) =>
        post(
          `${path}x`,
          multipart,
          `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${text}\r\n--b--\r\n`,
        ),
    ],
    ['a header', notUtf8, (text) => post(`${path}x`, `X-Payer: ${text}\r\n`, '')],
  ]
  for (const [place, texts, send] of places) {
    it(`in ${place} are refused with 400`, async () => {
      for (const text of texts) {
        const { status, body } = await send(text)
        assert.equal(status, 400, JSON.stringify(text))
        assert.match(body, /UTF-8|percent-encoding/)
        assert.ok(!body.includes('\ufffd'), body)
      }
      const { items } = await endpoints.history.list({ endpointId: endpoint.id }, { limit: 500 })
      assert.deepEqual(
        items.filter(({ status }) => status !== 'Refused'),
        [],
      )
    })
  }

  it('are told from UTF-8, which each of these places takes', async () => {
    const utf8 = Buffer.from('André €').toString('latin1')
    const { status, body } = await post(
      `${path}a%C3%A9?p=%C3%A9&q`,
      `${form}X-Payer: ${utf8}\r\n`,
      `payer=Andr%C3%A9+%E2%82%AC&raw=${utf8}&discount=5%25`,
    )
    assert.equal(status, 200)
    assert.deepEqual(JSON.parse(body), [
      { payer: 'André €', raw: 'André €', discount: '5%' },
      { p: 'é', q: '' },
      { name: 'aé' },
      'André €',
    ])
  })

  it('do not make two deliveries the same', async () => {
    const { url } = await endpoints.publish('Data._payload = 1', {
      deduplication: { field: '/id', windowSeconds: 60 },
    })
    const address = new URL(url).pathname
    for (const id of ['%E9', '%E8']) assert.equal((await post(address, form, `id=${id}`)).status, 400)
  })
})

describe('escapes that are not UTF-8, in a query of', () => {
  let admin: Admin
  let service: Service
  before(async () => {
    admin = await startAdmin()
    service = await startService()
  })
  after(async () => {
    await admin.close()
    await service.close()
  })

  for (const text of badEscapes) {
    it(`the admin API are refused with 400: ${text}`, async () => {
      for (const address of [`?search=${text}`, `?${text}=1`, `/${text}`]) {
        const { status, body } = await admin.send('GET', `/accounts${address}`)
        assert.equal(status, 400, address)
        assert.match(body.error, /UTF-8|percent-encoding/)
      }
    })
    it(`a list are refused with 400: ${text}`, async () => {
      const key = await service.keyOf('C00001')
      for (const query of [`$filter=traveller eq '${text}'`, `${text}=1`])
        assert.equal((await service.request(`/api/v2/bookings?${query}`, key)).status, 400, query)
    })
  }
})

describe('rawBody', () => {
  let endpoints: Endpoints
  before(async () => {
    endpoints = await startEndpoints()
  })
  after(() => endpoints.close())

  const types = ['application/json', 'application/x-www-form-urlencoded', 'text/csv', 'application/xml']
  for (const type of types) {
    it(`is what was sent, byte order mark included, so that a signature over it fits: ${type}`, async () => {
      await endpoints.store.secrets.set('signing', { value: 'a-long-enough-secret' }, 'test')
      const endpoint = await endpoints.publish(
        'Data._payload = {good: HmacSha256(GetSecret("signing"), Data.request.rawBody) == Data.request.headers["x-signature"], body: Data.request.body}',
      )
      const body = type === 'application/json' ? '\ufeff{"a":1}\r\n' : '\ufeffa=1\r\n'
      const signature = createHmac('sha256', 'a-long-enough-secret').update(body).digest('hex')
      const reply = await endpoint.call({
        body: Buffer.from(body),
        headers: { 'content-type': type, 'x-signature': signature },
      })
      const answer = (await reply.json()) as { readonly good: boolean; readonly body: unknown }
      assert.equal(answer.good, true)
      if (type === 'application/json') assert.deepEqual(answer.body, { a: 1 })
    })
  }

  it('is recorded without the credentials of a body behind a byte order mark, and can be run again', async () => {
    const endpoint = await endpoints.publish('Data._payload = Data.request.body.a')
    await endpoint.call({
      body: Buffer.from('\ufeff{"a":1,"password":["canary-5521-x"]}'),
      headers: { 'content-type': 'application/json' },
    })
    const { items } = await endpoints.history.list({ endpointId: endpoint.id }, { limit: 1 })
    const run = await endpoints.history.find(items[0]!.id)
    assert.equal(run?.request.body, '\ufeff{"a":1,"password":"[redacted]"}')
  })
})
