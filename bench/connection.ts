/**
 * Sends requests over one kept-alive HTTP/1.1 connection, each as soon as the answer to the last one is complete. It does
 * far less than an HTTP client, so that on a small machine the server stays the slower side. Refuses answers without a
 * Content-Length: for these the bench uses the client of Node.js.
 */
import { connect } from 'node:net'

export type Asked = {
  /** The bytes of the next request, or null to end. */
  readonly next: () => Buffer | null
  readonly answered: (status: number, milliseconds: number) => void
  /** The pause between an answer and the next request. */
  readonly pauseMs?: number
}

export function askOverConnection(address: string, { next, answered, pauseMs }: Asked): Promise<void> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    const ask = () => {
      const request = next()
      if (request === null) {
        socket.destroy()
        resolve()
        return
      }
      asked = performance.now()
      socket.write(request)
    }
    const read = answerReader((status) => {
      answered(status, performance.now() - asked)
      if (pauseMs === undefined) ask()
      else setTimeout(ask, pauseMs)
    })
    let asked = 0
    socket.on('connect', ask)
    socket.on('data', (chunk: Buffer) => {
      try {
        read(chunk)
      } catch (error) {
        socket.destroy()
        reject(error)
      }
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`${address} closed the connection in the middle of a round`)))
  })
}

/** The bytes of a GET request for this path. */
export function requestBytes(path: string, headers: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench\r\n${lines.join('')}\r\n`, 'latin1')
}

const END_OF_HEADERS = '\r\n\r\n'

/** Takes chunks as they arrive and reports the status of every answer when its last byte has arrived. */
function answerReader(whole: (status: number) => void): (chunk: Buffer) => void {
  let headers: Buffer | null = null
  let status = 0
  let missing = 0
  return (chunk) => {
    if (missing === 0) {
      if (headers !== null) chunk = Buffer.concat([headers, chunk])
      const end = chunk.indexOf(END_OF_HEADERS)
      if (end < 0) {
        headers = chunk
        return
      }
      headers = null
      const head = chunk.toString('latin1', 0, end)
      status = Number(head.slice(9, 12))
      missing = bodyLength(status, head) - (chunk.length - end - END_OF_HEADERS.length)
    } else {
      missing -= chunk.length
    }
    if (missing < 0) throw new Error('The server sent more bytes than its Content-Length')
    if (missing === 0) whole(status)
  }
}

function bodyLength(status: number, head: string): number {
  if (status === 304 || status === 204) return 0
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`Expected an answer with a Content-Length, found:\n${head}`)
  return Number(length)
}
