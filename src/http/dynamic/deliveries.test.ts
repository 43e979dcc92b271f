import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { waitedTooLong } from '../../automation/problems.ts'
import type { PublishedEndpoint } from '../../directory/endpoints/published-endpoints.ts'
import type { Deduplication } from '../../schema/endpoint-shapes.ts'
import { assertProblem } from '../testing/answered-problem.ts'
import { type EndpointStage, endpoint, startEndpoints } from '../testing/endpoints.ts'

const body = '{"id":1}'
const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')
const hook = (more: Partial<PublishedEndpoint>) => ({ endpoints: [endpoint('POST', 'hook', more)] })

describe('a delivery to an endpoint whose secret is being replaced', () => {
  const signature = { style: 'github', secret: 'signing', previousSecret: 'old' } as const
  const rows: readonly (readonly [
    what: string,
    secret: string,
    previous: string | null,
    by: string | null,
  ])[] = [
    ['the new secret', 'the secret', 'was before', 'current'],
    ['the previous secret', 'was before', 'was before', 'previous'],
    ['the new secret, when the previous one is gone', 'the secret', null, 'current'],
    ['the previous secret, which is gone', 'was before', null, null],
    ['another secret', 'another', 'was before', null],
  ]
  for (const [what, secret, previous, by] of rows) {
    it(`is ${by === null ? 'refused' : 'accepted, and counted'} when it is signed with ${what}`, async (t) => {
      const { call, jobs, observations } = await startEndpoints(t, {
        ...hook({ signature }),
        readSecret: async (name) => (name === 'signing' ? 'the secret' : previous),
      })
      const headers = { 'X-Hub-Signature-256': `sha256=${hmac(secret, body)}` }
      const response = await call('POST', 'hook', { body, headers })
      assert.equal(response.status, by === null ? 401 : 200)
      assert.equal(jobs.length, by === null ? 0 : 1)
      assert.deepEqual(
        observations.filter(({ kind }) => kind === 'rotated-signature'),
        by === null ? [] : [{ kind: 'rotated-signature', endpointName: 'Name of hook', by }],
      )
    })
  }
})

describe('a delivery whose id is in its body', () => {
  const json = { 'Content-Type': 'application/json' }
  const send = async (t: Parameters<typeof startEndpoints>[0], deduplication: Deduplication) => {
    const server = await startEndpoints(t, hook({ deduplication }))
    const deliver = async (body: string, headers = {}) => {
      const response = await server.call('POST', 'hook', { body, headers: { ...json, ...headers } })
      return { response, duplicate: (await response.text()) === '{"duplicate":true}' }
    }
    return { ...server, deliver }
  }

  it('runs once', async (t) => {
    const { deliver, jobs, claims } = await send(t, { field: '/event/id', windowSeconds: 60 })
    assert.equal((await deliver('{"event":{"id":7}}')).duplicate, false)
    assert.equal((await deliver('{"more":1,"event":{"id":"7"}}')).duplicate, true)
    assert.equal(jobs.length, 1)
    assert.deepEqual(claims[0], ['id of POST hook', '7', 60])
  })

  it('has the id of its header when the endpoint knows both, and of the body without the header', async (t) => {
    const { deliver, claims } = await send(t, { header: 'X-Id', field: '/id', windowSeconds: 60 })
    await deliver('{"id":"b"}', { 'X-Id': 'h' })
    await deliver('{"id":"b"}')
    assert.deepEqual(
      claims.map(([, id]) => id),
      ['h', 'b'],
    )
  })

  for (const body of ['{}', '{"id":""}', `{"id":"${'x'.repeat(257)}"}`, '{"id":[]}', 'no JSON', '']) {
    it(`is refused without a usable id: ${body.slice(0, 20)}`, async (t) => {
      const { deliver, jobs, claims, observations } = await send(t, { field: '/id', windowSeconds: 60 })
      const { response } = await deliver(body)
      assert.equal(response.status, 400)
      await assertProblem(observations, response, 'SRV141')
      assert.deepEqual([jobs, claims], [[], []])
    })
  }
})

describe('a delivery that has to be signed', () => {
  const signed = hook({ signature: { style: 'github', secret: 'signing' } })
  const send =
    (stage: EndpointStage, signature: string | null) => async (t: Parameters<typeof startEndpoints>[0]) => {
      const server = await startEndpoints(t, stage)
      const response = await server.call('POST', 'hook', {
        body,
        headers: { 'X-Request-Id': 'r-1', ...(signature !== null && { 'X-Hub-Signature-256': signature }) },
      })
      return { ...server, response }
    }

  it('runs with a valid signature', async (t) => {
    const { response, jobs } = await send(signed, `sha256=${hmac('the secret', body)}`)(t)
    assert.equal(response.status, 200)
    assert.deepEqual(jobs[0]?.signatureHeaders, ['x-hub-signature-256'])
  })

  const refusals: readonly (readonly [what: string, signature: string | null])[] = [
    ['it is not signed', null],
    ['it is signed with another secret', `sha256=${hmac('another', body)}`],
    ['another body is signed', `sha256=${hmac('the secret', '{}')}`],
    ['the signature is not a digest', 'sha256=what'],
  ]
  for (const [what, signature] of refusals) {
    it(`gets the same refusal, runs nothing and is logged when ${what}`, async (t) => {
      const { response, jobs, observations } = await send(signed, signature)(t)
      assert.equal(response.status, 401)
      assert.deepEqual(await response.json(), { error: 'The signature is missing or wrong' })
      await assertProblem(observations, response, 'SRV128')
      assert.equal(response.headers.get('www-authenticate'), 'Signature realm="tripfolio"')
      assert.deepEqual(jobs, [])
      const told = observations.filter((one) => one.kind === 'delivery-refused')
      assert.equal(told.length, 1)
      assert.deepEqual(
        { ...told[0], reason: '' },
        {
          kind: 'delivery-refused',
          requestId: 'r-1',
          endpointId: 'id of POST hook',
          endpointName: 'Name of hook',
          reason: '',
          inSummary: false,
        },
      )
      assert.doesNotMatch(JSON.stringify(told), /the secret/)
    })
  }

  it('is refused when it is replayed after the tolerance', async (t) => {
    const { call, jobs } = await startEndpoints(t, hook({ signature: { style: 'slack', secret: 'signing' } }))
    const sentAt = async (seconds: number) => {
      const signature = `v0=${hmac('the secret', `v0:${seconds}:${body}`)}`
      const headers = { 'X-Slack-Signature': signature, 'X-Slack-Request-Timestamp': String(seconds) }
      return (await call('POST', 'hook', { body, headers })).status
    }
    const now = Math.floor(Date.now() / 1000)
    assert.deepEqual([await sentAt(now), await sentAt(now - 400), await sentAt(now + 400)], [200, 401, 401])
    assert.equal(jobs.length, 1)
  })

  it('is refused with 503 when the secret is missing; only the log names the secret and the endpoint', async (t) => {
    const stage = hook({ signature: { style: 'github', secret: 'gone' } })
    const { response, jobs, observations } = await send(stage, `sha256=${hmac('', body)}`)(t)
    assert.equal(response.status, 503)
    assert.equal(response.headers.get('retry-after'), '60')
    assert.deepEqual(await response.json(), {
      error: 'Signatures of deliveries to this endpoint cannot be checked at the moment',
    })
    await assertProblem(observations, response, 'SRV133')
    assert.deepEqual(jobs, [])
    assert.deepEqual(
      observations.filter((one) => one.kind === 'signing-secret-missing'),
      [
        {
          kind: 'signing-secret-missing',
          requestId: 'r-1',
          endpointId: 'id of POST hook',
          endpointName: 'Name of hook',
          secret: 'gone',
        },
      ],
    )
  })

  it('needs the signature even when the endpoint requires a token', async (t) => {
    const { call } = await startEndpoints(t, {
      ...hook({ signature: { style: 'github', secret: 'signing' }, requiresAuthentication: true }),
    })
    const headers = { 'X-Hub-Signature-256': `sha256=${hmac('the secret', body)}` }
    const statuses = [
      await call('POST', 'hook', { body, headers }),
      await call('POST', 'hook', { body, headers: { Authorization: 'Bearer valid' } }),
      await call('POST', 'hook', { body, headers: { ...headers, Authorization: 'Bearer valid' } }),
    ].map(({ status }) => status)
    assert.deepEqual(statuses, [401, 401, 200])
  })
})

describe('a delivery with an id', () => {
  const once = hook({ deduplication: { header: 'X-Delivery', windowSeconds: 60 } })
  const withId = (id: string) => ({ body, headers: { 'X-Delivery': id } })

  it('runs once, and is answered as a duplicate from then on', async (t) => {
    const { call, jobs, claims, settled } = await startEndpoints(t, {
      ...once,
      script: () => ({ status: 201, body: '"done"' }),
    })
    const first = await call('POST', 'hook', withId('d-1'))
    assert.deepEqual([first.status, await first.json()], [201, 'done'])
    const second = await call('POST', 'hook', withId(' d-1 '))
    assert.deepEqual([second.status, await second.json()], [200, { duplicate: true }])
    assert.equal(second.headers.get('cache-control'), 'no-store')
    assert.equal((await call('POST', 'hook', withId('d-2'))).status, 201)
    assert.equal(jobs.length, 2)
    assert.deepEqual(claims[0], ['id of POST hook', 'd-1', 60])
    assert.deepEqual(settled, [
      ['d-1', true],
      ['d-2', true],
    ])
  })

  it('is refused while the same delivery is being processed', async (t) => {
    const started = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const { call, jobs, observations } = await startEndpoints(t, {
      ...once,
      script: async () => {
        started.resolve()
        await go.promise
        return {}
      },
    })
    const first = call('POST', 'hook', withId('d-1'))
    await started.promise
    const second = await call('POST', 'hook', withId('d-1'))
    assert.equal(second.status, 409)
    assert.equal(second.headers.get('retry-after'), '5')
    assert.deepEqual(Object.keys((await second.json()) as object), ['error'])
    await assertProblem(observations, second, 'SRV130')
    go.resolve()
    assert.equal((await first).status, 200)
    assert.equal(jobs.length, 1)
  })

  const outcomes: readonly (readonly [status: number, succeeded: boolean])[] = [
    [200, true],
    [204, true],
    [404, true],
    [499, true],
    [500, false],
    [503, false],
  ]
  for (const [status, succeeded] of outcomes) {
    it(`${succeeded ? 'counts as processed' : 'runs again'} when it was answered with ${status}`, async (t) => {
      const answered = { status, ...(status === 204 && { body: null }) }
      const { call, jobs, settled } = await startEndpoints(t, { ...once, script: () => answered })
      for (let i = 0; i < 2; i++) await call('POST', 'hook', withId('d-1'))
      assert.equal(jobs.length, succeeded ? 1 : 2)
      assert.deepEqual(settled[0], ['d-1', succeeded])
    })
  }

  it('runs again when no run was possible before', async (t) => {
    const { call, settled } = await startEndpoints(t, {
      ...once,
      script: () => Promise.reject(waitedTooLong(1, 1)),
    })
    assert.equal((await call('POST', 'hook', withId('d-1'))).status, 503)
    assert.deepEqual(settled, [['d-1', false]])
  })

  it('is answered even if its outcome cannot be recorded', async (t) => {
    const { call, observations } = await startEndpoints(t, {
      ...once,
      settleDelivery: () => Promise.reject(new Error('disk full')),
    })
    assert.equal((await call('POST', 'hook', withId('d-1'))).status, 200)
    assert.ok(observations.some(({ kind }) => kind === 'request-failed'))
  })

  for (const [what, headers] of [
    ['is not sent', {}],
    ['is empty', { 'X-Delivery': ' ' }],
    ['is too long', { 'X-Delivery': 'x'.repeat(257) }],
  ] as const) {
    it(`names the header when the id ${what}`, async (t) => {
      const { call, jobs, claims, observations } = await startEndpoints(t, once)
      const response = await call('POST', 'hook', { body, headers })
      assert.equal(response.status, 400)
      assert.match(await response.text(), /header X-Delivery/)
      await assertProblem(observations, response, 'SRV129')
      assert.deepEqual([jobs, claims], [[], []])
    })
  }

  it('is claimed only after its signature was checked', async (t) => {
    const { call, claims } = await startEndpoints(
      t,
      hook({
        signature: { style: 'github', secret: 'signing' },
        deduplication: { header: 'X-Delivery', windowSeconds: 60 },
      }),
    )
    assert.equal((await call('POST', 'hook', withId('d-1'))).status, 401)
    assert.deepEqual(claims, [])
  })
})
