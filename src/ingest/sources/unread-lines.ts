/**
 * Keeps all lines of `invoices` that are not rows: lines and payments may belong to an invoice that cannot be read. The walk
 * of a file finds them one by one; a text file collects them, and the database reads it at the end.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathLiteral } from '../sql-text.ts'
import { unreadInvoices } from '../staging.ts'
import type { WorkDatabase } from '../work-database.ts'
import type { MalformedLine } from './table-part.ts'

const BUFFERED_CHARACTERS = 2 ** 18

export class UnreadLines {
  readonly #database: WorkDatabase
  readonly #path: string
  #buffered = ''
  #isEmpty = true

  constructor(database: WorkDatabase) {
    this.#database = database
    this.#path = join(database.folder, 'unread-invoices.txt')
  }

  add({ table, text }: MalformedLine): void {
    if (table.name !== 'invoices') return
    // A line feed separates the lines. Control characters are never part of a number.
    this.#buffered += `${text.replaceAll(/\p{Cc}/gu, ' ')}\n`
    this.#isEmpty = false
    if (this.#buffered.length > BUFFERED_CHARACTERS) this.#write()
  }

  async stage(): Promise<void> {
    if (this.#isEmpty) return
    this.#write()
    await this.#database.run(
      `INSERT INTO ${unreadInvoices} SELECT line FROM read_csv(${pathLiteral(this.#path)}, columns = {line: 'VARCHAR'},
         auto_detect = false, header = false, delim = chr(1), quote = '', escape = '')`,
    )
  }

  #write(): void {
    appendFileSync(this.#path, this.#buffered, { mode: 0o600 })
    this.#buffered = ''
  }
}
