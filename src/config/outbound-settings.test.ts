import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeConfig } from './describe-config.ts'
import { loadConfig, outboundLimits } from './load-config.ts'
import { SettingsProblem } from './problems.ts'
import { settings } from './settings.ts'

const load = (env: Readonly<Record<string, string>>) => loadConfig({ env, flags: { data: '/nowhere' } })

describe('smtpUrl', () => {
  const read = (text: unknown) => settings.smtpUrl.type.read(text)
  for (const good of [
    'smtp://mail.example.com',
    'smtps://user:p%40ss@mail.example.com:465',
    'smtp://[::1]:25/',
  ]) {
    it(`takes ${good}`, () => assert.equal(read(good), good))
  }
  for (const bad of [
    '',
    'mail.example.com',
    'https://mail.example.com',
    'smtp://',
    'smtp://mail.example.com/path',
    'smtp://mail.example.com?a=b',
    'smtp://user:100%@mail.example.com',
    7,
  ]) {
    it(`refuses ${JSON.stringify(bad)}`, () => assert.equal(read(bad), undefined))
  }

  it('needs a sender, and is never shown', () => {
    const url = 'smtps://robot:canary@mail.example.com'
    assert.throws(
      () => load({ TRIPFOLIO_SMTP_URL: url }),
      (problem) =>
        problem instanceof SettingsProblem &&
        /TRIPFOLIO_SMTP_URL: expected it together with TRIPFOLIO_SMTP_FROM/.test(problem.message) &&
        !problem.message.includes('canary'),
    )
    assert.throws(
      () => load({ TRIPFOLIO_SMTP_URL: 'canary' }),
      (problem) => problem instanceof SettingsProblem && !problem.message.includes('canary'),
    )
    const config = load({
      TRIPFOLIO_SMTP_URL: url,
      TRIPFOLIO_SMTP_PASSWORD: 'canary-2',
      TRIPFOLIO_SMTP_FROM: 'reports@example.com',
    })
    const described = describeConfig(config)
    assert.ok(!JSON.stringify(described).includes('canary'))
    for (const name of ['smtpUrl', 'smtpPassword']) {
      assert.equal(described.find((row) => row.name === name)?.value, '(hidden)')
    }
  })
})

describe('mail', () => {
  it('has a sender with or without a name, and domains', () => {
    for (const good of ['a@example.com', 'Reports <a@example.com>']) {
      assert.equal(settings.smtpFrom.type.read(good), good)
    }
    for (const bad of ['', 'a', 'a@', 'a@b\r\nBcc: c@d', 'a@b <c@d>', 'A <a@b> x']) {
      assert.equal(settings.smtpFrom.type.read(bad), undefined, bad)
    }
    for (const good of ['example.com', 'example.com, *.example.org']) {
      assert.equal(settings.mailDomains.type.read(good), good)
    }
    for (const bad of ['', '*', 'a@example.com', 'example.com,', 'a.*.b']) {
      assert.equal(settings.mailDomains.type.read(bad), undefined, bad)
    }
  })
})

it('the limits of a run come from the settings', () => {
  assert.deepEqual(outboundLimits(load({ TRIPFOLIO_HTTP_BYTES_PER_RUN: '1MiB' })), {
    httpRequests: 20,
    httpBytes: 2 ** 20,
    mailRecipients: 100,
    mailBytes: 10 * 2 ** 20,
  })
})
