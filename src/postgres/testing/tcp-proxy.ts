/** Stands between a client and a server of PostgreSQL, and breaks what lies between them. */
import { once } from 'node:events'
import { createServer, connect as openSocket, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

export type TcpProxy = {
  /** The URL of the database by way of the proxy. */
  readonly url: string
  /** Ends every connection at once; new ones work. */
  readonly cut: () => void
  /** Keeps connections open, and accepts new ones, but passes nothing on in either direction. */
  readonly hang: () => void
  /** Ends every connection and accepts no new one. */
  readonly refuse: () => Promise<void>
  /** Passes everything on again, also on the connections that hung. */
  readonly restore: () => Promise<void>
  readonly close: () => Promise<void>
}

/** @param test closes the proxy when it ends; without it the caller does */
export async function openTcpProxy(
  databaseUrl: string,
  test?: Pick<TestContext, 'after'>,
): Promise<TcpProxy> {
  const { hostname, port } = new URL(databaseUrl)
  const pairs = new Set<readonly [Socket, Socket]>()
  let hangs = false

  const accept = (client: Socket) => {
    const server = openSocket({ host: hostname, port: Number(port) })
    const pair = [client, server] as const
    pairs.add(pair)
    for (const [from, to] of [pair, [server, client] as const]) {
      from.on('error', () => undefined)
      from.on('close', () => {
        pairs.delete(pair)
        to.destroy()
      })
      from.on('data', (chunk) => {
        if (!to.write(chunk)) from.pause()
      })
      to.on('drain', () => hangs || from.resume())
      if (hangs) from.pause()
    }
  }

  const cut = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  }
  const listen = async (port: number): Promise<Server> => {
    const server = createServer({ noDelay: true }, accept).listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  const stop = async () => {
    if (!listening.listening) return
    const closed = once(listening, 'close')
    listening.close()
    cut()
    await closed
  }

  let listening = await listen(0)
  const address = listening.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port')
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${address.port}`
  test?.after(stop)
  return {
    url: url.href,
    cut,
    hang: () => {
      hangs = true
      for (const pair of pairs) for (const socket of pair) socket.pause()
    },
    refuse: stop,
    restore: async () => {
      hangs = false
      for (const pair of pairs) for (const socket of pair) socket.resume()
      if (!listening.listening) listening = await listen(address.port)
    },
    close: stop,
  }
}
