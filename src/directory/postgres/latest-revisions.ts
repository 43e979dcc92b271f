/**
 * Reads the revisions of what requests need, in the cheapest way that PostgreSQL has: one prepared statement without
 * parameters, whose bytes are always the same. The driver's own queries cost twice the processor time.
 */
import type { Connection, PoolClient, Submittable } from 'pg'

export type Revisions = {
  /** Grows with every change of an account. */
  readonly accounts: number
  /** Grows with every change of the endpoints that callers reach; 0 until the first. */
  readonly endpoints: number
}

/** Both columns of every query for the latest state. */
export const REVISION_COLUMNS = `(select revision from account_revision) as accounts,
  coalesce((select revision from revisions where subject = 'endpoints'), 0) as endpoints`

/** @throws what the driver throws */
export const readRevisions = (client: PoolClient): Promise<Revisions> =>
  new Promise((resolve, reject) => {
    client.query(new RevisionsQuery((error, found) => (found === null ? reject(error) : resolve(found))))
  })

const NAME = 'latest-revisions'
const TEXT = `select ${REVISION_COLUMNS}`

type Callback = (error: Error | null, found: Revisions | null) => void

class RevisionsQuery implements Submittable {
  /** The driver puts its own in its place, which ends a wait that takes too long. */
  callback: Callback
  #found: Revisions | null = null

  constructor(callback: Callback) {
    this.callback = callback
  }

  submit(connection: Connection): void {
    const { stream } = connection
    if (prepared.has(connection)) {
      stream.write(RUN)
      return
    }
    // A statement that fails closes its connection.
    prepared.add(connection)
    stream.write(Buffer.concat([PREPARE, RUN]))
  }

  handleDataRow({ fields: [accounts, endpoints] }: { readonly fields: readonly (string | null)[] }): void {
    this.#found = { accounts: Number(accounts), endpoints: Number(endpoints) }
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    const missing = this.#found === null ? new Error('The server sent no revisions') : null
    this.callback(missing, this.#found)
  }

  handleError(error: Error): void {
    this.callback(error, null)
  }
}

const prepared = new WeakSet<Connection>()

/** https://www.postgresql.org/docs/current/protocol-message-formats.html: type, length without the type, content. */
function message(type: string, content: string): Buffer {
  const bytes = Buffer.from(`${type}\0\0\0\0${content}`)
  bytes.writeUInt32BE(bytes.byteLength - 1, 1)
  return bytes
}

const INT16_ZERO = '\0\0'
const INT32_ZERO = '\0\0\0\0'
const UNNAMED = '\0'

/** Parse: name, text, no types of parameters. */
const PREPARE = message('P', `${NAME}\0${TEXT}\0${INT16_ZERO}`)

/** Bind: portal, statement, no formats, no parameters, results as text. Execute: portal, all rows. Sync. */
const RUN = Buffer.concat([
  message('B', `${UNNAMED}${NAME}\0${INT16_ZERO}${INT16_ZERO}${INT16_ZERO}`),
  message('E', `${UNNAMED}${INT32_ZERO}`),
  message('S', ''),
])
