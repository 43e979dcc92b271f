import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { matchingSettings } from './matching-settings.ts'

const settings = [
  { name: 'port', value: '8080', source: 'flag', variable: 'TRIPFOLIO_PORT' },
  { name: 'host', value: '127.0.0.1', source: 'default', variable: 'TRIPFOLIO_HOST' },
  { name: 'smtpPassword', value: '(hidden)', source: 'file', variable: 'TRIPFOLIO_SMTP_PASSWORD' },
] as const

describe('matchingSettings', () => {
  for (const [text, names] of [
    ['', ['port', 'host', 'smtpPassword']],
    ['PORT', ['port']],
    ['127.0', ['host']],
    ['smtp_pass', ['smtpPassword']],
    ['tripfolio.json  hidden', ['smtpPassword']],
    ['port default', []],
  ] as const) {
    it(`finds ${names.join(', ') || 'nothing'} for '${text}'`, () =>
      assert.deepEqual(
        matchingSettings(settings, text).map(({ name }) => name),
        names,
      ))
  }
})
