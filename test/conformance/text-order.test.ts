/**
 * One order of texts: whoever walks a list by the last value of a page (`field gt 'last'`, with `$orderby=field`) gets each text
 * once, on every engine; least and greatest texts and groups are in that order too.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { compareTexts } from '../../src/kernel/text.ts'
import { anyCharacter } from '../fixtures/any-character.ts'
import { type ExtractTables, rowsOf } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour } from '../fixtures/fixture-extract.ts'
import { type Service, startService } from '../wire/start-service.ts'
import { engines } from './engines.ts'

const seed = Number(process.env.TRIPFOLIO_PROPERTY_SEED ?? Math.floor(Math.random() * 0x7fffffff))
const [template] = fixtureExtract.bookings.filter(({ client_number }) => client_number === harbour)

/** Texts that differ in letter case only, and others, each once. */
const known = [
  'NA',
  'na',
  'nA',
  'null',
  'Zed',
  'zed',
  'abc',
  'ABC',
  '_',
  'Z',
  'a',
  'K',
  '\u212a',
  'k',
  'ς',
  'Σ',
  "O'Hare",
]
const random = fc
  .sample(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 6 }), { numRuns: 40, seed })
  .filter((text) => text === text.trim() && !/[\p{Cc}\p{Cs}]/u.test(text))
const texts = [...new Set([...known, ...random])]

const extract: ExtractTables = {
  ...fixtureExtract,
  custom_field_labels: rowsOf('custom_field_labels', [
    { client_number: harbour, field: 'purchase_order', label: 'PO' },
  ]),
  bookings: texts.map((text, i) => ({
    ...(template as NonNullable<typeof template>),
    record_locator: `R${i}`,
    originating_agency: text,
    traveller: text,
    purchase_order: text,
  })),
  booking_custom_data: [],
  travellers: [],
  segments: [],
  invoices: [],
  invoice_lines: [],
  payments: [],
}

const inOrder = texts.toSorted(compareTexts)

for (const { name, create } of engines) {
  describe(`texts on the ${name} engine (seed ${seed})`, () => {
    let service: Service
    let key: string
    before(async () => {
      service = await startService({ extract, wrapEngine: create })
      key = await service.keyOf(harbour)
    })
    after(() => service.close())

    const ask = async (parameters: Readonly<Record<string, string>>) => {
      const response = await service.request(`/api/v2/bookings?${new URLSearchParams(parameters)}`, key)
      assert.equal(response.status, 200, await response.clone().text())
      return (await response.json()) as {
        readonly bookings: readonly Readonly<Record<string, string>>[]
        readonly groups: readonly Readonly<Record<string, string>>[]
      }
    }
    const literal = (text: string) => `'${text.replaceAll("'", "''")}'`
    const fields: readonly (readonly [
      path: string,
      read: (record: Readonly<Record<string, unknown>>) => unknown,
    ])[] = [
      ['traveller', ({ traveller }) => traveller],
      ['originatingAgency', ({ originatingAgency }) => originatingAgency],
      [
        'customDataFields.PO',
        ({ customDataFields }) => (customDataFields as Readonly<Record<string, string>>).PO,
      ],
    ]
    const directions = [
      ['asc', 'gt', inOrder],
      ['desc', 'lt', inOrder.toReversed()],
    ] as const

    for (const [path, read] of fields) {
      for (const [direction, operator, expected] of directions) {
        it(`are each visited once, in order, by the last ${path}, ${direction}`, async () => {
          for (const top of ['1', '7']) {
            const visited: string[] = []
            const order = { select: path, orderby: `${path} ${direction}`, top }
            for (;;) {
              const last = visited.at(-1)
              const filter = last === undefined ? {} : { filter: `${path} ${operator} ${literal(last)}` }
              const { bookings } = await ask({ ...order, ...filter })
              if (bookings.length === 0) break
              visited.push(...bookings.map((record) => String(read(record))))
              assert.ok(visited.length <= texts.length, 'visits no record twice')
            }
            assert.deepEqual(visited, expected)
          }
        })
      }

      it(`are least and greatest, and groups, in that order: ${path}`, async () => {
        const apply = `aggregate(${path} with min as least,${path} with max as greatest)`
        assert.deepEqual((await ask({ apply })).groups, [{ least: inOrder[0], greatest: inOrder.at(-1) }])
        const { groups } = await ask({ apply: `groupby((${path} as text))`, orderby: 'text' })
        const shown = groups.map(({ text }) => String(text))
        assert.deepEqual(shown, shown.toSorted(compareTexts))
        const each = `groupby((recordLocator),aggregate(${path} with min as least))`
        const least = (await ask({ apply: each, orderby: 'least desc' })).groups.map((group) => group.least)
        assert.deepEqual(least, inOrder.toReversed())
      })
    }

    it('are ordered within equal values of other fields too, also by what the default order has', async () => {
      const { bookings } = await ask({ select: 'recordLocator', orderby: 'bookingDate,recordLocator desc' })
      const locators = texts
        .map((_, i) => `R${i}`)
        .toSorted(compareTexts)
        .toReversed()
      assert.deepEqual(
        bookings.map(({ recordLocator }) => recordLocator),
        locators,
      )
    })
  })
}
