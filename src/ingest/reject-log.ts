/**
 * Writes the list of rejects, one JSON object per line, as they are found. It quotes the extract, so long values are cut,
 * and text that looks like a card number keeps only its last four digits.
 */
import { closeSync, fchmodSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { CLIENT_FILE_MODE } from '../snapshot/format/layout.ts'
import { shortened } from './rules/field-rules.ts'
import { quoteMask } from './tables.ts'

export type Reject = {
  readonly table: string
  /** The client number of the row; null when it is not known. */
  readonly client: string | null
  /** The file in the source folder, and the row in it: the first row below the header is 1. */
  readonly file: string
  readonly row: number
  /** The row's identity by column, as far as it could be read. */
  readonly key: Readonly<Record<string, string | null>> | null
  /** The column at fault; null when the whole row is. */
  readonly field: string | null
  readonly rule: string
  readonly value: string | null
  readonly message: string
}

export const REJECTS_FILE = 'rejects.ndjson'

const BUFFERED_CHARACTERS = 2 ** 18
const LONGEST_VALUE = 200

export class RejectLog {
  readonly #file: number
  readonly #onReject: (shown: Reject) => void
  #buffered = ''

  /** @param onReject receives each reject as the list shows it */
  constructor(path: string, onReject: (shown: Reject) => void = () => undefined) {
    this.#onReject = onReject
    this.#file = openSync(path, 'w', CLIENT_FILE_MODE)
    fchmodSync(this.#file, CLIENT_FILE_MODE)
  }

  add({ table, client, file, row, key, field, rule, value, message }: Reject): void {
    const mask = quoteMask(table)
    const maskOfField = quoteMask(table, field)
    const shown: Reject = {
      table,
      client: quoted(client, mask),
      file,
      row,
      key: key && mapValues(key, (value) => quoted(value, mask)),
      field,
      rule,
      value: quoted(value, maskOfField),
      message: maskOfField(message),
    }
    this.#onReject(shown)
    this.#buffered += `${JSON.stringify(shown)}\n`
    if (this.#buffered.length > BUFFERED_CHARACTERS) this.#write()
  }

  /** Returns when everything added so far is on the disk. */
  sync(): void {
    this.#write()
    fsyncSync(this.#file)
  }

  close(): void {
    this.#write()
    closeSync(this.#file)
  }

  #write(): void {
    writeSync(this.#file, this.#buffered)
    this.#buffered = ''
  }
}

type Mask = (text: string) => string

/** Masks before it cuts: a card number that is cut short might not be recognised. */
const quoted = (value: string | null, mask: Mask): string | null =>
  value === null ? null : shortened(mask(value), LONGEST_VALUE)

const mapValues = <T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
