/** Every way to refuse a call before its script runs leaves a note for the history; an admitted call leaves none. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import type { RefusedCall } from '../../automation/history/refusals.ts'
import { queueFull, runLost } from '../../automation/problems.ts'
import { type EndpointStage, endpoint, startEndpoints } from '../testing/endpoints.ts'

const signature = { style: 'github', secret: 'signing' } as const
const deduplication = { header: 'X-Id', windowSeconds: 60 } as const
const signed = `sha256=${createHmac('sha256', 'the secret').update('{}').digest('hex')}`

type Case = readonly [
  what: string,
  more: Parameters<typeof endpoint>[2],
  headers: Record<string, string>,
  noted: readonly [status: number, code: string, principalId: string | null] | null,
  stage?: EndpointStage,
]

const cases: readonly Case[] = [
  ['an admitted call', {}, {}, null],
  ['an admitted caller', { requiresAuthentication: true }, { authorization: 'Bearer valid' }, null],
  ['a signed delivery', { signature }, { 'x-hub-signature-256': signed }, null],
  ['no token', { requiresAuthentication: true }, {}, [401, 'SRV121', null]],
  ['a bad token', { requiresAuthentication: true }, { authorization: 'Bearer bad' }, [401, 'SRV121', null]],
  [
    'no role',
    { requiresAuthentication: true, allowedRoles: ['finance'] },
    { authorization: 'Bearer valid reader' },
    [403, 'SRV122', 'user:ada@example.com'],
  ],
  ['no keys', { requiresAuthentication: true }, { authorization: 'Bearer unknown' }, [503, 'SRV123', null]],
  ['a bad signature', { signature }, { 'x-hub-signature-256': 'sha256=00' }, [401, 'SRV128', null]],
  ['a missing secret', { signature: { ...signature, secret: 'gone' } }, {}, [503, 'SRV133', null]],
  ['no id of a delivery', { deduplication }, {}, [400, 'SRV129', null]],
  [
    'a delivery under way',
    { deduplication },
    { 'x-id': '1' },
    [409, 'SRV130', null],
    { claimDelivery: async () => 'running' },
  ],
  [
    'a delivery processed before',
    { deduplication },
    { 'x-id': '1' },
    [200, 'END116', null],
    { claimDelivery: async () => 'done' },
  ],
  ['a long body', {}, {}, [413, 'SRV124', null], { maxBodyBytes: 1 }],
  ['a full queue', {}, {}, [503, 'END101', null], { run: () => Promise.reject(queueFull(8, 1)) }],
  ['a lost run, which has a record', {}, {}, null, { run: () => Promise.reject(runLost('id', 'why')) }],
  ['a defect, which is logged', {}, {}, null, { run: () => Promise.reject(new Error('why')) }],
]

describe('a call that is refused', () => {
  for (const [what, more, headers, expected, stage] of cases) {
    it(`is noted, or not: ${what}`, async (t) => {
      const notes: (readonly [RefusedCall, { readonly status: number; readonly code: string }])[] = []
      const { call } = await startEndpoints(t, {
        endpoints: [endpoint('POST', 'hooks/{system}', more)],
        noteRefusal: (refused, refusal) => notes.push([refused, refusal]),
        ...stage,
      })
      const response = await call('POST', 'hooks/a%20b?q=secret', { body: '{}', headers })
      if (expected === null) {
        assert.deepEqual(notes, [])
        return
      }
      const [status, code, principalId] = expected
      assert.equal(response.status, status)
      assert.equal(notes.length, 1)
      const [[refused, refusal]] = notes as [(typeof notes)[0]]
      assert.deepEqual([refusal.status, refusal.code], [status, code])
      const { endpoint: of, ...rest } = refused
      assert.equal(of.name, 'Name of hooks/{system}')
      const requestId = response.headers.get('x-request-id')
      assert.deepEqual(rest, { method: 'POST', path: '/api/dynamic/v1/hooks/a b', requestId, principalId })
    })
  }

  it('of an unknown address has no endpoint to note it for', async (t) => {
    const notes: unknown[] = []
    const { call } = await startEndpoints(t, { noteRefusal: (...note) => notes.push(note) })
    assert.equal((await call('POST', 'nothing')).status, 404)
    assert.deepEqual(notes, [])
  })
})
