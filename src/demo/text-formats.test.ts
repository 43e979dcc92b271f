import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extractTables } from '../schema/extract-tables.ts'
import { rowTexts } from './text-formats.ts'

const { booking_custom_data, payments, clients, custom_field_labels } = extractTables
const customData = (value: string | null) => ({
  clientNumber: 'C1',
  recordLocator: 'ABCDEF',
  field: 'UDID1',
  value,
})

for (const { value, csv, json } of [
  { value: 'plain', csv: 'plain', json: '"plain"' },
  { value: null, csv: '', json: 'null' },
  { value: '', csv: '""', json: '""' },
  { value: 'a,b', csv: '"a,b"', json: '"a,b"' },
  { value: 'say "so"', csv: '"say ""so"""', json: '"say \\"so\\""' },
  { value: "O'Neill", csv: "O'Neill", json: '"O\'Neill"' },
  { value: 'two\nlines', csv: '"two\nlines"', json: '"two\\nlines"' },
  { value: '李 Zoë', csv: '李 Zoë', json: '"李 Zoë"' },
]) {
  test(`writes the text ${JSON.stringify(value)} so that it can be read back`, () => {
    const row = customData(value)
    assert.equal(rowTexts.csv(booking_custom_data).row(row), `C1,ABCDEF,UDID1,${csv}\n`)
    assert.equal(
      rowTexts.ndjson(booking_custom_data).row(row),
      `{"client_number":"C1","record_locator":"ABCDEF","field":"UDID1","value":${json}}\n`,
    )
  })
}

test('writes days as dates and scaled amounts as plain numbers', () => {
  const row = {
    clientNumber: 'C1',
    company: 'A',
    invoiceNumber: 'INV1',
    merchant: null,
    receivedDate: 19_723,
    formOfPayment: null,
    cardNumber: '4111111111111111',
    cardHolder: 'A. Lee',
    amount: -1,
  }
  assert.equal(rowTexts.csv(payments).row(row), 'C1,A,INV1,,2024-01-01,,4111111111111111,A. Lee,-0.00001\n')
  assert.equal(
    rowTexts.ndjson(payments).row(row),
    '{"client_number":"C1","company":"A","invoice_number":"INV1","merchant":null,"received_date":"2024-01-01","form_of_payment":null,"card_number":"4111111111111111","card_holder":"A. Lee","amount":-0.00001}\n',
  )
})

test('the header names the columns of the table', () => {
  assert.equal(rowTexts.csv(custom_field_labels).head, 'client_number,field,label\n')
  assert.equal(rowTexts.ndjson(custom_field_labels).head, '')
})

test('a row without one of its members is a defect', () => {
  assert.throws(() => rowTexts.csv(clients).row({ clientNumber: 'C1' }), /lacks its member name/)
})
