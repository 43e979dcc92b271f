/**
 * Stands between clients and a server of PostgreSQL as PgBouncer does: it refuses settings in the start-up message. In session
 * mode a client has a connection to the server of its own. In transaction mode all clients share one, each for the time of a
 * transaction; the pooler starts their sessions itself, so they need no password.
 *
 * Messages: https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
import { once } from 'node:events'
import { createServer, connect as openSocket, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** @returns the URL of the database by way of the pooler, which the end of the test closes */
export async function openPooler(
  databaseUrl: string,
  mode: 'session' | 'transaction',
  test: Pick<TestContext, 'after'>,
): Promise<string> {
  const { hostname, port } = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const open = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    return socket
  }
  const toServer = () => open(openSocket({ host: hostname, port: Number(port) }))
  const share = shareOneConnection(toServer)
  const pooler = createServer({ noDelay: true }, (client) => {
    open(client)
    client.once('data', (startUp) => {
      const refused = unsupportedIn(startUp)
      if (refused !== undefined) client.end(errorResponse(refused))
      else if (mode === 'session') passOn(client, toServer(), startUp)
      else share(client, startUp)
    })
  }).listen(0, '127.0.0.1')
  await once(pooler, 'listening')
  test.after(() => {
    pooler.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = pooler.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port')
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${address.port}`
  return url.href
}

/** Parameters that PgBouncer takes besides these are sent to it as settings of its own. */
const SUPPORTED = ['user', 'database', 'client_encoding', 'datestyle', 'timezone', 'application_name']

/** A start-up message is its length, the version of the protocol, and names and values that end with a zero each. */
function unsupportedIn(startUp: Buffer): string | undefined {
  const names = startUp
    .toString('utf8', 8)
    .split('\0')
    .filter((_, i) => i % 2 === 0)
  return names.find((name) => name !== '' && !SUPPORTED.includes(name.toLowerCase()))
}

function errorResponse(parameter: string): Buffer {
  const fields = [`SFATAL`, 'C08P01', `Munsupported startup parameter: ${parameter}`]
  return message('E', Buffer.from(`${fields.join('\0')}\0\0`))
}

function message(kind: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5, kind)
  head.writeInt32BE(body.byteLength + 4, 1)
  return Buffer.concat([head, body])
}

function passOn(client: Socket, server: Socket, startUp: Buffer): void {
  server.write(startUp)
  client.pipe(server)
  server.pipe(client)
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const)
    one.on('close', () => other.destroy())
}

/** Who sends first has the connection until the server says that it is idle again. */
function shareOneConnection(toServer: () => Socket): (client: Socket, startUp: Buffer) => void {
  let server: Socket | undefined
  let holder: Socket | undefined
  const waiting: { readonly client: Socket; readonly sent: Buffer }[] = []
  const next = () => {
    const first = waiting.shift()
    holder = first?.client
    if (first !== undefined) server?.write(first.sent)
  }
  const READY_AND_IDLE = message('Z', Buffer.from('I'))
  const welcome = message('R', Buffer.alloc(4))
  return (client, startUp) => {
    const start = () => {
      client.write(Buffer.concat([welcome, READY_AND_IDLE]))
      client.on('data', (sent) => {
        // A client that leaves says so, which is none of the server's business.
        if (sent[0] === 'X'.charCodeAt(0)) return
        if (holder === undefined || holder === client) {
          holder = client
          server?.write(sent)
        } else waiting.push({ client, sent })
      })
    }
    if (server !== undefined) return start()
    server = toServer()
    server.write(startUp)
    let isStarted = false
    server.on('data', (answer) => {
      const isIdle = answer.subarray(-READY_AND_IDLE.byteLength).equals(READY_AND_IDLE)
      if (isStarted) holder?.write(answer)
      else if (isIdle) start()
      if (!isIdle) return
      isStarted = true
      next()
    })
  }
}
