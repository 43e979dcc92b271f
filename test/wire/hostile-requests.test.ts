/** The service answers or refuses every request, and never fails itself. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../fixtures/any-character.ts'
import { harbour } from '../fixtures/fixture-extract.ts'
import { bodyOf, type Service, startService } from './start-service.ts'

let service: Service
let apiKey: string

before(async () => {
  service = await startService()
  apiKey = await service.keyOf(harbour)
})
after(() => service.close())

const words = fc.constantFrom(
  ...[
    '$filter',
    'filter',
    '$orderby',
    '$page',
    '$pageSize',
    '=',
    '&',
    '?',
    '%',
    '%00',
    '%ff',
    '%27',
    '+',
    '(',
    ')',
    "'",
  ],
  ...[
    'recordLocator',
    'segments.',
    'any(',
    'all(',
    'customDataFields',
    "['",
    "']",
    ' eq ',
    ' in ',
    ' not ',
    ' and ',
    'null',
  ],
  ...['1e309', '-', '0.1', 'true', ',', 'contains(', '9999-12-31', '\u{1f600}', '#', '/..', '%2e%2e', '//'],
)
const caretWords = fc.constantFrom(
  ...[
    '^',
    '^EQ',
    '^NE',
    '^GT',
    '^IN',
    '^ni',
    '^CT',
    '^LE',
    '^EQUAL',
    ';',
    ',',
    '%5E',
    '%3B',
    '%2C',
    '%255EEQ',
  ],
  ...['Traveller', 'BookingDate', 'TotalAmount', 'IsTicketed', 'ModifiedDateTime', 'LineItems.Product'],
  ...['2026-01-16', '2026-02-30', 'null', '1', '1e99999', 'x', '%20', '%', '&query=', '&fetch=', '&offset=-'],
)
const soup = fc.array(fc.oneof(words, fc.string({ unit: anyCharacter, maxLength: 5 })), { maxLength: 30 })

describe('random requests', () => {
  it('never get a 5xx for any query string, nor data of another client', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('bookings', 'invoices', 'itineraries'),
        soup,
        async (dataset, parts) => {
          const url = new URL(`http://127.0.0.1:${service.port}/api/v2/${dataset}`)
          url.search = parts.join('')
          const response = await fetch(url, { headers: { 'X-API-Key': apiKey } })
          const json = await bodyOf(response)
          assert.ok(response.status === 200 || response.status === 400, `${response.status} for ${url}`)
          if (response.status === 400) assert.equal(typeof json.error, 'string')
          else assert.ok(json[dataset].every((record) => record.clientNumber === harbour))
        },
      ),
      { numRuns: 500 },
    )
  })

  it('never get a 5xx for any version 1 query, nor data of another client', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('bookings', 'invoices', 'itineraries'),
        fc.array(fc.oneof(caretWords, words), { maxLength: 30 }),
        async (list, parts) => {
          const url = new URL(`http://127.0.0.1:${service.port}/api/v1/${list}`)
          url.search = `query=${parts.join('')}`
          const response = await fetch(url, { headers: { 'X-API-Key': apiKey } })
          const { error, result } = (await response.json()) as {
            readonly error?: string
            readonly result?: readonly { readonly clientNumber: string }[]
          }
          assert.ok(response.status === 200 || response.status === 400, `${response.status} for ${url}`)
          if (response.status === 400) assert.equal(typeof error, 'string')
          else assert.ok(result?.every((record) => record.clientNumber === harbour))
        },
      ),
      { numRuns: 500 },
    )
  })

  it('never get a 5xx for any bytes on the socket', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 200 }).map((array) => Buffer.from(array)),
      soup.map((parts) =>
        Buffer.from(`GET /api/v2/${parts.join('')} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\n\r\n`),
      ),
    )
    await fc.assert(
      fc.asyncProperty(bytes, async (sent) => {
        const received = await exchange(sent)
        assert.ok(!/^HTTP\/1\.1 5/m.test(received), received.slice(0, 300))
      }),
      { numRuns: 300 },
    )
    assert.ok(service.observations.every(({ kind }) => kind !== 'request-failed'))
  })
})

/** Sends the bytes, ends its side of the connection, and collects the response. */
function exchange(sent: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(service.port, '127.0.0.1')
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(received))
    socket.end(sent)
  })
}
