import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { describe, it } from 'node:test'
import { portToShare } from './listen.ts'

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

describe('a port for several threads', () => {
  it('is one that is free, and can be listened on more than once', async () => {
    const shared = await portToShare({ host, port: 0 })
    const port = shared?.port ?? 0
    assert.ok(port > 0)
    const servers = [await opened({ port, reusePort: true }), await opened({ port, reusePort: true })]
    assert.deepEqual(servers.map(portOf), [port, port])
    await Promise.all(servers.map(close))
    shared?.giveBack()
  })

  it('goes to one of several services that look for it at the same time, and to another once it was given back', async () => {
    const { port, giveBack } = (await portToShare({ host, port: 0 })) ?? assert.fail()
    giveBack()
    const looks = await Promise.allSettled(Array.from({ length: 5 }, () => portToShare({ host, port })))
    const given = looks.filter(({ status }) => status === 'fulfilled')
    assert.ok(given.length <= 1, `${given.length}`)
    for (const look of looks) {
      if (look.status === 'rejected') assert.equal(look.reason.code, 'SRV111')
      else look.value?.giveBack()
    }
    const again = await portToShare({ host, port })
    assert.equal(again?.port, port)
    again?.giveBack()
  })

  for (const reusePort of [false, true]) {
    it(`is refused when somebody else listens there, ${reusePort ? 'who would share it' : 'who does not share it'}`, async () => {
      const server = await opened({ port: 0, reusePort })
      await assert.rejects(portToShare({ host, port: portOf(server) }), { code: 'SRV111' })
      await close(server)
    })
  }

  it('is refused when the address is not of this machine', async () => {
    await assert.rejects(portToShare({ host: '192.0.2.1', port: 0 }), { code: 'SRV111' })
  })
})
