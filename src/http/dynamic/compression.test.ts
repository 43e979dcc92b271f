import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ScriptResponse } from '../../automation/runs/run-states.ts'
import { endpoint, startEndpoints } from '../testing/endpoints.ts'

const large = JSON.stringify({ text: 'é'.repeat(2000) })
const json = 'application/json; charset=utf-8'

/** As it travels: fetch would decode it. */
const gzipped = { headers: { 'Accept-Encoding': 'gzip' } }

describe('a large answer of text', () => {
  const start = (
    t: Parameters<typeof startEndpoints>[0],
    answer: Partial<ScriptResponse>,
    compress?: boolean,
  ) =>
    startEndpoints(t, {
      endpoints: [endpoint('GET', 'report', compress === undefined ? {} : { compress })],
      script: () => answer,
    })

  it('is compressed, with a weak tag, and its variants are kept apart', async (t) => {
    const headers = { 'content-type': json, etag: '"v1"', vary: 'X-Lang' }
    const { call } = await start(t, { headers, body: large })
    const response = await call('GET', 'report', gzipped)
    assert.equal(response.headers.get('content-encoding'), 'gzip')
    assert.equal(response.headers.get('etag'), 'W/"v1"')
    assert.equal(response.headers.get('vary'), 'X-Lang, Accept-Encoding')
    assert.ok(Number(response.headers.get('content-length')) < 500)
    assert.equal(await response.text(), large)
    const plain = await call('GET', 'report', { headers: { 'Accept-Encoding': 'identity' } })
    assert.deepEqual(
      ['content-encoding', 'etag', 'vary'].map((name) => plain.headers.get(name)),
      [null, '"v1"', 'X-Lang, Accept-Encoding'],
    )
    const head = await call('HEAD', 'report', gzipped)
    assert.equal(head.headers.get('content-length'), response.headers.get('content-length'))
  })

  const base64 = Buffer.from('a'.repeat(2000)).toString('base64')
  const rows: readonly (readonly [what: string, answer: Partial<ScriptResponse>, coding: string | null])[] = [
    ['CSV', { headers: { 'content-type': 'text/csv; charset=utf-8' }, body: large }, 'gzip'],
    ['JSON with a suffix', { headers: { 'content-type': 'application/geo+json' }, body: large }, 'gzip'],
    [
      'bytes that are text',
      { headers: { 'content-type': 'text/csv' }, body: base64, bodyEncoding: 'base64' },
      'gzip',
    ],
    ['a small one', { headers: { 'content-type': json }, body: '{}' }, null],
    ['an image', { headers: { 'content-type': 'image/png' }, body: base64, bodyEncoding: 'base64' }, null],
    [
      'one that must not be changed',
      { headers: { 'content-type': json, 'cache-control': 'no-transform' }, body: large },
      null,
    ],
  ]
  for (const [what, answer, coding] of rows) {
    it(`is ${coding === null ? 'not ' : ''}compressed: ${what}`, async (t) => {
      const { call } = await start(t, answer)
      const response = await call('GET', 'report', gzipped)
      assert.equal(response.headers.get('content-encoding'), coding)
      assert.equal(response.headers.get('vary'), coding === null ? null : 'Accept-Encoding')
    })
  }

  it('is sent as it is by an endpoint that says so', async (t) => {
    const { call } = await start(t, { headers: { 'content-type': json }, body: large }, false)
    const response = await call('GET', 'report', gzipped)
    assert.equal(response.headers.get('content-encoding'), null)
    assert.equal(await response.text(), large)
  })
})
