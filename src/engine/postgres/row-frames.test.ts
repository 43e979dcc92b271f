import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { RowFrames } from './row-frames.ts'

type Message = { readonly kind: string; readonly body: Buffer }

const message = ({ kind, body }: Message): Buffer => {
  const header = Buffer.alloc(5)
  header.write(kind, 'latin1')
  header.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([header, body])
}

const rowBody = (values: readonly (Buffer | null)[]): Buffer => {
  const count = Buffer.alloc(2)
  count.writeInt16BE(values.length)
  const parts = values.flatMap((value) => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(value?.length ?? -1)
    return value === null ? [length] : [length, value]
  })
  return Buffer.concat([count, ...parts])
}

const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array))
const row = fc.array(fc.option(bytes), { maxLength: 3 })
const other = fc.record({ kind: fc.constantFrom('1', '2', 'C', 'Z', 'E', 'N', 'S'), body: bytes })

it('gives rows and other messages as they are, however their bytes arrive', () => {
  const messages = fc.array(fc.oneof(row, other), { maxLength: 8 })
  fc.assert(
    fc.property(messages, fc.array(fc.nat({ max: 9 })), fc.boolean(), (sent, cuts, isRead) => {
      const passed: Buffer[] = []
      const rows: (string | null)[][] = []
      const frames = new RowFrames((chunk) => passed.push(Buffer.from(chunk)))
      if (isRead) frames.reader = (values) => rows.push(values.map((value) => value?.toString('hex') ?? null))
      const encoded = sent.map((each) =>
        message(Array.isArray(each) ? { kind: 'D', body: rowBody(each) } : each),
      )
      const stream = Buffer.concat(encoded)
      let at = 0
      for (const cut of cuts) frames.read(stream.subarray(at, (at = Math.min(stream.length, at + cut))))
      frames.read(stream.subarray(at))

      const taken = (each: (typeof sent)[number]) => isRead && Array.isArray(each)
      const expectedRows = sent.flatMap((each) => (Array.isArray(each) && isRead ? [each] : []))
      assert.deepEqual(
        rows,
        expectedRows.map((values) => values.map((value) => value?.toString('hex') ?? null)),
      )
      const rest = encoded.filter((_, i) => !taken(sent[i] as (typeof sent)[number]))
      assert.deepEqual(Buffer.concat(passed), Buffer.concat(rest))
    }),
  )
})

it('does not copy a row that arrives in one piece', () => {
  const stream = message({ kind: 'D', body: rowBody([Buffer.from('{"a":1}')]) })
  const values: Buffer[] = []
  const frames = new RowFrames(() => undefined)
  frames.reader = (row) => values.push(row[0] as Buffer)
  frames.read(stream)
  frames.read(stream.subarray(0, 9))
  frames.read(stream.subarray(9))
  stream.fill(0)
  assert.deepEqual(
    values.map((value) => value.toString()),
    ['\0'.repeat(7), '{"a":1}'],
  )
})
