import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { redactParts } from './redact-parts.ts'
import { createRedaction } from './redaction.ts'

const secret = 'sk-live-4f9a0c11d2e83b76a5'

describe('parts of a secret', () => {
  it('are redacted in a message, from any place in the secret and in either letter case', () => {
    for (const [message, left] of [
      ["found 'sk-live-4f9a…'", "found '[redacted]…'"],
      ["and not 'SK-LIVE-4F9A0C'", "and not '[redacted]'"],
      ['11d2e83b76a5 is unknown', '[redacted] is unknown'],
      ["'sk-live-4f9a0c' and '83b76a5'", "'[redacted]' and '83b76a5'"],
      ['sk-live-4f9a', '[redacted]'],
      ["found 'sk-live'", "found 'sk-live'"],
      ['', ''],
    ] as const) {
      assert.equal(redactParts(message, [secret]), left)
    }
  })

  it('stay in texts that are longer than any message of the service', () => {
    const text = `${'x'.repeat(5000)}sk-live-4f9a`
    assert.equal(redactParts(text, [secret]), text)
  })

  it('are redacted together with whole secrets and named credentials', () => {
    const redaction = createRedaction([])
    redaction.hide(secret)
    assert.equal(
      redaction.message(`token=abc, ${secret}, ${secret.slice(0, 12)}…`),
      'token=[redacted], [redacted], [redacted]…',
    )
  })
})
