/** The formats and codings of the lists, as a client sees them on the wire: all hold the data of the JSON answer. */
import assert from 'node:assert/strict'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { datasets } from '../../src/schema/datasets.ts'
import { expectedLabels, expectedRecords } from '../fixtures/expected-records.ts'
import { fixtureExtract, harbour, limmat, newcomer } from '../fixtures/fixture-extract.ts'
import {
  asArrowReads,
  expectedCells,
  expectedHeader,
  type FileReader,
  openFileReader,
  readArrow,
} from '../property/read-formats.ts'
import { type Service, startService } from './start-service.ts'

type Reply = {
  readonly status: number | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

const lists = ['bookings', 'invoices', 'itineraries'] as const
const formats = ['json', 'ndjson', 'csv', 'arrow'] as const
const types = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
  arrow: 'application/vnd.apache.arrow.stream',
} as const

let service: Service
let reader: FileReader
const keys = new Map<string, string>()

before(async () => {
  service = await startService()
  reader = await openFileReader()
  for (const client of [harbour, limmat, newcomer]) keys.set(client, await service.keyOf(client))
})
after(async () => {
  await reader.close()
  await service.close()
})

/** Returns the raw response: fetch would request a coding and decode it. */
function ask(
  path: string,
  headers: Record<string, string> = {},
  { client = harbour, method = 'GET' } = {},
): Promise<Reply> {
  const options = {
    port: service.port,
    host: '127.0.0.1',
    path: path.replaceAll(' ', '%20'),
    method,
    headers: { 'X-API-Key': keys.get(client) as string, ...headers },
  }
  return new Promise((resolve, reject) => {
    httpRequest(options, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) })
    })
      .on('error', reject)
      .end()
  })
}

const errorOf = ({ body }: Reply): Record<string, unknown> => JSON.parse(body.toString())

describe('the formats of a list', () => {
  for (const list of lists) {
    for (const client of [harbour, limmat, newcomer]) {
      it(`hold the data of JSON (${list} of ${client})`, async () => {
        const records = expectedRecords(fixtureExtract, client, list)
        const json = JSON.stringify(records)
        const bodyOf = async (format: string) =>
          (await ask(`/api/v2/${list}?$format=${format}`, {}, { client })).body
        assert.deepEqual(JSON.parse((await bodyOf('json')).toString())[list], records)
        const ndjson = await bodyOf('ndjson')
        assert.equal(ndjson.toString(), records.map((record) => `${JSON.stringify(record)}\n`).join(''))
        assert.equal(`[${(await reader.ndjson(ndjson)).join(',')}]`, json)
        assert.deepEqual(readArrow(await bodyOf('arrow')), JSON.parse(asArrowReads(json)))
        const [header, ...rows] = await reader.csv(await bodyOf('csv'))
        const members = Object.keys(datasets[list].record.properties)
        const expected = expectedHeader(members, expectedLabels(fixtureExtract, client))
        assert.deepEqual(header, expected)
        assert.deepEqual(
          rows,
          records.map((record) => expectedCells(record, expected)),
        )
      })
    }
  }

  it('are chosen by $format or by Accept, and $format takes precedence', async () => {
    for (const format of formats) {
      const [byParameter, byHeader, byBoth] = await Promise.all([
        ask(`/api/v2/bookings?FORMAT=${format.toUpperCase()}`),
        ask('/api/v2/bookings', { Accept: types[format].split(';')[0] as string }),
        ask(`/api/v2/bookings?$format=${format}`, { Accept: 'text/html' }),
      ])
      for (const { status, headers } of [byParameter, byHeader, byBoth]) {
        assert.deepEqual([status, headers['content-type']], [200, types[format]])
      }
      if (format !== 'json') assert.ok(byParameter.body.equals(byHeader.body))
    }
  })

  it('are JSON for media types that are not available, and for ranges that include several formats', async () => {
    for (const accept of ['text/html', 'text/*', 'application/xml, image/*', 'text/*, application/*;q=0.1']) {
      const { status, headers } = await ask('/api/v2/bookings?$pageSize=1', { Accept: accept })
      assert.deepEqual([status, headers['content-type']], [200, types.json], accept)
    }
    const { headers } = await ask('/api/v2/bookings', { Accept: 'application/json;q=0, text/*' })
    assert.equal(headers['content-type'], types.csv)
  })

  it('have the total in a header when there is no envelope', async () => {
    const total = expectedRecords(fixtureExtract, harbour, 'bookings').length
    for (const format of ['ndjson', 'csv', 'arrow']) {
      const { headers } = await ask(`/api/v2/bookings?$format=${format}&$pageSize=2`)
      assert.equal(headers['x-total-count'], String(total), format)
    }
    const { headers, body } = await ask('/api/v2/bookings?$format=json')
    assert.equal(headers['x-total-count'], undefined)
    assert.deepEqual(JSON.parse(body.toString())._meta, { total, filteredCount: total })
  })

  it('are filtered, ordered and paged like JSON', async () => {
    const query = '$filter=isTicketed eq false&$orderby=recordLocator desc&$page=2&$pageSize=2'
    const { body } = await ask(`/api/v2/bookings?${query}`)
    const { bookings } = JSON.parse(body.toString()) as { readonly bookings: readonly object[] }
    assert.ok(bookings.length > 0)
    assert.deepEqual(readArrow((await ask(`/api/v2/bookings?${query}&$format=arrow`)).body), bookings)
  })

  it('propose a file name', async () => {
    const { headers } = await ask('/api/v2/invoices?$format=csv')
    const name = `invoices-${harbour}-${headers['snapshot-id']}`
    assert.equal(headers['content-disposition'], `attachment; filename="${name}.csv"`)
  })
})

describe('an unknown format', () => {
  it('in $format is 406, and the message lists the formats', async () => {
    const reply = await ask('/api/v2/bookings?format=xlsx', { 'Accept-Encoding': 'gzip', Accept: 'text/csv' })
    assert.equal(reply.status, 406)
    assert.equal(reply.headers['content-type'], types.json)
    assert.deepEqual(errorOf(reply), {
      error: 'Invalid $format',
      message: "Expected json, ndjson, csv or arrow, found 'xlsx'; did you mean csv?",
      parameter: '$format',
      column: 0,
      input: 'xlsx',
    })
  })

  it('in Accept is 406, and the message lists the formats', async () => {
    const reply = await ask('/api/v2/bookings', { Accept: 'application/xml, application/json;q=0' })
    assert.equal(reply.status, 406)
    assert.deepEqual(Object.keys(errorOf(reply)), ['error'])
    for (const type of Object.values(types)) {
      assert.ok(String(errorOf(reply).error).includes(type.split(';')[0] as string), type)
    }
  })

  it('is 400 when it is empty, repeated or misspelt', async () => {
    for (const query of ['$format=', '$format=csv&format=csv']) {
      const reply = await ask(`/api/v2/bookings?${query}`)
      assert.deepEqual([reply.status, errorOf(reply).parameter], [400, '$format'], query)
    }
    const slip = await ask('/api/v2/bookings?$formt=csv')
    assert.deepEqual(
      [slip.status, errorOf(slip).message],
      [400, "Unknown parameter '$formt'; did you mean $format?"],
    )
  })

  it('does not hide a fault of the query', async () => {
    const reply = await ask('/api/v2/bookings?$filter=x eq 1', { Accept: 'text/html' })
    assert.deepEqual([reply.status, errorOf(reply).parameter], [400, '$filter'])
  })
})

describe('a coding', () => {
  const decoders = { gzip: gunzipSync, zstd: zstdDecompressSync } as const
  for (const coding of ['gzip', 'zstd'] as const) {
    for (const format of formats) {
      it(`does not change the content: ${format} in ${coding}`, async () => {
        const path = `/api/v2/itineraries?$format=${format}`
        const [plain, coded] = await Promise.all([ask(path), ask(path, { 'Accept-Encoding': coding })])
        assert.equal(plain.headers['content-encoding'], undefined)
        assert.equal(coded.headers['content-encoding'], coding)
        assert.ok(decoders[coding](coded.body).equals(plain.body))
      })
    }
  }

  it('is understood by fetch, which requests it by default', async () => {
    const response = await service.request('/api/v2/bookings', keys.get(harbour) as string)
    assert.equal(response.headers.get('content-encoding'), 'gzip')
    const { bookings } = (await response.json()) as { readonly bookings: readonly object[] }
    assert.deepEqual(bookings, expectedRecords(fixtureExtract, harbour, 'bookings'))
  })
})

describe('the copy of a representation', () => {
  it('has its own tag, which is valid for no other', async () => {
    const representations = formats.flatMap((format) =>
      ['identity', 'gzip', 'zstd'].map((coding) => ({
        Accept: types[format],
        'Accept-Encoding': `${coding}, *;q=0`,
      })),
    )
    const replies = await Promise.all(representations.map((headers) => ask('/api/v2/bookings', headers)))
    const tags = replies.map(({ headers }) => headers.etag as string)
    assert.equal(new Set(tags).size, 12)
    for (const [i, headers] of representations.entries()) {
      const own = await ask('/api/v2/bookings', { ...headers, 'If-None-Match': tags[i] as string })
      assert.deepEqual([own.status, own.body.length, own.headers.etag], [304, 0, tags[i]])
      assert.equal(own.headers.vary, 'X-API-Key, Authorization, Accept, Accept-Encoding, Snapshot-Id')
      const others = tags.filter((_, other) => other !== i).join(', ')
      assert.equal((await ask('/api/v2/bookings', { ...headers, 'If-None-Match': others })).status, 200)
    }
  })

  it('has the same tag as before for plain JSON', async () => {
    const { headers } = await ask('/api/v2/bookings')
    const found = await ask('/api/v2/bookings', { Accept: '*/*', 'Accept-Encoding': 'br' })
    assert.match(headers.etag as string, /^"[\w-]{27}"$/)
    assert.equal(found.headers.etag, headers.etag)
  })
})

describe('HEAD', () => {
  for (const format of formats) {
    it(`returns the headers of GET: ${format}`, async () => {
      const path = `/api/v2/invoices?$format=${format}`
      const [get, head] = await Promise.all([ask(path), ask(path, {}, { method: 'HEAD' })])
      const { date: _date, 'x-request-id': _id, ...told } = head.headers
      const { date: _other, 'x-request-id': _next, ...expected } = get.headers
      assert.deepEqual(told, expected)
      assert.equal(Number(told['content-length']), get.body.length)
      assert.equal(head.body.length, 0)
    })
  }
})

describe('version 1', () => {
  it('answers JSON despite Accept, and treats $format as an unknown parameter', async () => {
    const plain = await ask('/api/v1/bookings')
    for (const accept of ['text/csv', 'text/html', 'application/json;q=0']) {
      const reply = await ask('/api/v1/bookings', { Accept: accept })
      assert.deepEqual([reply.status, reply.headers['content-type']], [200, types.json])
      assert.equal(reply.headers.etag, plain.headers.etag)
      assert.ok(reply.body.equals(plain.body))
    }
    const unknown = await ask('/api/v1/bookings?$format=csv')
    assert.equal(
      unknown.headers.warning,
      `299 - "Unknown query parameter '$format' ignored; leave it out: version 1 answers JSON"`,
    )
    assert.ok(unknown.body.equals(plain.body))
  })

  it('answers in a coding', async () => {
    const plain = await ask('/api/v1/itineraries')
    const coded = await ask('/api/v1/itineraries', { 'Accept-Encoding': 'gzip' })
    assert.equal(coded.headers['content-encoding'], 'gzip')
    assert.ok(gunzipSync(coded.body).equals(plain.body))
  })
})
