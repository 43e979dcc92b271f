/** A caller that says byte by byte what it sends, and reads only when it is told to. */
import { connect, type Socket } from 'node:net'

export type RawAnswer = {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

export class RawCaller {
  readonly socket: Socket
  readonly #answers: RawAnswer[] = []
  /** What came after the answers. */
  #received = ''
  /** The first answer in what was received cannot be whole before that. */
  #neededLength = 0
  /** Resolves when the connection has ended, whichever side ended it. */
  readonly closed: Promise<void>

  /** @param from an address of the loopback network to call from, such as 127.0.0.2 */
  constructor(address: string, from = '127.0.0.1') {
    const { hostname: host, port } = new URL(address)
    this.socket = connect({ host, port: Number(port), localAddress: from })
    // The connection may be reset: that shows in what was received.
    this.socket.on('error', () => undefined)
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()))
    this.socket.setEncoding('latin1')
    this.socket.on('data', (text) => {
      this.#received += text
    })
  }

  send(text: string): this {
    this.socket.write(text)
    return this
  }

  /** From now on it reads nothing. */
  stop(): this {
    this.socket.pause()
    return this
  }

  goOn(): this {
    this.socket.resume()
    return this
  }

  /** When the last answer has not arrived whole, it is not there. */
  get answers(): readonly RawAnswer[] {
    // A long answer arrives in many pieces: it is read once, and not with each of them.
    while (this.#received !== '' && this.#received.length >= this.#neededLength) {
      const end = this.#received.indexOf('\r\n\r\n')
      if (end < 0) break
      const [line = '', ...fields] = this.#received.slice(0, end).split('\r\n')
      const headers = new Map(
        fields.map((field) => {
          const colon = field.indexOf(':')
          return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
        }),
      )
      this.#neededLength = end + 4 + Number(headers.get('content-length') ?? 0)
      if (this.#received.length < this.#neededLength) break
      const read = bodyOf(this.#received.slice(end + 4), headers)
      if (read === null) break
      this.#answers.push({ status: Number(line.split(' ')[1]), headers, body: read.body })
      this.#received = read.rest
      this.#neededLength = 0
    }
    return [...this.#answers]
  }

  /** Waits for so many whole answers, or for the end of the connection. */
  async answered(count = 1): Promise<readonly RawAnswer[]> {
    let isOpen = true
    const closed = this.closed.then(() => {
      isOpen = false
    })
    while (isOpen && this.answers.length < count) {
      const more = new Promise((resolve) => this.socket.once('data', resolve))
      await Promise.race([more, closed])
    }
    return this.answers
  }
}

function bodyOf(
  text: string,
  headers: ReadonlyMap<string, string>,
): { readonly body: string; readonly rest: string } | null {
  if (headers.get('transfer-encoding') !== 'chunked') {
    const length = Number(headers.get('content-length') ?? 0)
    return text.length < length ? null : { body: text.slice(0, length), rest: text.slice(length) }
  }
  const parts: string[] = []
  for (let at = 0; ; ) {
    const line = text.indexOf('\r\n', at)
    if (line < 0) return null
    const size = Number.parseInt(text.slice(at, line), 16)
    const end = line + 2 + size
    if (text.length < end + 2) return null
    if (size === 0) return { body: parts.join(''), rest: text.slice(end + 2) }
    parts.push(text.slice(line + 2, end))
    at = end + 2
  }
}

export const get = (path: string, apiKey = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\n\r\n`
