/** The example of approvals from end to end: a signed delivery comes in, and a real server stands for the ERP system. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { readEndpointYaml } from '../../src/automation/endpoint-files/yaml.ts'
import { type Endpoints, type Published, startEndpoints } from './start-endpoints.ts'

const examples = join(import.meta.dirname, '../../examples/endpoints')
const exampleOf = (name: string) => readFileSync(join(examples, name), 'utf8')

type Seen = { readonly key: unknown; readonly authorization: unknown; readonly body: unknown }

const seen: Seen[] = []
/** How the ERP system answers next. */
let statuses: number[] = []
let endpoints: Endpoints
let approvals: Published

const erp = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { authorization, 'idempotency-key': key } = request.headers
  seen.push({ key, authorization, body: JSON.parse(Buffer.concat(chunks).toString()) })
  response.writeHead(statuses.shift() ?? 201, { 'Content-Type': 'application/json', 'Retry-After': '0' })
  response.end('{"reference":"ERP-77"}')
})

before(async () => {
  erp.listen(0, '127.0.0.1')
  await once(erp, 'listening')
  const host = `127.0.0.1:${(erp.address() as AddressInfo).port}`
  endpoints = await startEndpoints()
  await endpoints.store.secrets.set('approvals', { value: 'k'.repeat(32) }, 'test')
  await endpoints.store.secrets.set('erp-token', { value: 'canary-erp-token' }, 'test')
  const { definition } = readEndpointYaml(exampleOf('approval.yaml'))
  const script = exampleOf('approval.jyro').replace('https://erp.example.com', `http://${host}`)
  approvals = await endpoints.publish(script, { ...definition, allowedHosts: [host] })
})
after(async () => {
  erp.closeAllConnections()
  erp.close()
  await endpoints.close()
})

const deliver = async (id: string, delivery: object) => {
  const body = JSON.stringify(delivery)
  const signature = createHmac('sha256', 'k'.repeat(32)).update(body).digest('hex')
  const headers = {
    'Content-Type': 'application/json',
    'X-Delivery-Id': id,
    'X-Hub-Signature-256': `sha256=${signature}`,
  }
  const response = await approvals.call({ method: 'POST', body, headers })
  return [response.status, await response.json()]
}

const approved = { request: 'TR-2041', decision: 'approved', approver: 'ada@example.com' }

it('an approval is passed on once, with the token that nothing shows', async () => {
  statuses = [503, 201]
  assert.deepEqual(await deliver('d-1', approved), [202, { forwarded: true, reference: 'ERP-77' }])
  const passedOn = {
    key: 'TR-2041-approved',
    authorization: 'Bearer canary-erp-token',
    body: { travelRequest: 'TR-2041', approved: true, approvedBy: 'ada@example.com', comment: null },
  }
  assert.deepEqual(seen, [passedOn, passedOn])
  assert.deepEqual(await deliver('d-1', approved), [200, { duplicate: true }])
  assert.equal(seen.length, 2)
  assert.ok(!JSON.stringify(endpoints.observations).includes('canary'))
})

it('an approval that the ERP system does not take is repeated by its sender', async () => {
  seen.length = 0
  statuses = [500]
  const [status] = await deliver('d-2', approved)
  assert.equal(status, 502)
  assert.deepEqual(await deliver('d-2', approved), [202, { forwarded: true, reference: 'ERP-77' }])
  assert.equal(seen.length, 2)
})
