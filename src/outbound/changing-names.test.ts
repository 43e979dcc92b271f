/** Names whose meaning changes between check and connection, at a real name server and with real connections. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import { openSender } from './send-request.ts'
import { checkedLookup, targetRules } from './target.ts'
import { startNameServer, type Zone } from './testing/name-server.ts'

/** Stands for a public address: connections to it are allowed, and those to other addresses of this machine are not. */
const PUBLIC = '127.0.0.2'
const PRIVATE = '127.0.0.1'

/** Listens at both addresses with one port, and counts who comes. */
async function listenAtBoth(test: TestContext) {
  const came = { [PUBLIC]: 0, [PRIVATE]: 0 }
  let port = 0
  for (const address of [PUBLIC, PRIVATE] as const) {
    const server = createServer((socket) => {
      came[address]++
      socket.on('error', () => undefined).destroy()
    }).listen(port, address)
    test.after(() => void server.close())
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }
  return { port, came }
}

async function prepare(test: TestContext, zone: Zone) {
  const { port, came } = await listenAtBoth(test)
  const names = await startNameServer(test, zone)
  const rules = targetRules(PUBLIC)
  const send = openSender(rules, checkedLookup(rules, names.lookup))
  /** The code of its refusal: the servers break each connection off, so a request that was let through ends with OUT111. */
  const request = (host = 'hooks.example') =>
    send({
      ...{ method: 'POST', url: `https://${host}:${port}/`, headers: {}, body: 'x' },
      ...{ timeoutMs: 5000, mostBodyBytes: 10 },
    }).then(
      () => assert.fail('It was answered'),
      ({ code }) => String(code),
    )
  return { came, asked: names.asked, request }
}

describe('a name that changes its meaning', () => {
  it('is looked up once for each request, and the connection goes to what was checked then', async (test) => {
    const answers = [PUBLIC, PRIVATE, PUBLIC, PRIVATE]
    const { came, asked, request } = await prepare(test, (name) =>
      name.endsWith('AAAA') ? [] : [answers.shift() ?? PRIVATE],
    )
    const outcomes = []
    for (let i = 0; i < 4; i++) outcomes.push(await request())
    assert.deepEqual(outcomes, ['OUT111', 'OUT102', 'OUT111', 'OUT102'])
    assert.deepEqual([came, asked.length], [{ [PUBLIC]: 2, [PRIVATE]: 0 }, 4])
  })

  it('never leads to an address that is not allowed, whatever is answered when', async (test) => {
    let answer: readonly string[] = []
    const { came, request } = await prepare(test, (name) =>
      answer.filter((address) => address.includes(':') === name.endsWith('AAAA')),
    )
    const address = fc.constantFrom(
      PUBLIC,
      PRIVATE,
      '127.0.0.3',
      '10.0.0.1',
      '::1',
      '::ffff:127.0.0.1',
      'fe80::1',
    )
    let allowed = 0
    await fc.assert(
      fc.asyncProperty(fc.array(address, { minLength: 1, maxLength: 3 }), async (addresses) => {
        answer = addresses
        const isAllowed = addresses.every((one) => one === PUBLIC)
        assert.equal(await request(), isAllowed ? 'OUT111' : 'OUT102')
        if (isAllowed) allowed++
      }),
      { numRuns: 60, examples: [[[PUBLIC]], [[PUBLIC, PRIVATE]], [[PUBLIC, '::1']]] },
    )
    assert.ok(allowed > 0)
    assert.equal(came[PRIVATE], 0)
  })

  const forms: readonly (readonly [what: string, zone: Readonly<Record<string, readonly string[]>>])[] = [
    ['stands for another name', { 'hooks.example': ['=inner.example'], 'inner.example': [PRIVATE] }],
    [
      'stands for a chain of names',
      { 'hooks.example': ['=a.example'], 'a.example': ['=b.example'], 'b.example': [PRIVATE] },
    ],
    ['has one of each', { 'hooks.example': [PUBLIC, PRIVATE] }],
    ['has a private address of IPv6', { 'hooks.example': [PUBLIC], 'hooks.example AAAA': ['::1'] }],
    ['has IPv4 within IPv6', { 'hooks.example': [PUBLIC], 'hooks.example AAAA': ['::ffff:127.0.0.1'] }],
    ['has a translated address', { 'hooks.example': [PUBLIC], 'hooks.example AAAA': ['64:ff9b::7f00:1'] }],
    ['has a 6to4 address', { 'hooks.example': [PUBLIC], 'hooks.example AAAA': ['2002:7f00:1::'] }],
    ['is that of nobody', { 'hooks.example': ['0.0.0.0'] }],
  ]
  for (const [what, zone] of forms) {
    it(`is refused when it ${what}`, async (test) => {
      const { came, request } = await prepare(test, (name) => zone[name] ?? [])
      assert.equal(await request(), 'OUT102')
      assert.equal(await request('HOOKS.example.'), 'OUT102')
      assert.deepEqual(came, { [PUBLIC]: 0, [PRIVATE]: 0 })
    })
  }
})
