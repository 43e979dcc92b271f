/**
 * Reads a whole answer of any length over a connection of its own, and counts its bytes. Refuses an answer that is not 200
 * or that ends early.
 */
import { connect, type Socket } from 'node:net'
import { requestBytes } from './connection.ts'

export type Drained = {
  readonly bytes: number
  /** From opening the connection to the last byte. */
  readonly milliseconds: number
  /** From sending the request to the last byte. */
  readonly requestMs: number
  /** Time until the first byte of the answer. */
  readonly firstByteMs: number
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n')

export function drain(
  address: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Drained> {
  return new Promise((resolve, reject) => {
    const asked = performance.now()
    let sent = asked
    const socket = ask(address, path, headers)
    // Before the listener that sends the request.
    socket.prependListener('connect', () => {
      sent = performance.now()
    })
    let firstByteMs = 0
    let bytes = 0
    let head = ''
    let tail: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      if (bytes === 0) {
        firstByteMs = performance.now() - asked
        head = chunk.toString('latin1', 0, 1024)
      }
      bytes += chunk.length
      tail = chunk.length >= LAST_CHUNK.length ? chunk : Buffer.concat([tail, chunk])
    })
    socket.on('error', reject)
    socket.on('end', () => {
      const problem = problemOf(head, tail)
      if (problem !== null) reject(new Error(`${path}: ${problem}`))
      else {
        const ended = performance.now()
        resolve({ bytes, milliseconds: ended - asked, requestMs: ended - sent, firstByteMs })
      }
    })
  })
}

/** Reads the beginning of an answer, then pauses until `release`. */
export async function drainSlowly(
  address: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly release: () => void }> {
  const socket = ask(address, path, headers)
  await new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('data', resolve)
  })
  socket.pause()
  return { release: () => socket.destroy() }
}

function ask(address: string, path: string, headers: Readonly<Record<string, string>>): Socket {
  const { hostname, port } = new URL(address)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  socket.on('connect', () => socket.write(requestBytes(path, { ...headers, Connection: 'close' })))
  return socket
}

function problemOf(head: string, tail: Buffer): string | null {
  if (!head.startsWith('HTTP/1.1 200')) return `expected 200, found ${head.slice(0, 200)}`
  const chunked = /\r\ntransfer-encoding: *chunked/i.test(head)
  return chunked && !tail.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK) ? 'the answer ended early' : null
}
