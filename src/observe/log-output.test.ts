import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openLogOutput } from './log-output.ts'
import type { Observation } from './observation.ts'

/** More than a pipe holds (64 KiB on Linux). */
const LONG = 300_000

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-log-'))
})
after(() => rm(folder, { recursive: true }))

let pipes = 0

/** A log that goes to a pipe, and the other end of the pipe. */
function openPipe(mostWaitingBytes = 2 ** 20) {
  const path = join(folder, `pipe-${pipes++}`)
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const file = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  const observed: Observation[] = []
  const log = openLogOutput({
    file,
    pieceBytes: 4096,
    mostWaitingBytes,
    observe: (observation) => {
      observed.push(observation)
      if (observation.kind === 'log-resumed') log.write(`resumed after ${observation.lines}\n`)
    },
  })
  const dropped = () =>
    observed.reduce((sum, fact) => sum + (fact.kind === 'log-lines-dropped' ? fact.lines : 0), 0)
  return { log, reader, file, observed, dropped }
}

/** Everything that is in the pipe now. */
const readAll = (reader: number): string => String(readBytes(reader))

function readBytes(reader: number): Buffer {
  const chunks: Buffer[] = []
  const space = Buffer.alloc(65_536)
  try {
    for (let bytes = 1; bytes > 0; ) {
      bytes = readSync(reader, space)
      chunks.push(Buffer.from(space.subarray(0, bytes)))
    }
  } catch (cause) {
    assert.equal((cause as NodeJS.ErrnoException).code, 'EAGAIN')
  }
  return Buffer.concat(chunks)
}

async function readUntil(reader: number, isAll: (text: string) => boolean): Promise<string> {
  let read = Buffer.alloc(0)
  while (!isAll(String(read))) {
    read = Buffer.concat([read, readBytes(reader)])
    await setTimeout(1)
  }
  return String(read)
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function usedBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

const numbered = (count: number, width = 100): readonly string[] =>
  Array.from({ length: count }, (_, line) => `${`${line}`.padStart(width - 1, '.')}\n`)

describe('the output of the log', () => {
  it('writes lines at once while the reader reads', () => {
    const { log, reader } = openPipe()
    log.write('one\ntwo\n')
    assert.equal(readAll(reader), 'one\ntwo\n')
  })

  it('keeps what a stopped reader does not take, and writes all of it in order when the reader reads again', async () => {
    const { log, reader, observed } = openPipe()
    const lines = numbered(LONG / 100)
    for (const line of lines) log.write(line)
    const text = await readUntil(reader, ({ length }) => length >= LONG)
    assert.equal(text, lines.join(''))
    assert.deepEqual(observed, [])
  })

  it('drops whole lines beyond its limit, counts them, and tells how many when it flows again', async () => {
    const { log, reader, dropped } = openPipe(LONG)
    const lines = numbered((2 * LONG) / 100)
    for (const line of lines) log.write(line)
    assert.ok(dropped() > 1000)
    const kept = lines.length - dropped()
    const text = await readUntil(reader, (text) => text.includes('resumed'))
    assert.equal(text, `${lines.slice(0, kept).join('')}resumed after ${dropped()}\n`)
    log.write('afterwards\n')
    assert.equal(readAll(reader), 'afterwards\n')
  })

  it('writes more at once than may wait, as far as the reader takes it, and tells of the rest when it reads again', async () => {
    const { log, reader, dropped } = openPipe(2 ** 16)
    const lines = numbered((2 * LONG) / 100)
    log.write(lines.join(''))
    const kept = lines.length - dropped()
    assert.ok(kept * 100 > 2 ** 16, 'what waits and what the pipe holds')
    assert.ok(dropped() * 100 > LONG)
    const text = await readUntil(reader, (text) => text.includes('resumed'))
    assert.equal(text, `${lines.slice(0, kept).join('')}resumed after ${dropped()}\n`)
  })

  it('leaves out a line that is longer than may wait, and no other', () => {
    const { log, reader, dropped } = openPipe(2 ** 16)
    log.write(`before\n${'x'.repeat(70_000)}\nafter\n`)
    assert.equal(readAll(reader), 'before\nafter\nresumed after 1\n')
    assert.equal(dropped(), 1)
  })

  it('keeps no more than may wait, however much is written at once to a reader that is slow', async () => {
    const { log, reader, dropped } = openPipe(2 ** 20)
    const turn = Buffer.from(numbered(5000).join(''))
    const page = Buffer.alloc(4096)
    const before = usedBytes()
    for (let turns = 0; turns < 100; turns++) {
      log.write(turn.toString('latin1'))
      readSync(reader, page)
      await setTimeout(1)
    }
    assert.ok(usedBytes() - before < 8 * 2 ** 20)
    assert.ok(dropped() < 100 * 5000 - 2 ** 20 / 100, 'each turn had a part that fits')
  })

  it('writes whole lines in pieces that a pipe takes in one piece', async () => {
    const { log, reader, file } = openPipe()
    // Another writer at the same pipe.
    const other = openLogOutput({
      file,
      pieceBytes: 4096,
      mostWaitingBytes: 2 ** 20,
      observe: () => undefined,
    })
    const [own, others] = [numbered(3000, 150), numbered(3000, 71)]
    for (let line = 0; line < 3000; line += 100) {
      log.write(own.slice(line, line + 100).join(''))
      other.write(others.slice(line, line + 100).join(''))
    }
    const text = await readUntil(reader, ({ length }) => length >= 3000 * (150 + 71))
    const read = text.split(/(?<=\n)/)
    assert.deepEqual(
      read.filter(({ length }) => length === 150),
      own,
    )
    assert.deepEqual(
      read.filter(({ length }) => length === 71),
      others,
    )
  })

  it('writes a line that is longer than the pipe, and characters outside ASCII', async () => {
    const { log, reader } = openPipe()
    const lines = [`${'é€😀'.repeat(LONG / 9)}\n`, 'ü\n'.repeat(5000), 'x\n']
    for (const line of lines) log.write(line)
    const text = await readUntil(reader, (text) => text.endsWith('x\n'))
    assert.ok(text === lines.join(''))
  })

  it('has written everything that fits when the process ends', () => {
    const { log, reader } = openPipe()
    const lines = numbered(LONG / 100)
    log.write(lines.join(''))
    const begun = readAll(reader)
    log.finish()
    assert.ok(lines.join('').startsWith(begun + readAll(reader)))
  })

  it('drops and counts the lines after the reader has closed the pipe', () => {
    const { log, reader, dropped } = openPipe()
    log.write(numbered(LONG / 100).join(''))
    closeSync(reader)
    log.finish()
    assert.ok(dropped() > 0)
    const before = dropped()
    log.write('one\ntwo\n')
    assert.equal(dropped(), before + 2)
  })
})
