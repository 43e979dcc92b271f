/** A reverse proxy that offers a service below a path, as nginx does with `location /travel/` and `proxy_pass`. */
import { once } from 'node:events'
import { request as ask, createServer, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'

export type PathProxy = {
  /** Of the host; the service is below it. */
  readonly origin: string
  /** Requests that came for another path than that of the service. */
  readonly strays: readonly string[]
  readonly close: () => Promise<void>
}

export async function startPathProxy(
  target: string,
  {
    path,
    strips,
    headers = {},
  }: {
    /** Such as `/travel`. */
    readonly path: string
    /** Whether the service gets addresses without the path. */
    readonly strips: boolean
    readonly headers?: OutgoingHttpHeaders
  },
): Promise<PathProxy> {
  const strays: string[] = []
  const { hostname, port } = new URL(target)
  const server = createServer((request, response) => {
    const { method, url = '' } = request
    if (!url.startsWith(`${path}/`)) {
      strays.push(`${method} ${url}`)
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Nothing here')
      return
    }
    const forwarded = ask({
      ...{ hostname, port, method, agent: false },
      path: strips ? url.slice(path.length) : url,
      headers: { ...request.headers, ...headers },
    })
    forwarded.on('response', (answer: IncomingMessage) => {
      response.writeHead(answer.statusCode as number, answer.rawHeaders)
      pipeline(answer, response, () => undefined)
    })
    forwarded.on('error', () => response.destroy())
    response.on('close', () => forwarded.destroy())
    request.pipe(forwarded)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    strays,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
