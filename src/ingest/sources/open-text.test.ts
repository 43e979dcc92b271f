import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as allOf } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { campaignSeed, repeated } from '../../../test/campaign.ts'
import { anyCharacter } from '../../../test/fixtures/any-character.ts'
import { ingestedTables } from '../tables.ts'
import { formOf } from './file-form.ts'
import { jsonLines } from './json-array.ts'
import { openText } from './open-text.ts'
import type { TextForm } from './table-part.ts'

const table = ingestedTables[0]
assert.ok(table)

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tripfolio-open-text-'))
})
after(() => rm(folder, { recursive: true }))

async function textOf(content: Uint8Array, form: TextForm): Promise<Buffer> {
  const path = join(folder, 'file')
  await writeFile(path, content)
  const text = await openText({ table: table as NonNullable<typeof table>, path, file: 'file', form })
  const pieces: Buffer[] = []
  try {
    for (;;) {
      const buffer = Buffer.alloc(100_000)
      const read = await text.read(buffer, 1)
      if (read === 0) return Buffer.concat(pieces)
      pieces.push(buffer.subarray(1, 1 + read))
    }
  } finally {
    await text.close()
  }
}

describe('openText', () => {
  // Larger than any buffer between the file and the reader.
  const halves = [randomBytes(700_000).toString('base64'), randomBytes(900_000).toString('base64')].map(
    (text) => Buffer.from(text),
  )
  const packers = { gzip: gzipSync, zstd: zstdCompressSync } as const
  for (const compression of ['gzip', 'zstd'] as const) {
    const packed = halves.map((half) => packers[compression](half))
    it(`reads ${compression} to the end of the file, whether it is one or several`, async () => {
      const text = await textOf(Buffer.concat(packed), { compression })
      assert.ok(text.equals(Buffer.concat(halves)))
    })

    it(`refuses ${compression} that is cut off or followed by anything else`, async () => {
      const [first = Buffer.of(), second = Buffer.of()] = packed
      for (const rest of [
        second.subarray(0, 100_000),
        second.subarray(0, -1),
        second.subarray(1),
        Buffer.concat([Buffer.alloc(9), second.subarray(1)]),
        ...(compression === 'gzip' ? [] : [Buffer.alloc(9)]),
      ]) {
        await assert.rejects(textOf(Buffer.concat([first, rest]), { compression }))
      }
    })
  }

  it('reads gzip that is padded with zeros, behind its files and between them', async () => {
    const [first, second] = halves.map((half) => gzipSync(half))
    assert.ok(first && second)
    for (const bytes of [1, 511, 300_000]) {
      const zeros = Buffer.alloc(bytes)
      const text = await textOf(Buffer.concat([first, zeros, second, zeros]), { compression: 'gzip' })
      assert.ok(text.equals(Buffer.concat(halves)), `${bytes} zeros`)
    }
    await assert.rejects(textOf(Buffer.alloc(512), { compression: 'gzip' }))
  })

  const encodings: readonly [encoding: string, bytes: Uint8Array, text: string][] = [
    ['windows-1252', Buffer.from([0x80, 0x93, 0xe4, 0x9f, 0x41]), '€“äŸA'],
    ['iso-8859-2', Buffer.from([0xb1, 0x41]), 'ąA'],
    ['shift_jis', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), '日本'],
    ['utf-16le', Buffer.from('a😀\n', 'utf16le'), 'a😀\n'],
    ['utf-16le', Buffer.from('\ufeffa😀', 'utf16le').swap16(), 'a😀'],
    ['windows-1252', Buffer.from('\ufeffä'), 'ä'],
  ]
  for (const [encoding, bytes, expected] of encodings) {
    it(`decodes ${expected.trim()} that is stated to be ${encoding}`, async () => {
      assert.equal((await textOf(bytes, { encoding })).toString(), expected)
      assert.equal((await textOf(gzipSync(bytes), { encoding, compression: 'gzip' })).toString(), expected)
    })
  }
})

describe('jsonLines', () => {
  it('gives each element of an array its own line, wherever the chunks end', async () => {
    const values = fc.array(
      fc.oneof(fc.jsonValue(), fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue())),
    )
    await fc.assert(
      fc.asyncProperty(
        values,
        fc.nat({ max: 3 }),
        fc.integer({ min: 1, max: 9 }),
        async (values, indent, size) => {
          const bytes = Buffer.from(`\n ${JSON.stringify(values, null, indent)}\r\n`)
          async function* chunks() {
            for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
          }
          const lines = await allOf(jsonLines(chunks()))
          const elements = lines.split('\n').filter((line) => line.trim() !== '')
          assert.deepEqual(
            elements.map((line) => JSON.parse(line)),
            JSON.parse(JSON.stringify(values)),
          )
        },
      ),
      { seed: campaignSeed, numRuns: repeated(40, 2000) },
    )
  })

  it('leaves lines as they are', async () => {
    const text = '{"a": [1,\t2]}\r\n{"b": "[,"}'
    async function* chunks() {
      yield Buffer.from(text)
    }
    assert.equal(await allOf(jsonLines(chunks())), text)
  })
})

describe('formOf', () => {
  const forms: readonly [name: string, form: ReturnType<typeof formOf>][] = [
    ['Bookings.CSV.GZ', { stem: 'Bookings', extension: '.csv.gz', format: 'csv', compression: 'gzip' }],
    ['a.b.jsonl.zst', { stem: 'a.b', extension: '.jsonl.zst', format: 'json lines', compression: 'zstd' }],
    [
      'part.gz.parquet',
      { stem: 'part.gz', extension: '.parquet', format: 'parquet', compression: undefined },
    ],
    ['bookings.parquet.gz', undefined],
    ['bookings.gz', undefined],
    ['bookings', undefined],
    ['.csv', undefined],
  ]
  for (const [name, form] of forms) {
    it(`knows ${name}`, () => assert.deepEqual(formOf(name), form))
  }
})
