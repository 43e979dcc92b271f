/** Refuses JSON numbers that no double can hold, so that the service never works with another number than was sent. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assertProblem } from '../../src/http/testing/answered-problem.ts'
import { type Admin, startAdmin } from './start-admin.ts'
import { type Endpoints, type Published, startEndpoints } from './start-endpoints.ts'

const tooLarge = ['1e400', '-1e999', '1E400', '1.8e308', '9'.repeat(400)]
const fitting = ['1e308', '-1e308', '1e-400', '0e999', '9'.repeat(300), '1']

describe('a JSON body of a dynamic endpoint', () => {
  let endpoints: Endpoints
  let endpoint: Published
  before(async () => {
    endpoints = await startEndpoints()
    endpoint = await endpoints.publish('Data._payload = Data.request.body')
  })
  after(() => endpoints.close())

  const send = (body: string) =>
    endpoint.call({ body, headers: { 'content-type': 'application/json; charset=utf-8' } })

  for (const number of tooLarge) {
    it(`is refused before the script runs: ${number.slice(0, 20)}`, async () => {
      for (const body of [number, `[${number}]`, `{"a":{"b":[0,${number}]}}`, `{"__proto__":${number}}`]) {
        const response = await send(body)
        const { error } = (await response.json()) as { readonly error: string }
        assert.equal(response.status, 400, body)
        assert.match(error, /^The body is not valid JSON: Expected a number from -1\.8e308 to 1\.8e308/)
      }
      const { items } = await endpoints.history.list({ endpointId: endpoint.id }, { limit: 50 })
      assert.ok(items.length > 0 && items.every(({ status }) => status === 'Refused'))
    })
  }

  for (const number of fitting) {
    it(`reaches the script: ${number.slice(0, 20)}`, async () => {
      const response = await send(`{"a":${number}}`)
      assert.equal(response.status, 200)
      assert.deepEqual(await response.json(), { a: Number(number) })
    })
  }
})

describe('a body of the admin API', () => {
  let admin: Admin
  before(async () => {
    admin = await startAdmin()
  })
  after(() => admin.close())

  it('is refused with the place of half a surrogate pair, which no store can keep', async () => {
    for (const [body, place] of [
      ['{"name":"a\\ud800b"}', '/name'],
      ['{"name":"\\uDFFF"}', '/name'],
      ['{"name":["x",{"y":"\\uDE00\\uD83D"}]}', '/name/1/y'],
      ['{"\\ud83d":1}', '/�'],
    ] as const) {
      const reply = await admin.send('PUT', '/tenant', { body })
      assert.equal(reply.status, 400, body)
      await assertProblem(admin.observations, reply, 'ADM104')
      assert.ok(reply.body.error.includes(`half of a surrogate pair at '${place}'`), reply.body.error)
    }
    const pair = await admin.send('PUT', '/tenant', { body: '{"name":"\\ud83d\\ude00"}' })
    assert.deepEqual([pair.status, pair.body.name], [200, '😀'])
  })

  for (const number of tooLarge) {
    it(`is refused with the place of ${number.slice(0, 20)}`, async () => {
      const body = `{"name":"x","description":{"a":[1,${number}]}}`
      const reply = await admin.send('POST', '/organizations', { body })
      assert.equal(reply.status, 400)
      assert.match(
        reply.body.error,
        /^The body is not valid JSON: expected a number .* at '\/description\/a\/1'/,
      )
      await assertProblem(admin.observations, reply, 'ADM104')
    })
  }

  for (const number of fitting) {
    it(`is checked against its shape with ${number.slice(0, 20)}`, async () => {
      const reply = await admin.send('POST', '/organizations', { body: `{"name":${number}}` })
      assert.equal(reply.status, 400)
      assert.match(reply.body.error, /^The body is not what it should be/)
    })
  }
})
