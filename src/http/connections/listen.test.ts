import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { account, apiKey, startServer, until } from '../testing/server.ts'
import { openPlaces } from './connection-places.ts'
import { listen, portToShare } from './listen.ts'

const host = '127.0.0.1'

function opened(options: { readonly port: number; readonly reusePort?: boolean }): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host, ...options }, () => resolve(server))
  })
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port
const close = (server: Server) => new Promise((resolve) => server.close(resolve))

describe('a name that stands for several addresses', () => {
  const start = (t: TestContext, addresses: readonly string[]) => {
    const held = Promise.withResolvers<null>()
    const places = openPlaces({ total: 10, perAddress: 0 })
    return startServer(t, {
      places,
      authenticate: () => account,
      rotateOwnKey: () => held.promise,
      listening: (server) => listen(server, { host: 'localhost', port: 0 }, async () => addresses),
    }).then((started) => ({ ...started, held, places }))
  }

  it('is served at each address: connections are counted, and requests answered while the server closes', async (t) => {
    const { server, port, held, places } = await start(t, ['127.0.0.1', '127.0.0.2'])
    const idle = connect(port, '127.0.0.2').resume()
    const asking = connect(port, '127.0.0.2').setEncoding('utf8')
    asking.write(
      `POST /api/v2/service-accounts/me/rotate-api-key HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\n\r\n`,
    )
    await once(server.server, 'request')
    await until(() => places.total() === 2)
    let isClosed = false
    const closing = server.close().then(() => {
      isClosed = true
    })
    await once(idle, 'close')
    const late = connect(port, '127.0.0.2').resume()
    const [refused] = await once(late, 'error')
    assert.equal(refused.code, 'ECONNREFUSED')
    assert.equal(isClosed, false)
    held.resolve(null)
    const [text] = await once(asking, 'data')
    assert.match(text, /^HTTP\/1\.1 401 .*connection: close/is)
    await closing
    assert.equal(places.total(), 0)
  })

  it('is served at the other addresses when one is not of this machine', async (t) => {
    const { get } = await start(t, ['127.0.0.1', '192.0.2.1'])
    assert.equal((await get('/livez')).status, 200)
  })
})

describe('a port for several threads', () => {
  it('is free, and several servers can listen on it', async () => {
    const shared = await portToShare({ host, port: 0 })
    const port = shared?.port ?? 0
    assert.ok(port > 0)
    const servers = [await opened({ port, reusePort: true }), await opened({ port, reusePort: true })]
    assert.deepEqual(servers.map(portOf), [port, port])
    await Promise.all(servers.map(close))
    shared?.release()
  })

  it('goes to one of several services that try it at the same time, and to another after its release', async () => {
    const { port, release } = (await portToShare({ host, port: 0 })) ?? assert.fail()
    release()
    const looks = await Promise.allSettled(Array.from({ length: 5 }, () => portToShare({ host, port })))
    const given = looks.filter(({ status }) => status === 'fulfilled')
    assert.ok(given.length <= 1, `${given.length}`)
    for (const look of looks) {
      if (look.status === 'rejected') assert.equal(look.reason.code, 'SRV111')
      else look.value?.release()
    }
    const again = await portToShare({ host, port })
    assert.equal(again?.port, port)
    again?.release()
  })

  for (const reusePort of [false, true]) {
    it(`is refused when a server listens there that ${reusePort ? 'would share it' : 'does not share it'}`, async () => {
      const server = await opened({ port: 0, reusePort })
      await assert.rejects(portToShare({ host, port: portOf(server) }), { code: 'SRV111' })
      await close(server)
    })
  }

  it('is refused when the address is not of this machine', async () => {
    await assert.rejects(portToShare({ host: '192.0.2.1', port: 0 }), { code: 'SRV111' })
  })
})
