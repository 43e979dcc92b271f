/** The connection of the load generator against real servers: what it counts as an answer, and what it refuses. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { describe, it } from 'node:test'
import { askOverConnection, requestBytes } from './connection.ts'

describe('a connection of the load generator', () => {
  it('asks again once the whole answer is there, and reports every status', async () => {
    const asked: string[] = []
    const statuses = await ask(
      (request, response) => {
        asked.push(request.url ?? '')
        response.writeHead(asked.length === 2 ? 304 : 200, { 'Content-Length': 300_000 })
        response.end(asked.length === 2 ? undefined : Buffer.alloc(300_000))
      },
      ['/a', '/b', '/c'],
    )
    assert.deepEqual(asked, ['/a', '/b', '/c'])
    assert.deepEqual(statuses, [200, 304, 200])
  })

  it('understands headers that come in pieces', async () => {
    const server = createSocketServer((socket) => {
      socket.once('data', () => {
        socket.setNoDelay(true)
        socket.write('HTTP/1.1 200 OK\r\nContent-Le', () => {
          setImmediate(() => socket.write('ngth: 2\r\n\r', () => setImmediate(() => socket.write('\nok'))))
        })
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      assert.deepEqual(await askAt(server.address() as AddressInfo, ['/']), [200])
    } finally {
      server.close()
    }
  })

  it('refuses an answer without a Content-Length', async () => {
    const refused = ask((_request, response) => response.write('piece'), ['/'])
    await assert.rejects(refused, /Expected an answer with a Content-Length/)
  })

  it('refuses a server that hangs up in the middle', async () => {
    await assert.rejects(
      ask((request) => request.socket.destroy(), ['/']),
      /closed the connection|ECONNRESET/,
    )
  })
})

async function ask(listener: RequestListener, paths: readonly string[]): Promise<readonly number[]> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await askAt(server.address() as AddressInfo, paths)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

async function askAt({ port }: AddressInfo, paths: readonly string[]): Promise<readonly number[]> {
  const left = [...paths]
  const statuses: number[] = []
  await askOverConnection(`http://127.0.0.1:${port}`, {
    next: () => {
      const path = left.shift()
      return path === undefined ? null : requestBytes(path, {})
    },
    answered: (status) => statuses.push(status),
  })
  return statuses
}
