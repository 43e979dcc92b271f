/**
 * Writes the file of one table: collects rows in memory and writes them in blocks. A caller with many rows awaits
 * {@link TableFile.ready} now and then, so that a slow disk slows the caller down instead of filling the memory.
 */

import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import type { ExtractTable } from '../schema/extract-tables.ts'
import { type Row, type RowText, rowTexts, type TextFormat } from './text-formats.ts'

const BLOCK = 64 * 1024

export class TableFile {
  readonly table: ExtractTable
  readonly path: string
  #rows = 0
  #block: string
  #failure: Error | undefined
  readonly #text: RowText
  readonly #stream: WriteStream

  constructor(table: ExtractTable, path: string, format: TextFormat) {
    this.table = table
    this.path = path
    this.#text = rowTexts[format](table)
    this.#block = this.#text.head
    this.#stream = createWriteStream(path, { flags: 'wx', highWaterMark: 4 * BLOCK })
    this.#stream.on('error', (error) => {
      this.#failure = error
    })
  }

  get rows(): number {
    return this.#rows
  }

  write(row: Row): void {
    this.#block += this.#text.row(row)
    this.#rows++
    if (this.#block.length >= BLOCK) this.#send()
  }

  /** Waits until the stream has written its buffer. @throws the error of the file, if it had one */
  async ready(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    if (this.#stream.writableNeedDrain) await once(this.#stream, 'drain')
  }

  async close(): Promise<void> {
    await this.ready()
    this.#send()
    this.#stream.end()
    await once(this.#stream, 'close')
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Closes the file without writing the rest. */
  async abandon(): Promise<void> {
    if (this.#stream.closed) return
    const closed = once(this.#stream, 'close')
    this.#stream.destroy()
    await closed
  }

  #send(): void {
    this.#stream.write(this.#block)
    this.#block = ''
  }
}
