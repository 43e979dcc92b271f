import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import {
  type Masking,
  maskCardNumber,
  maskCardNumbersIn,
  maskDigitsIn,
  maskFields,
  maskMembers,
  maskWidely,
} from './card-numbers.ts'
import { literal } from './sql-text.ts'
import { prepareStaging } from './staging.ts'
import { openWorkDatabase, type WorkDatabase } from './work-database.ts'

const numbers: readonly (readonly [given: string, masked: string])[] = [
  ['4111111111111111', '************1111'],
  ['4111 1111 1111 1111', '**** **** **** 1111'],
  ['3782-822463-10005', '****-******-*0005'],
  ['12345', '*2345'],
  ['1234', '1234'],
  ['', ''],
  ['none', 'none'],
  ['XXXX XXXX XXXX 1111', 'XXXX XXXX XXXX 1111'],
  ['4111111111111111 exp 12/27', '**************** exp 12/27'],
  ['٤١١١١١١١١١١١١١١١', '************١١١١'],
  ['41\n11\n1', '*1\n11\n1'],
  ['4111111111111111.0', '************1111'],
  ['4111111111111111.00', '************1111'],
  ['4.111111111111111e+15', '*.***************e+**'],
  ['•••• 1234', '•••• 1234'],
]

describe('a card number', () => {
  for (const [given, masked] of numbers) {
    it(`${JSON.stringify(given)} becomes ${JSON.stringify(masked)}`, () => {
      assert.equal(maskCardNumber(given), masked)
    })
  }

  let folder: string
  let database: WorkDatabase
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tripfolio-cards-'))
    database = await openWorkDatabase(folder, { threads: 1 })
    await prepareStaging(database, [])
  })
  after(async () => {
    await database.close()
    await rm(folder, { recursive: true })
  })

  it('is masked by the database in the same way', async () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom(...'0123456789'),
        fc.constantFrom(' ', '-', 'X', '٤', 'é', '😀', '\n', '*'),
      ),
      maxLength: 24,
    })
    const texts = [...numbers.map(([given]) => given), ...fc.sample(text, { numRuns: 500, seed: 1 })]
    const rows = await database.rows(
      `SELECT masked_card(t) FROM (SELECT unnest([${texts.map(literal).join(', ')}]) AS t)`,
    )
    assert.deepEqual(
      rows.map(([masked]) => masked),
      texts.map(maskCardNumber),
    )
    assert.deepEqual(await database.rows('SELECT masked_card(NULL::VARCHAR), masked_text(NULL::VARCHAR)'), [
      [null, null],
    ])
    const values: readonly (readonly [given: string, masked: string])[] = [
      ['0.30000000000000004', '0.30000000000000004'],
      ['1772409600000', '1772409600000'],
      ['4111111111111112', '4111111111111112'],
      ['4111111111111111', '************1111'],
      ['1.4111111111111111e+15', '1.4111111111111111e+15'],
      ['4111 1111 1111 1111', '************1111'],
      ['much', 'much'],
    ]
    const masked = await database.rows(
      `SELECT masked_value(t) FROM (SELECT unnest([${values.map(([given]) => literal(given)).join(', ')}]) AS t)`,
    )
    for (const [at, [given, expected]] of values.entries()) {
      assert.equal(masked[at]?.[0], expected)
      assert.equal(
        maskMembers(JSON.stringify({ v: given }), () => 'value'),
        JSON.stringify({ v: expected }),
      )
    }
    const within = await database.rows(
      `SELECT masked_text(t) FROM (SELECT unnest([${[...texts, ...texts.map((t) => `a${t}4111 1111-1111 1111b`)].map(literal).join(', ')}]) AS t)`,
    )
    assert.deepEqual(
      within.map(([masked]) => masked),
      [...texts, ...texts.map((t) => `a${t}4111 1111-1111 1111b`)].map(maskDigitsIn),
    )
  })

  it('is recognised in quoted text by its digits', () => {
    const rows: readonly (readonly [given: string, masked: string])[] = [
      ['card 4111 1111-1111 1111, amount 12.50', 'card ************1111, amount 12.50'],
      ['VI4111111111111111/1227', 'VI************1111/1227'],
      ['081-123456789', '081-123456789'],
      // What cannot be a card number is shown: digits that fail the check, too many of them, or behind a decimal point.
      ['1772409600000', '1772409600000'],
      ['4111111111111112', '4111111111111112'],
      ['4111111111111111000000', '4111111111111111000000'],
      ['0.30000000000000004', '0.30000000000000004'],
      ['12.4111111111111111', '12.4111111111111111'],
      ['1.5,4111111111111111', '1.5,************1111'],
      ['bookings-20260101120001.csv', 'bookings-20260101120001.csv'],
      ['2026-01-31,INV-123456,90071992547.40991', '2026-01-31,INV-123456,90071992547.40991'],
    ]
    for (const [given, masked] of rows) assert.equal(maskCardNumbersIn(given), masked)
    const widely: readonly (readonly [given: string, masked: string])[] = [
      ['4111.1111.1111.1111', '****.****.****.1111'],
      ['4111  1111  1111  1111', '****  ****  ****  1111'],
      ['٤١١١١١١١١١١١١١١١', '************١١١١'],
      ['card 4111111111111111x', 'card ************1111x'],
      ['2026-01-31T10:00', '2026-01-31T10:00'],
      ['0.30000000000000004', '0.30000000000000004'],
      ['1772409600000', '1772409600000'],
      ['4111111111111111000000', '******************0000'],
      ['٠.٤١١١١١١١١١١١١١١١', '٠.٤١١١١١١١١١١١١١١١'],
      ['1 4111-1111/1111 1111 9', '1 ****-****/**** 1111 9'],
    ]
    for (const [given, masked] of widely) assert.equal(maskWidely(given), masked)
  })
})

describe('a record of CSV', () => {
  const rows: readonly (readonly [record: string, delimiter: string, masked: string])[] = [
    ['A,4111111111111111,12345', ',', 'A,************1111,12345'],
    ['A;"4111;1111 ""1""";9', ';', 'A;"****;*111 ""1""";9'],
    ['"a,b", "41111,2",9', ',', '"a,b", "**111,2",9'],
    ['A,"4111111111111111.0",9', ',', 'A,"************1111",9'],
    ['A,,9', ',', 'A,,9'],
    ['A,12345', ',', 'A,*2345'],
    ['A,"1\n2345",6', ',', 'A,"*\n2345",6'],
  ]
  for (const [record, delimiter, masked] of rows) {
    it(`${JSON.stringify(record)} keeps all but its second field`, () => {
      assert.equal(
        maskFields(record, delimiter, (place) => (place === 1 ? 'number' : undefined)),
        masked,
      )
    })
  }
})

describe('a line of NDJSON', () => {
  const rows: readonly (readonly [line: string, masked: string])[] = [
    ['{"card_number":"12345","n":"12345"}', '{"card_number":"*2345","n":"12345"}'],
    ['{"n":"card_number","Card_Number" : "12345"}', '{"n":"card_number","Card_Number":"*2345"}'],
    ['{"card_number":null}', '{"card_number":null}'],
    ['{"card_number":"1\\"2345"}', '{"card_number":"*\\"2345"}'],
    ['{"card\\u005fnumber":"\\u0031\\u0032345"}', '{"card_number":"*2345"}'],
    ['{"card_number":"\\u2022\\u2022 1234"}', '{"card_number":"•• 1234"}'],
    ['{"card_number":["]","12345"],"n":["12345"]}', '{"card_number":["]","*2345"],"n":["12345"]}'],
    ['{"card_number":{"a":{"x":"12345"}}}', '{"card_number":{"a":{"x":"*2345"}}}'],
    ['{"form_of_payment":"VI4111111111111111/1227"}', '{"form_of_payment":"VI************1111/1227"}'],
    ['{"n":"12345","card_number":', '{"n":"*2345","card_number":'],
    ['["12345"]', '["*2345"]'],
  ]
  const columns = new Map<string, Masking>([
    ['card_number', 'number'],
    ['form_of_payment', 'text'],
  ])
  for (const [line, masked] of rows) {
    it(`${line} keeps all but the masked members`, () => {
      assert.equal(
        maskMembers(line, (column) => columns.get(column)),
        masked,
      )
    })
  }
})
