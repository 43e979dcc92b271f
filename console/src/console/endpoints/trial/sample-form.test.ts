import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { emptySample, readSample } from './sample-form.ts'

describe('a sample request', () => {
  it('is made of what was written, and leaves out what was not', () => {
    assert.deepEqual(readSample(emptySample, 'health'), { request: {}, faults: {} })
    const { request, faults } = readSample(
      {
        ...emptySample,
        params: { id: '7' },
        query: 'a=1\na=2\nb=x=y\n',
        headers: 'X-Kind:  old \n',
        bodyKind: 'json',
        body: '{"n": 1}',
        caller: 'other',
        principalId: 'user:ann',
        roles: 'Manager\n\nAgent\n',
        answers: '[{"url": "*"}]',
      },
      'orders/{id}',
    )
    assert.deepEqual(faults, {})
    assert.deepEqual(request, {
      params: { id: '7' },
      query: { a: ['1', '2'], b: 'x=y' },
      headers: { 'X-Kind': 'old' },
      body: { n: 1 },
      user: { principalId: 'user:ann', roles: ['Manager', 'Agent'] },
      http: [{ url: '*' }],
    })
    assert.deepEqual(readSample({ ...emptySample, caller: 'anonymous' }, null).request, { user: null })
    assert.deepEqual(readSample({ ...emptySample, bodyKind: 'text', body: 'a=1' }, 'x').request, {
      rawBody: 'a=1',
    })
  })

  it('of a schedule has an input and answers of the outside, and nothing that a caller sends', () => {
    const written = {
      ...emptySample,
      query: 'a=1',
      headers: 'x: y',
      answers: '[{"url": "*", "status": 503}]',
    }
    const http = [{ url: '*', status: 503 }]
    assert.deepEqual(readSample({ ...written, bodyKind: 'text', body: 'a' }, null).request, { http })
    assert.deepEqual(readSample({ ...written, bodyKind: 'json', body: '1' }, null).request, { body: 1, http })
  })

  it('names the line and the field that cannot be read', () => {
    const { faults } = readSample(
      { ...emptySample, query: 'a=1\nnothing', headers: 'none', bodyKind: 'json', body: '{', answers: '[' },
      'health',
    )
    assert.match(faults.query ?? '', /^Line 2/)
    assert.match(faults.headers ?? '', /^Line 1/)
    assert.match(faults.body ?? '', /^Not JSON/)
    assert.match(faults.answers ?? '', /^Not JSON/)
  })
})
