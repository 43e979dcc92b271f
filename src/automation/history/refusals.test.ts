import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Execution } from '../../schema/execution-shapes.ts'
import { spend } from '../testing/definitions.ts'
import { createRefusals, type RefusedCall } from './refusals.ts'

const START = Date.parse('2026-11-23T10:00:00Z')

function start() {
  const rows: Execution[] = []
  const clock = { now: START }
  const refusals = createRefusals({ writer: { add: (row) => rows.push(row) }, now: () => clock.now })
  return { rows, clock, ...refusals }
}

const endpoint = (method: 'GET' | 'POST', path: string): RefusedCall['endpoint'] => ({
  ...spend,
  ...{ id: path, version: 3, method, path },
})

const callOf = (more: Partial<RefusedCall> = {}): RefusedCall => ({
  endpoint: endpoint('POST', 'hooks/{system}'),
  method: 'POST',
  path: '/api/dynamic/v1/hooks/crm',
  requestId: 'r-1',
  principalId: null,
  ...more,
})

const unsigned = { status: 401, code: 'SRV128', message: 'The signature is missing or wrong' }
const role = { status: 403, code: 'SRV122', message: 'No role' }

describe('refusals', () => {
  it('leave a short row: who, what, when and why, without headers, parameters and body', () => {
    const { rows, note } = start()
    note(callOf({ principalId: 'user:ann@example.com' }), role)
    const [row] = rows
    assert.ok(row !== undefined)
    const { id, request, response, error, log, ...rest } = row
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.deepEqual(
      [
        rest.status,
        rest.responseStatus,
        rest.principalId,
        rest.requestId,
        rest.errorMessage,
        rest.requestCount,
      ],
      ['Refused', 403, 'user:ann@example.com', 'r-1', 'No role', 1],
    )
    assert.deepEqual(
      [rest.type, rest.version, rest.startedAt],
      ['DynamicEndpoint', 3, new Date(START).toISOString()],
    )
    assert.deepEqual(request, {
      ...{ method: 'POST', path: '/api/dynamic/v1/hooks/crm', queryString: '', headers: {}, params: {} },
      ...{ body: null, truncated: false },
    })
    assert.deepEqual([response.body, response.headers, error?.code, log], [null, {}, 'SRV122', []])
  })

  it('of an attacker fill no history: a few rows, then one in a minute, and counts by reason', () => {
    const { rows, clock, note, tellPast, tellAll } = start()
    const minutes = 60
    for (let nth = 0; nth < minutes * 600; nth++) {
      note(callOf({ requestId: `r-${nth}` }), nth % 2 === 0 ? unsigned : role)
      clock.now += 100
      if (nth % 50 === 0) tellPast()
    }
    tellAll()
    assert.equal(
      rows.reduce((sum, { requestCount }) => sum + requestCount, 0),
      minutes * 600,
    )
    const single = rows.filter(({ requestCount }) => requestCount === 1)
    assert.ok(single.length <= 20 + minutes, String(single.length))
    const together = rows.filter(({ requestCount }) => requestCount > 1)
    assert.ok(together.length <= 2 * (minutes + 1), String(together.length))
    for (const { requestId, startedAt, completedAt } of together) {
      assert.equal(requestId, null)
      assert.ok(Date.parse(completedAt) - Date.parse(startedAt) <= 66_000)
    }
  })

  it('of one endpoint take no rows from another', () => {
    const { rows, note } = start()
    for (let nth = 0; nth < 100; nth++) note(callOf(), unsigned)
    assert.equal(rows.length, 20)
    note(callOf({ endpoint: endpoint('GET', 'other') }), unsigned)
    assert.equal(rows.length, 21)
  })

  it('leave out what their endpoint does not record, and mask the rest', () => {
    const { rows, note } = start()
    const path = '/api/dynamic/v1/hooks/4111111111111111'
    note(callOf({ path, principalId: 'user:ann' }), { ...role, message: 'Found 4111111111111111' })
    const silent = { ...callOf().endpoint, record: 'none' } as const
    note(callOf({ endpoint: silent, path, principalId: 'user:ann' }), role)
    assert.deepEqual(
      rows.map((row) => [row.path, row.principalId, row.requestId, row.errorMessage, row.recorded]),
      [
        [
          '/api/dynamic/v1/hooks/[card ending 1111]',
          'user:ann',
          'r-1',
          'Found [card ending 1111]',
          'metadata',
        ],
        [
          '/api/dynamic/v1/hooks/{system}',
          null,
          null,
          'SRV122: the endpoint does not record messages',
          'none',
        ],
      ],
    )
  })
})
