import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { Problem } from '../kernel/problem.ts'
import { isPublicAddress } from './public-address.ts'
import { checkedLookup, readTarget, targetRules } from './target.ts'

const nobody = targetRules(undefined)

const codeOf = (work: () => unknown): string => {
  try {
    work()
    return 'allowed'
  } catch (error) {
    return error instanceof Problem ? error.code : assert.fail(String(error))
  }
}

describe('a target', () => {
  /** The ways to write an address that reaches something inside. */
  const targets: readonly (readonly [url: string, outcome: string])[] = [
    ['https://example.com/hook?a=b', 'allowed'],
    ['https://example.com.:8443/', 'allowed'],
    ['https://93.184.215.14/', 'allowed'],
    ['https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/', 'allowed'],
    ['http://example.com/', 'OUT101'],
    ['ftp://example.com/', 'OUT101'],
    ['file:///etc/passwd', 'OUT101'],
    ['example.com', 'OUT101'],
    ['', 'OUT101'],
    ['https://', 'OUT101'],
    [`https://example.com/${'x'.repeat(2000)}`, 'OUT101'],
    ['https://user:password@example.com/', 'OUT101'],
    ['https://user@example.com/', 'OUT101'],
    ['https://:password@example.com/', 'OUT101'],
    ['https://example.com/#part', 'OUT101'],
    ['https://exam\r\nple.com/', 'OUT101'],
    ['https://example.com/\u001b[2J', 'OUT101'],
    ['https://example.com/\u202e', 'OUT101'],
    ['https://exam\ufeffple.com/', 'OUT101'],
    ['https://example.com/\ufeff', 'OUT101'],
    ['https://example.com/\ud800', 'OUT101'],
    ['https://127.0.0.1/', 'OUT102'],
    ['https://127.1/', 'OUT102'],
    ['https://2130706433/', 'OUT102'],
    ['https://0x7f000001/', 'OUT102'],
    ['https://0x7f.0.0.1/', 'OUT102'],
    ['https://0177.0.0.1/', 'OUT102'],
    ['https://017700000001/', 'OUT102'],
    ['https://１２７.0.0.1/', 'OUT102'],
    ['https://127。0。0。1/', 'OUT102'],
    ['https://127.0.0.1./', 'OUT102'],
    ['https://%31%32%37.0.0.1/', 'OUT102'],
    ['https://0/', 'OUT102'],
    ['https://0.0.0.0/', 'OUT102'],
    ['https://10.1.2.3/', 'OUT102'],
    ['https://100.64.0.1/', 'OUT102'],
    ['https://169.254.169.254/latest/meta-data', 'OUT102'],
    ['https://172.16.0.1/', 'OUT102'],
    ['https://172.31.255.255/', 'OUT102'],
    ['https://192.168.1.1/', 'OUT102'],
    ['https://192.0.0.192/', 'OUT102'],
    ['https://198.18.0.1/', 'OUT102'],
    ['https://224.0.0.1/', 'OUT102'],
    ['https://255.255.255.255/', 'OUT102'],
    ['https://[::1]/', 'OUT102'],
    ['https://[::]/', 'OUT102'],
    ['https://[::ffff:127.0.0.1]/', 'OUT102'],
    ['https://[::ffff:7f00:1]/', 'OUT102'],
    ['https://[::127.0.0.1]/', 'OUT102'],
    ['https://[64:ff9b::7f00:1]/', 'OUT102'],
    ['https://[2002:7f00:1::]/', 'OUT102'],
    ['https://[2001:0:7f00:1::]/', 'OUT102'],
    ['https://[fe80::1]/', 'OUT102'],
    ['https://[fd00:ec2::254]/', 'OUT102'],
    ['https://[fec0::1]/', 'OUT102'],
    ['https://[ff02::1]/', 'OUT102'],
    ['https://[2001:db8::1]/', 'OUT102'],
  ]
  for (const [url, outcome] of targets) {
    it(`${JSON.stringify(url.slice(0, 60))} is ${outcome}`, () => {
      assert.equal(
        codeOf(() => readTarget(url, nobody)),
        outcome,
      )
    })
  }

  it('that is refused is named without its path, query and credentials, where secrets may stand', () => {
    for (const [url, shown] of [
      ['http://example.com', "'http://example.com'"],
      ['http://example.com/', "'http://example.com/'"],
      [`http://example.com/${'a'.repeat(70)}/secret`, "'http://example.com/...'"],
      ['http://example.com?key=secret', "'http://example.com...'"],
      ['https://user:secret@example.com/', "'https://example.com/'"],
      ['https://example.com/#secret', "'https://example.com/...'"],
      ['ftp:/example.com/secret', "'ftp:/...'"],
      ['example.com/secret', "'example.com/...'"],
    ] as const) {
      const refused = (problem: Error) => problem.message.endsWith(`found ${shown}`)
      assert.throws(() => readTarget(url, nobody), refused, url)
    }
  })

  it('that the operator trusts may be private, and go by http', () => {
    const rules = targetRules(' Hooks.internal , 10.1.0.0/16,::1,127.0.0.1')
    for (const [url, outcome] of [
      ['http://hooks.internal:8080/', 'allowed'],
      ['http://HOOKS.internal./', 'allowed'],
      ['http://other.internal/', 'OUT101'],
      ['http://evil-hooks.internal/', 'OUT101'],
      ['http://a.hooks.internal/', 'OUT101'],
      ['http://hooks.internal.example/', 'OUT101'],
      ['http://hooks.interna/', 'OUT101'],
      ['http://10.1.200.3/', 'allowed'],
      ['https://10.2.0.1/', 'OUT102'],
      ['http://[::1]/', 'allowed'],
      ['http://0x7f.1/', 'allowed'],
      ['ftp://hooks.internal/', 'OUT101'],
      ['http://user@hooks.internal/', 'OUT101'],
    ] as const) {
      assert.equal(
        codeOf(() => readTarget(url, rules)),
        outcome,
        url,
      )
    }
  })
})

it('an address is public when no registry gives it a special purpose', () => {
  for (const address of [
    '1.1.1.1',
    '100.63.255.255',
    '100.128.0.0',
    '172.32.0.1',
    '223.255.255.255',
    '2a00::1',
  ]) {
    assert.equal(isPublicAddress(address), true, address)
  }
  for (const address of [
    '',
    'localhost',
    '127.0.0.1',
    '240.0.0.1',
    '4000::1',
    '2001:1ff::1',
    'fe80::1%eth0',
  ]) {
    assert.equal(isPublicAddress(address), false, address)
  }
})

describe('an address at the edge of a network that is not public', () => {
  /** The first and the last address of each network of the registries, and their neighbours where those are public. */
  const networks: readonly (readonly [
    before: string | null,
    first: string,
    last: string,
    after: string | null,
  ])[] = [
    [null, '0.0.0.0', '0.255.255.255', '1.0.0.0'],
    ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
    ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
    ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
    ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
    ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
    ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
    ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
    ['192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
    ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
    ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
    ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
    ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
    ['223.255.255.255', '224.0.0.0', '255.255.255.255', null],
    [null, '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2000::'],
    [
      '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      '2001::',
      '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
      '2001:200::',
    ],
    [
      '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
      '2001:db8::',
      '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
      '2001:db9::',
    ],
    [
      '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      '2002::',
      '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      '2003::',
    ],
    [
      '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      '3fff::',
      '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
      '3fff:1000::',
    ],
    ['3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null],
  ]
  for (const [before, first, last, after] of networks) {
    it(`is one of ${first} to ${last}, and no neighbour is`, () => {
      for (const address of [first, last]) assert.equal(isPublicAddress(address), false, address)
      for (const address of [before, after]) {
        if (address !== null) assert.equal(isPublicAddress(address), true, address)
      }
    })
  }
})

describe('a name', () => {
  const resolving = (...addresses: string[]) =>
    ((_name: string, _options: object, done: (error: null, found: LookupAddress[]) => void) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )) as never

  const lookUp = (trusted: string, name: string, ...addresses: string[]) =>
    promisify(checkedLookup(targetRules(trusted), resolving(...addresses)))(name, { all: true })

  it('is used when all of its addresses are public', async () => {
    assert.deepEqual(await lookUp('', 'a.example', '1.1.1.1', '2a00::1'), [
      { address: '1.1.1.1', family: 4 },
      { address: '2a00::1', family: 6 },
    ])
  })

  it('is refused when one of its addresses is not public', async () => {
    await assert.rejects(lookUp('', 'a.example', '1.1.1.1', '127.0.0.1'), {
      code: 'OUT102',
      // Without the address, which would say what the network of the operator looks like.
      message: 'The host a.example has an address that is not on the public internet',
    })
    await assert.rejects(lookUp('', 'a.example', '::ffff:10.0.0.1'), { code: 'OUT102' })
  })

  it('is used when the operator trusts it or its addresses', async () => {
    const found = [{ address: '10.0.0.1', family: 4 }]
    assert.deepEqual(await lookUp('a.example', 'A.example', '10.0.0.1'), found)
    assert.deepEqual(await lookUp('10.0.0.0/8', 'a.example', '10.0.0.1'), found)
    for (const other of ['b.example', 'ba.example', 'b.a.example', 'a.example.net', 'a.exampl'])
      await assert.rejects(lookUp('a.example', other, '10.0.0.1'), { code: 'OUT102' }, other)
    for (const trusted of ['10.1.0.0/16', '10.0.0.10', '110.0.0.1'])
      await assert.rejects(lookUp(trusted, 'a.example', '10.0.0.1'), { code: 'OUT102' }, trusted)
  })
})
