/** A caller that says byte by byte what it sends, and reads only when it is told to. */
import { connect, type Socket } from 'node:net'

export type RawAnswer = {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

export class RawCaller {
  readonly socket: Socket
  readonly #reader = new AnswerReader()
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
    this.socket.on('data', (text) => this.#reader.add(String(text)))
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
    return [...this.#reader.answers]
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

/** Reads answers piece by piece, as they arrive: an answer of megabytes comes in hundreds of pieces. */
class AnswerReader {
  readonly answers: RawAnswer[] = []
  #unread = ''
  #head: Omit<RawAnswer, 'body'> | null = null
  #body: string[] = []
  /** The length of what is left of the body, or of its chunk. */
  #left = 0

  add(text: string): void {
    this.#unread += text
    while (this.#head === null ? this.#readHead(this.#unread) : this.#readBody(this.#head));
  }

  #readHead(text: string): boolean {
    const end = text.indexOf('\r\n\r\n')
    if (end < 0) return false
    const [line = '', ...fields] = text.slice(0, end).split('\r\n')
    const headers = new Map(
      fields.map((field) => {
        const colon = field.indexOf(':')
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
      }),
    )
    this.#head = { status: Number(line.split(' ')[1]), headers }
    this.#left = Number(headers.get('content-length') ?? 0)
    this.#unread = text.slice(end + 4)
    return true
  }

  /** @returns whether there may be more to read in what has arrived */
  #readBody(head: Omit<RawAnswer, 'body'>): boolean {
    if (this.#left > 0) {
      const piece = this.#unread.slice(0, this.#left)
      this.#body.push(piece)
      this.#left -= piece.length
      this.#unread = this.#unread.slice(piece.length)
      return this.#left === 0
    }
    if (head.headers.get('transfer-encoding') === 'chunked') {
      // The end of the line before it belongs to the chunk before.
      const size = /^(?:\r\n)?([\da-f]+)\r\n(\r\n)?/i.exec(this.#unread)
      if (size === null) return false
      this.#left = Number.parseInt(size[1] as string, 16)
      const isLast = this.#left === 0
      if (isLast && size[2] === undefined) return false
      this.#unread = this.#unread.slice(isLast ? size[0].length : size[0].length - (size[2]?.length ?? 0))
      if (!isLast) return true
    }
    this.answers.push({ ...head, body: this.#body.join('') })
    this.#head = null
    this.#body = []
    return true
  }
}

export const get = (path: string, apiKey = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\n\r\n`
