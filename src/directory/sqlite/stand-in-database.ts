/**
 * A connection to a file that cannot be written at the moment: it runs queries, refuses changes, and becomes an ordinary
 * connection as soon as the file can be written again. Statements that were prepared before stay usable.
 */
import {
  type Connection,
  type ConnectOptions,
  fingerprintOf,
  openToRead,
  openToWrite,
  type Statement,
} from './open-sqlite.ts'

/** How long it uses what it has open before it tries again to write. */
const TRIED_EVERY_MS = 2000

type Parts = {
  readonly path: string
  readonly options: ConnectOptions
  /** Why the file cannot be written. */
  readonly cause: unknown
  /** Opens what is read meanwhile, and opens it anew when the file has changed. */
  readonly openToRead?: ((path: string) => Connection) | undefined
}

export class StandInDatabase implements Connection {
  readonly #path: string
  readonly #options: ConnectOptions
  readonly #openToRead: (path: string) => Connection
  readonly cause: unknown
  #database: Connection
  #canWrite = false
  /** Grows each time a connection replaces another. */
  #generation = 0
  #fingerprint: string
  #triedAt: number
  #looking: NodeJS.Timeout | undefined
  #onWritable = (): void => undefined

  /** @throws the error of SQLite when the file cannot be read either */
  constructor({ path, options, cause, openToRead: open = openToRead }: Parts) {
    this.#path = path
    this.#options = options
    this.#openToRead = open
    this.cause = cause
    this.#fingerprint = fingerprintOf(path)
    this.#database = open(path)
    this.#triedAt = performance.now()
  }

  get isOpen(): boolean {
    return this.#database.isOpen
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction
  }

  /** Grows when another connection takes over, also because the file has changed: earlier reads are then out of date. */
  get generation(): number {
    this.#lookAgain()
    return this.#generation
  }

  /** Checks every two seconds, even without queries, whether the file can be written again, and then calls `tell` once. */
  whenWritable(tell: () => void): void {
    this.#onWritable = tell
    this.#looking = setInterval(() => {
      try {
        this.#lookAgain()
      } catch {
        // The folder is missing for the moment: the next query reports it.
      }
    }, TRIED_EVERY_MS).unref()
  }

  prepare(sql: string): Statement {
    let generation = this.#generation
    let statement = this.#database.prepare(sql)
    const current = () => {
      this.#lookAgain()
      if (generation !== this.#generation) {
        statement = this.#database.prepare(sql)
        generation = this.#generation
      }
      return statement
    }
    return {
      all: (...values) => current().all(...values),
      get: (...values) => current().get(...values),
      run: (...values) => current().run(...values),
      columns: () => current().columns(),
    }
  }

  exec(sql: string): void {
    this.#lookAgain()
    this.#database.exec(sql)
  }

  close(): void {
    clearInterval(this.#looking)
    this.#database.close()
  }

  #lookAgain(): void {
    if (this.#canWrite || this.#database.isTransaction) return
    const now = performance.now()
    const fingerprint = fingerprintOf(this.#path)
    if (fingerprint === this.#fingerprint && now - this.#triedAt < TRIED_EVERY_MS) return
    this.#triedAt = now
    const next = this.#openAgain(fingerprint !== this.#fingerprint)
    // Opening may have created an empty log beside the file.
    this.#fingerprint = fingerprintOf(this.#path)
    if (next === null) return
    this.#database.close()
    this.#database = next
    this.#generation++
    if (!this.#canWrite) return
    clearInterval(this.#looking)
    this.#onWritable()
  }

  #openAgain(hasChanged: boolean): Connection | null {
    try {
      const database = openToWrite(this.#path, this.#options)
      this.#canWrite = true
      return database
    } catch {
      return hasChanged ? this.#readAgain() : null
    }
  }

  #readAgain(): Connection | null {
    try {
      return this.#openToRead(this.#path)
    } catch {
      // Another connection is writing: keep what is open until the next attempt.
      return null
    }
  }
}
