import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RecordShape } from '../../../query/record-shape.ts'
import { datasets, storedCollections } from '../../../schema/datasets.ts'
import type { Partition } from '../../../snapshot/partition.ts'
import type { ResultSet } from '../../engine.ts'
import { chunksOf, resultOf, textOf } from '../../memory/testing/partitions.ts'
import { bookingsOf, invoicesOf } from '../../memory/testing/stored-partition.ts'

const shape = (parts: Partial<RecordShape>): RecordShape => ({
  fields: [],
  labels: null,
  collections: [],
  ...parts,
})
const fieldsOf = (list: keyof typeof datasets, ...names: readonly string[]) =>
  datasets[list].fields.filter(({ name }) => names.includes(name))

function resultIn(partition: Partition, list: 'bookings' | 'invoices', selected: RecordShape): ResultSet {
  const rows = { ids: null, from: 0, count: partition.rowCount }
  return { ...resultOf(partition, list, partition.rowCount, rows), shape: selected }
}

const textIn = (result: ResultSet, format: 'json' | 'ndjson', chunkBytes = 65_536): string =>
  Buffer.concat(chunksOf(result, format, chunkBytes)).toString()

describe('selected members as JSON', () => {
  const nasty = ['"', '\\', '\u0000', '\u001f', '\u2028', '\u007f', 'é😀', '\n', '', '</script>']

  it('have the bytes of JSON.stringify, whether a text comes once or often', () => {
    for (const times of [1, 40]) {
      const numbers = nasty.flatMap((text) => Array.from({ length: times }, () => text))
      const partition = invoicesOf(numbers.map((number) => ({ number })))
      const result = resultIn(
        partition,
        'invoices',
        shape({ fields: fieldsOf('invoices', 'invoiceNumber', 'obtSource') }),
      )
      const expected = numbers.map((invoiceNumber) => JSON.stringify({ invoiceNumber, obtSource: null }))
      assert.equal(textIn(result, 'json'), expected.join(','))
      assert.equal(textIn(result, 'ndjson'), expected.map((record) => `${record}\n`).join(''))
    }
  })

  it('are cut between records into chunks of about the size that is asked for', () => {
    const partition = bookingsOf(
      Array.from({ length: 1000 }, (_, i) => ({ agency: `A${i}`, minute: i, isTicketed: true })),
    )
    const result = resultIn(
      partition,
      'bookings',
      shape({ fields: fieldsOf('bookings', 'originatingAgency') }),
    )
    const chunks = chunksOf(result, 'ndjson', 500).map((chunk) => Buffer.from(chunk).toString())
    assert.ok(chunks.length > 30)
    for (const chunk of chunks) {
      assert.ok(chunk.length < 600)
      assert.match(chunk, /^\{.*\}\n$/s)
    }
    assert.equal(JSON.parse(`[${textIn(result, 'json', 500)}]`).length, 1000)
  })

  it('have the labels of a client with 5,000 of them, all or some', () => {
    const labels = Array.from({ length: 5000 }, (_, i) => (i % 2 === 0 ? `Label "${i}"` : `{${i}":{`))
    const rows = Array.from({ length: 20 }, (_, r) => ({
      number: `I${r}`,
      custom: labels.map((label, l) => ((l + r) % 3 === 0 ? `${label} of ${r}` : null)),
    }))
    const partition = invoicesOf(rows, labels)
    const customOf = (row: (typeof rows)[number], own: readonly string[]) => ({
      customDataFields: Object.fromEntries(
        own.flatMap((label) => {
          const value = row.custom[labels.indexOf(label)]
          return value == null ? [] : [[label, value]]
        }),
      ),
    })
    const some = [labels[3], labels[4], labels[4999]] as string[]
    for (const [selected, own] of [
      ['all', labels],
      [some, some],
      [[], []],
    ] as const) {
      const result = resultIn(partition, 'invoices', shape({ labels: selected }))
      assert.equal(textIn(result, 'json'), rows.map((row) => JSON.stringify(customOf(row, own))).join(','))
    }
  })

  it('have all labels of a few, also when many records are written and some have none', () => {
    const labels = ['Cost Centre', 'Projekt "Größe"', 'Traveller']
    const rows = Array.from({ length: 1500 }, (_, r) => ({
      number: `I${r}`,
      custom: [r % 3 === 0 ? null : `C${r % 7}`, r % 5 === 0 ? null : `P${r}`, r % 2 === 0 ? null : '"'],
    }))
    const expected = rows.map(({ number, custom }) => {
      const customDataFields = Object.fromEntries(
        labels.flatMap((label, l) => (custom[l] == null ? [] : [[label, custom[l]]])),
      )
      return { number, customDataFields }
    })
    const partition = invoicesOf(rows, labels)
    assert.ok(expected.some(({ customDataFields }) => Object.keys(customDataFields).length === 0))
    assert.equal(
      textIn(resultIn(partition, 'invoices', shape({ labels: 'all' })), 'ndjson'),
      expected.map(({ customDataFields }) => `${JSON.stringify({ customDataFields })}\n`).join(''),
    )
    const withNumbers = shape({ fields: fieldsOf('invoices', 'invoiceNumber'), labels: 'all' })
    assert.equal(
      textIn(resultIn(partition, 'invoices', withNumbers), 'json', 5000),
      expected
        .map(({ number, customDataFields }) => JSON.stringify({ invoiceNumber: number, customDataFields }))
        .join(','),
    )
  })

  it('have the elements of any number of records, none or thousands in one', () => {
    const counts = [0, 3, 0, 2000, 1, 511, 512, 513, 0, 0, ...Array.from({ length: 700 }, (_, i) => i % 4)]
    const rows = counts.map((count, r) => ({
      number: `I${r}`,
      lines: Array.from({ length: count }, (_, i) => ({
        description: i % 3 === 0 ? null : `line "${i}" of ${r}`,
        price: i % 4 === 0 ? null : 12_345_600_000 + i,
      })),
    }))
    const partition = invoicesOf(rows)
    const all = { ids: null, from: 0, count: rows.length }
    const whole = textOf(resultOf(partition, 'invoices', rows.length, all), 'json', 65_536)
    const { name, fields } = storedCollections.invoices.nested
    for (const names of [['description', 'unitPrice'], ['lineType']]) {
      const own = fields.filter((field) => names.includes(field.name))
      assert.equal(own.length, names.length)
      const expected = (JSON.parse(`[${whole}]`) as { lineItems: Record<string, unknown>[] }[]).map(
        ({ lineItems }) =>
          JSON.stringify({
            lineItems: lineItems.map((line) =>
              Object.fromEntries(own.map((field) => [field.name, line[field.name]])),
            ),
          }),
      )
      const result = resultIn(partition, 'invoices', shape({ collections: [{ name, fields: own }] }))
      assert.equal(textIn(result, 'json'), expected.join(','))
      const ids = Int32Array.from(rows, (_, r) => rows.length - 1 - r)
      const { records } = resultOf(partition, 'invoices', rows.length, { ...all, ids })
      assert.equal(textIn({ ...result, records }, 'json', 3000), expected.toReversed().join(','))
    }
  })

  it('are nothing for no records', () => {
    const result = resultIn(bookingsOf([]), 'bookings', shape({ labels: 'all' }))
    assert.equal(textIn(result, 'json') + textIn(result, 'ndjson'), '')
  })
})
