import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isInTheClear } from './serve-command.ts'

describe('isInTheClear', () => {
  for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost', 'LOCALHOST', '::ffff:127.0.0.1']) {
    it(`is false for an address that only this machine can reach: ${host}`, () =>
      assert.equal(isInTheClear({ host, trustedProxies: undefined }), false))
  }
  for (const host of [
    '0.0.0.0',
    '::',
    '192.0.2.1',
    '10.0.0.1',
    'data.example',
    '127.example',
    '2001:db8::1',
  ]) {
    it(`is true for ${host}, unless there is a trusted proxy`, () => {
      assert.equal(isInTheClear({ host, trustedProxies: undefined }), true)
      assert.equal(isInTheClear({ host, trustedProxies: '10.0.0.0/8' }), false)
    })
  }
})
