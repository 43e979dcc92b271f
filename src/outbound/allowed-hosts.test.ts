import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isAllowedHost, refuseOtherHost } from './allowed-hosts.ts'

describe('a host', () => {
  const rows: readonly (readonly [url: string, allowed: readonly string[], isAllowed: boolean])[] = [
    ['https://erp.example.com/a', [], false],
    ['https://erp.example.com/a', ['erp.example.com'], true],
    ['https://ERP.example.com./a', ['Erp.Example.com'], true],
    ['https://erp.example.com.evil.net/', ['erp.example.com'], false],
    ['https://evil-erp.example.com/', ['erp.example.com'], false],
    ['https://erp.example.com:443/', ['erp.example.com'], true],
    ['https://erp.example.com:8443/', ['erp.example.com'], false],
    ['https://erp.example.com:8443/', ['erp.example.com:8443'], true],
    ['https://erp.example.com/', ['erp.example.com:8443'], false],
    ['http://erp.example.com/', ['erp.example.com'], true],
    ['https://erp.example.com/', ['erp.example.com:443'], true],
    ['http://erp.example.com/', ['erp.example.com:80'], true],
    ['http://erp.example.com/', ['erp.example.com:443'], false],
    ['https://erp.example.com:80/', ['erp.example.com'], false],
    ['https://a.example.com/', ['*.example.com'], true],
    ['https://a.b.example.com/', ['*.example.com'], true],
    ['https://example.com/', ['*.example.com'], false],
    ['https://.example.com/', ['*.example.com'], false],
    ['https://aexample.com/', ['*.example.com'], false],
    ['https://evilexample.com/', ['*.example.com'], false],
    ['https://a.example.com:8443/', ['*.example.com:8443'], true],
    ['https://10.1.2.3/', ['10.1.2.3'], true],
    ['https://0x0a010203/', ['10.1.2.3'], true],
    ['https://10.1.2.3/', ['10.66051'], true],
    ['https://[2606:4700::1111]/', ['[2606:4700:0:0:0:0:0:1111]'], true],
    ['https://[::ffff:10.1.2.3]/', ['[::FFFF:10.1.2.3]'], true],
    ['https://xn--mnchen-3ya.example/', ['münchen.example'], true],
    ['https://[2606:4700::1111]:8443/', ['[2606:4700::1111]:8443'], true],
    ['https://[2606:4700::1111]/', ['[2606:4700::1111]:8443'], false],
    ['https://erp.example.com@evil.net/', ['erp.example.com'], false],
    ['https://erp.example.co/', ['erp.example.com'], false],
    ['https://a.example.com.evil.net/', ['*.example.com'], false],
    ['https://10.1.2.30/', ['10.1.2.3'], false],
    ['https://110.1.2.3/', ['10.1.2.3'], false],
    ['https://b.example.net/', ['a.example.com', 'b.example.net'], true],
  ]
  for (const [url, allowed, isAllowed] of rows) {
    it(`${url} with [${allowed}] is ${isAllowed ? 'allowed' : 'refused'}`, () => {
      assert.equal(isAllowedHost(new URL(url), allowed), isAllowed)
    })
  }

  it('that is refused is named as the definition has to write it', () => {
    assert.throws(() => refuseOtherHost(new URL('https://ERP.example.com:8443/secret?token=a'), []), {
      code: 'OUT114',
      message: 'The endpoint may not send requests to erp.example.com:8443',
      hint: "Add 'erp.example.com:8443' to allowedHosts in the definition of the endpoint.",
    })
  })
})
