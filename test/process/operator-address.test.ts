/** An address for operators beside the public one: which of the two answers what. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { publishExtract } from '../fixtures/published-extract.ts'
import { createAccount } from './accounts.ts'
import { whileServingHere } from './service-in-process.ts'

let root: string
let data: string
let apiKey: string

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'tripfolio-operators-'))
  data = join(root, 'data')
  await publishExtract({ data }, fixtureExtract)
  apiKey = await createAccount(data, harbour, 'operators')
})
after(() => rm(root, { recursive: true, force: true }))

/** The status at the public address, and at the one for operators. */
const rows: readonly (readonly [request: string, open: number, operators: number])[] = [
  ['GET /livez', 200, 200],
  ['GET /readyz', 200, 200],
  ['GET /api/v2/bookings', 200, 200],
  ['GET /metrics', 404, 200],
  ['GET /METRICS/', 404, 200],
  ['GET /metrics?x=1', 404, 200],
  ['GET /%6detrics', 404, 200],
  ['POST /metrics', 404, 405],
  ['OPTIONS /metrics', 404, 204],
  ['GET /docs', 404, 200],
  ['GET /docs/', 404, 200],
  ['GET /docs/static/swagger-ui.css', 404, 200],
  ['GET /openapi.json', 404, 200],
  ['GET /', 404, 200],
  ['GET /api/v2/hotels', 404, 404],
  ['GET /api/dynamic/v1/nothing', 404, 404],
  ['GET //', 404, 404],
  ['GET /docs/guides', 404, 200],
  ['GET /console', 404, 200],
  ['HEAD /%63onsole/', 404, 200],
  ['GET /CONSOLE?a=1', 404, 200],
  ['GET /explore', 200, 200],
]

const servedAt = /"msg":"service started"/

describe('operatorListen', () => {
  for (const threads of [1, 2]) {
    it(`moves metrics and documents to an address of their own (threads: ${threads})`, () =>
      whileServingHere(
        data,
        async ({ address, output, until }) => {
          await until(servedAt)
          const operators = /"operatorAddress":"([^"]+)"/.exec(output())?.[1] ?? ''
          assert.match(operators, /^http:\/\/127\.0\.0\.1:\d+$/)
          assert.notEqual(operators, address)
          const found: (typeof rows)[number][] = []
          for (const [request] of rows) {
            const [method = '', path = ''] = request.split(' ')
            const init = { method, headers: { 'X-API-Key': apiKey } }
            const [open, own] = [await fetch(address + path, init), await fetch(operators + path, init)]
            const body = await open.text()
            const refusal = method === 'HEAD' ? '' : '{"error":"There is no such address here"}'
            if (open.status === 404) assert.equal(body, refusal)
            found.push([request, open.status, own.status])
          }
          assert.deepEqual(found, rows)
          const metrics = await (await fetch(`${operators}/metrics`)).text()
          assert.match(metrics, /^tripfolio_http_request_duration_seconds_count/m)
        },
        { threads, env: { TRIPFOLIO_OPERATOR_LISTEN: '127.0.0.1:0' } },
      ))
  }

  for (const threads of [1, 2]) {
    it(`stops the start when its port is taken (threads: ${threads})`, async () => {
      const other = createServer()
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
      const taken = `127.0.0.1:${(other.address() as { port: number }).port}`
      const serving = whileServingHere(data, async () => assert.fail('it started'), {
        threads,
        env: { TRIPFOLIO_OPERATOR_LISTEN: taken },
      })
      await assert.rejects(serving, { code: 'SRV251', hint: /operatorListen/ })
      other.close()
    })
  }
})
