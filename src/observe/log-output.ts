/**
 * Writes the lines of the log to standard output without ever waiting for its reader. When the reader does not keep up, lines
 * wait here; when too many wait, further ones are dropped and counted, and the log tells how many when it flows again. What
 * still waits when the process ends is written then, as long as the reader reads.
 */
import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { detachedString } from '../kernel/detached-string.ts'
import type { LogDestination } from './logger.ts'
import type { Observe } from './observation.ts'

/** A pipe takes this much in one piece (PIPE_BUF), so that our lines and those of other writers do not mix. */
const PIPE_BYTES = 4096
const FILE_BYTES = 65_536

/** The pauses before it tries again to write, while the reader takes nothing. */
const FIRST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 50

/** When the process ends: how long the reader may take nothing, and how long all of it may take. */
const LAST_STILL_MS = 1000
const LAST_WRITES_MS = 10_000

export type LogOutput = LogDestination & {
  /** Writes what waits, as far as the reader takes it in time. Blocks the thread: for the end of the process. */
  readonly finish: () => void
}

type LogBuffer = {
  /** Lines beyond it are dropped. */
  readonly mostWaitingBytes: number
  /** Gets the observations about dropped lines. */
  readonly observe: Observe
}

/** On a terminal lines are written at once, as everything else that is printed there. */
export function standardOutput(buffer: LogBuffer): LogDestination {
  const output = process.stdout
  // The service continues when the reader of the log has closed the pipe.
  output.on('error', () => undefined)
  if (output.isTTY) return { write: (lines) => void output.write(lines) }
  const isFile = fstatSync(output.fd).isFile()
  const log = openLogOutput({
    file: isFile ? output.fd : notBlocking(output.fd),
    pieceBytes: isFile ? FILE_BYTES : PIPE_BYTES,
    ...buffer,
  })
  process.once('exit', log.finish)
  return log
}

/**
 * Node.js makes pipes and sockets of standard output non-blocking when it opens `process.stdout`. Another process with the same
 * pipe can undo that; a pipe that is opened once more has a mode of its own.
 */
function notBlocking(file: number): number {
  if (!fstatSync(file).isFIFO()) return file
  try {
    return openSync(`/proc/self/fd/${file}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    // Not Linux, or another user has opened the pipe.
    return file
  }
}

type LogOutputOptions = LogBuffer & {
  /** A file descriptor, of which writing does not block. */
  readonly file: number
  /** Lines are written together up to this size. */
  readonly pieceBytes: number
}

export function openLogOutput({ file, pieceBytes, mostWaitingBytes, observe }: LogOutputOptions): LogOutput {
  const space = Buffer.allocUnsafe(MOST_BYTES_OF_CHARACTER * pieceBytes)
  const waiting = new Lines(pieceBytes)
  /** Bytes of a piece that was written in part. */
  let rest: Buffer | null = null
  let retry: NodeJS.Timeout | undefined
  let pauseMs = FIRST_PAUSE_MS
  let isOpen = true
  let dropped = { lines: 0, sinceMs: 0 }

  function write(lines: string): void {
    // A busy turn of the service writes more at once than may wait: the reader may take the first of it now.
    for (let from = 0; from < lines.length; ) {
      const end = isOpen ? endOfFitting(lines, from, mostWaitingBytes - waiting.length) : from
      if (end > from) {
        waiting.add(partOf(lines, from, end))
        if (retry === undefined) writeWaiting()
        from = end
      } else {
        // A line that fits into nothing must not take with it those that do.
        const rest = isOpen && isEmpty() ? lines.indexOf('\n', from) + 1 || lines.length : lines.length
        drop(linesIn(lines.slice(from, rest)))
        from = rest
      }
    }
  }

  function drop(lines: number): void {
    if (dropped.lines === 0) dropped.sinceMs = performance.now()
    dropped.lines += lines
    observe({ kind: 'log-lines-dropped', lines })
  }

  function writeWaiting(): void {
    retry = undefined
    const isProgress = writeAll()
    if (isEmpty()) tellDropped()
    else if (isOpen) {
      pauseMs = isProgress ? FIRST_PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
      retry = setTimeout(writeWaiting, pauseMs).unref()
    }
  }

  const isEmpty = () => rest === null && waiting.length === 0

  /** @returns whether anything was written */
  function writeAll(): boolean {
    let isProgress = false
    let written = 0
    do {
      const piece = rest ?? encoded(waiting.take(), space)
      if (piece.length === 0) break
      written = writePiece(piece)
      // The space is used again for the next piece.
      rest = written < piece.length ? Buffer.from(piece.subarray(written)) : null
      isProgress ||= written > 0
    } while (written > 0)
    if (!isOpen) dropWaiting()
    return isProgress
  }

  /** @returns how many bytes were written */
  function writePiece(piece: Buffer): number {
    try {
      return writeSync(file, piece)
    } catch (cause) {
      // Usually the reader has closed the pipe (EPIPE): nobody will read the log any more.
      if (!isPassing(cause)) isOpen = false
      return 0
    }
  }

  function dropWaiting(): void {
    const lines = waiting.clear() + (rest === null ? 0 : linesIn(String(rest)))
    rest = null
    if (lines > 0) drop(lines)
  }

  function tellDropped(): void {
    const { lines, sinceMs } = dropped
    if (lines === 0 || !isOpen) return
    dropped = { lines: 0, sinceMs: 0 }
    observe({ kind: 'log-resumed', lines, seconds: Math.round((performance.now() - sinceMs) / 1000) })
  }

  function finish(): void {
    clearTimeout(retry)
    const began = performance.now()
    let movedAt = began
    while (isOpen && !isEmpty()) {
      const now = performance.now()
      if (writeAll()) movedAt = now
      else if (now - movedAt > LAST_STILL_MS) return
      if (now - began > LAST_WRITES_MS) return
      if (!isEmpty()) pause(LAST_PAUSE_MS)
    }
    tellDropped()
    writeAll()
  }

  return { write, finish }
}

/** Texts of whole lines, taken again in pieces of whole lines. */
class Lines {
  readonly #pieceLength: number
  #texts: string[] = []
  /** The part of the first text that was taken already. */
  #taken = 0
  #length = 0

  constructor(pieceLength: number) {
    this.#pieceLength = pieceLength
  }

  get length(): number {
    return this.#length
  }

  add(lines: string): void {
    const last = this.#texts.length - 1
    // Not the first text, which may have been taken in part.
    if (last > 0 && (this.#texts[last] as string).length < FILE_BYTES) this.#texts[last] += lines
    else this.#texts.push(lines)
    this.#length += lines.length
  }

  /** As many whole lines of one text as fit into a piece, but at least one; an empty text when there is none. */
  take(): string {
    const [text] = this.#texts
    if (text === undefined) return ''
    const end = this.#endOfPiece(text)
    const piece = text.slice(this.#taken, end)
    this.#taken = end
    this.#length -= piece.length
    if (end === text.length) {
      this.#texts.shift()
      this.#taken = 0
    }
    return piece
  }

  #endOfPiece(text: string): number {
    const most = this.#taken + this.#pieceLength
    if (text.length <= most) return text.length
    const fitting = text.lastIndexOf('\n', most - 1) + 1
    return fitting > this.#taken ? fitting : text.indexOf('\n', most) + 1 || text.length
  }

  /** @returns how many lines there were */
  clear(): number {
    const lines = linesIn(this.#texts.join('').slice(this.#taken))
    this.#texts = []
    this.#taken = 0
    this.#length = 0
    return lines
  }
}

/** Of a character of a string, as UTF-8. */
const MOST_BYTES_OF_CHARACTER = 3

/** Encodes into the space if it fits in any case. A single line may be longer than a piece. */
function encoded(text: string, space: Buffer): Buffer {
  if (MOST_BYTES_OF_CHARACTER * text.length > space.length) return Buffer.from(text)
  return space.subarray(0, space.write(text))
}

/** Where the last whole line that fits into so many bytes ends; `from` when none fits. */
function endOfFitting(lines: string, from: number, bytes: number): number {
  if (lines.length - from <= bytes) return lines.length
  return Math.max(from, lines.lastIndexOf('\n', from + bytes - 1) + 1)
}

/** Waits for the reader without keeping the rest of the text in memory. */
const partOf = (lines: string, from: number, end: number): string =>
  end - from === lines.length ? lines : detachedString(lines.slice(from, end))

function linesIn(text: string): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

/** The pipe or the disk is full, which may end. */
const isPassing = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && PASSING.has(String(cause.code))

const PASSING: ReadonlySet<string> = new Set(['EAGAIN', 'EINTR', 'ENOBUFS', 'ENOSPC', 'EDQUOT'])

const LAST_PAUSE_MS = 2
const sleeper = new Int32Array(new SharedArrayBuffer(4))
const pause = (milliseconds: number): void => void Atomics.wait(sleeper, 0, 0, milliseconds)
