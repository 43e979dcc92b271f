/** The bare server of the bench: sends the same bytes with node:http alone. Reads one answer as JSON from stdin. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly chunkBytes?: number
}

const { status, headers, body, chunkBytes } = (await json(process.stdin)) as Answer
const bytes = Buffer.from(body, 'base64')

const server = createServer((_request, response) => {
  response.writeHead(status, headers)
  if (chunkBytes === undefined) response.end(status === 304 ? undefined : bytes)
  else sendInPieces(response, chunkBytes)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.on('SIGTERM', () => process.exit(0))

function sendInPieces(response: ServerResponse, size: number): void {
  let sent = 0
  const send = () => {
    while (sent < bytes.length) {
      const ready = response.write(bytes.subarray(sent, (sent += size)))
      if (!ready) {
        response.once('drain', send)
        return
      }
    }
    response.end()
  }
  send()
}
