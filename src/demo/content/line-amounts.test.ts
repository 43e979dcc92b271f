import assert from 'node:assert/strict'
import { test } from 'node:test'
import { charge, roundToCents } from './line-amounts.ts'

for (const { scaled, rounded } of [
  { scaled: 499, rounded: 0 },
  { scaled: 500, rounded: 1000 },
  { scaled: -500, rounded: -1000 },
  { scaled: 123_456_789, rounded: 123_457_000 },
  { scaled: -1, rounded: 0 },
]) {
  test(`rounds ${scaled} hundred-thousandths to cents as ${rounded}`, () => {
    assert.equal(roundToCents(scaled), rounded)
  })
}

test('charges quantity times price less discount, plus GST', () => {
  const line = charge({
    lineType: 'CAR',
    productCode: 'CAR-HIRE',
    description: 'Hertz car hire',
    quantity: 2.5,
    unitPrice: 6_123_457,
    discount: 500_000,
    gstPercent: 10,
  })
  assert.equal(line.lineAmountExGst, 14_809_000)
  assert.equal(line.lineAmountIncGst, 16_290_000)
})

test('charges no GST when it does not apply', () => {
  const tax = {
    lineType: 'TAX',
    productCode: 'AIR-TAX',
    description: 'Taxes',
    quantity: 1,
    unitPrice: 5_000_000,
  }
  assert.deepEqual(
    [null, 0].map((gstPercent) => charge({ ...tax, gstPercent }).lineAmountIncGst),
    [5_000_000, 5_000_000],
  )
})
