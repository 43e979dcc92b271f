import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ScriptRequest } from '../runs/run-states.ts'
import { request } from '../testing/open-runs.ts'
import { hideCredentials } from './hide-credentials.ts'
import { createRedaction } from './redaction.ts'

function hiddenOf(asked: Partial<ScriptRequest>): string[] {
  const hidden: string[] = []
  hideCredentials(
    { ...request, ...asked },
    { ...createRedaction(['x-sign']), hide: (secret) => void hidden.push(secret) },
  )
  return hidden
}

describe('credentials of a request', () => {
  const rows: readonly (readonly [Partial<ScriptRequest>, readonly string[]])[] = [
    [{ headers: { authorization: 'Bearer abcdefgh' } }, ['Bearer abcdefgh', 'abcdefgh']],
    [{ headers: { 'x-sign': 'sha256=0011', accept: 'text/html' } }, ['sha256=0011', 'sha256=0011']],
    [{ query: { api_key: 'abcdefgh', name: 'somebody' } }, ['abcdefgh']],
    [{ query: { token: ['abcdefgh', 'short'] } }, ['abcdefgh']],
    [{ params: { token: 'abcdefgh', locator: 'ABCDEFGH' } }, ['abcdefgh', 'abcdefgh']],
    [{ headers: {}, params: { key: 'abcdefgh', apiKey: 'abcdefg' } }, []],
    [{ rawBody: '{"a":{"\\u0070assword":"abcdefgh"},"passenger":"somebody"}' }, ['abcdefgh']],
    [{ rawBody: 'a=1&client_secret=abc+defgh', bodyKind: 'form' }, ['abc defgh']],
    [{ rawBody: '{"password":"abcdefgh"}', bodyKind: 'text' }, []],
    [{ rawBody: '{"password":"abcdefgh"' }, []],
  ]
  for (const [asked, hidden] of rows) {
    it(`in ${JSON.stringify(asked)} are found`, () => assert.deepEqual(hiddenOf(asked), hidden))
  }

  it('include the value of each cookie', () => {
    assert.ok(hiddenOf({ headers: { cookie: 'theme=dark; session=abcdefgh' } }).includes('abcdefgh'))
  })

  it('are bounded in number, however many are sent', () => {
    const members = Array.from({ length: 5000 }, (_, at) => `{"password":"abcdefgh${at}"}`)
    assert.equal(hiddenOf({ rawBody: `[${members.join()}]` }).length, 100)
  })
})
