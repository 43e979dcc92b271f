/** The numbered rules of the query language of version 1 (specification 4.2), as plans that are equal or not. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bindQuery } from '../../src/query/bind/bind-query.ts'
import { parseVersion1Parameters } from '../../src/query/caret/parameters.ts'
import { defaultQueryLimits } from '../../src/query/limits.ts'
import { parseFilter } from '../../src/query/odata/parse-filter.ts'
import { planKey } from '../../src/query/plan/plan-key.ts'
import { planQuery } from '../../src/query/plan/plan-query.ts'
import { type ListName, version1Datasets } from '../../src/schema/datasets.ts'

/** The key of the plan of a raw query. */
function meaning(raw: string, list: ListName = 'bookings'): string {
  const dataset = version1Datasets[list]
  const { query } = parseVersion1Parameters([['query', raw]], dataset, defaultQueryLimits)
  return planKey(planQuery(bindQuery({ ...query, paging: null, select: null }, dataset, [])))
}

/** The key of the plan of a `$filter` over the same records. */
function filterMeaning(filter: string, list: ListName = 'bookings'): string {
  const query = { filter: parseFilter(filter, defaultQueryLimits), orderBy: [], paging: null, select: null }
  return planKey(planQuery(bindQuery(query, version1Datasets[list], [])))
}

const same = (raw: string, filter: string, list?: ListName) =>
  assert.equal(meaning(raw, list), filterMeaning(filter, list))

const refused = (raw: string, code: string) => assert.throws(() => meaning(raw), { name: 'Problem', code })

describe('rules of version 1', () => {
  it('1: clauses are combined with and, and their order does not matter', () => {
    same('IsTicketed^EQ1;Department^EQSales', "isTicketed eq true and department eq 'Sales'")
    assert.equal(
      meaning('IsTicketed^EQ1;Department^EQSales;BookingDate^GT2026-01-01'),
      meaning('BookingDate^GT2026-01-01;Department^EQSales;IsTicketed^EQ1'),
    )
  })

  it('1: or is not supported; it is part of the value', () => {
    same('Department^EQSales or IsTicketed^EQ1', "department eq 'Sales or IsTicketed^EQ1'")
  })

  it('2: only top-level properties can be queried', () => {
    refused('Travellers.Name^EQAnna', 'QRY405')
    refused('Travellers^EQAnna', 'QRY405')
  })

  it('3: property names are case-insensitive', () => {
    assert.equal(meaning('bookingdate^EQ2026-01-01'), meaning('BOOKINGDATE^EQ2026-01-01'))
  })

  for (const operator of ['EQ', 'NE', 'IN', 'NI', 'CT']) {
    it(`3: texts are compared case-insensitively by ^${operator}`, () => {
      assert.equal(meaning(`Traveller^${operator}ÅNNA SMITH`), meaning(`Traveller^${operator}ånna smith`))
      assert.notEqual(meaning(`Traveller^${operator}anna`), meaning(`Traveller^${operator}anne`))
    })
  }

  it('4: texts are given as they are, and numbers without quotes', () => {
    same("Traveller^EQ'Anna'", "traveller eq '''Anna'''")
    same('Traveller^EQ5', "traveller eq '5'")
    same('TotalAmount^EQ5.0', 'totalAmount eq 5', 'invoices')
    assert.throws(() => meaning("TotalAmount^EQ'5'", 'invoices'), { code: 'QRY404' })
    assert.throws(() => meaning('TotalAmount^EQ5,000', 'invoices'), { code: 'QRY404' })
  })

  it('4: a text is never read as a date', () => {
    assert.equal(meaning('Traveller^EQ2026-01-01'), 'bookings-v1|eq(traveller,"2026-01-01")||')
  })

  it('5: dates are YYYY-MM-DD', () => {
    same('BookingDate^GE2026-01-31', "bookingDate ge '2026-01-31'")
    for (const date of ['2026-1-31', '31/01/2026', '20260131', '2026-01-31T00:00', '2026-02-30', 'today']) {
      for (const operator of ['EQ', 'NE', 'GT', 'LT', 'GE', 'LE', 'IN', 'NI']) {
        refused(`BookingDate^${operator}${date}`, 'QRY404')
        refused(`ModifiedDateTime^${operator}${date}`, 'QRY404')
      }
    }
  })

  it('5: of date-times only the date is compared', () => {
    const thatDay = "modifiedDateTime ge '2026-01-31T00:00' and modifiedDateTime le '2026-01-31T23:59'"
    same('ModifiedDateTime^EQ2026-01-31', thatDay)
    same('ModifiedDateTime^NE2026-01-31', `not (${thatDay})`)
    same('ModifiedDateTime^IN2026-01-31', thatDay)
    same('ModifiedDateTime^NI2026-01-31', `not (${thatDay})`)
    same('ModifiedDateTime^GT2026-01-31', "modifiedDateTime gt '2026-01-31T23:59'")
    same('ModifiedDateTime^GE2026-01-31', "modifiedDateTime ge '2026-01-31T00:00'")
    same('ModifiedDateTime^LT2026-01-31', "modifiedDateTime lt '2026-01-31T00:00'")
    same('ModifiedDateTime^LE2026-01-31', "modifiedDateTime le '2026-01-31T23:59'")
  })

  it('6: null in any letter case selects null values', () => {
    for (const word of ['null', 'NULL', 'Null']) {
      same(`Department^EQ${word}`, 'department eq null')
      same(`Department^NE${word}`, 'department ne null')
      same(`Department^INSales,${word}`, "department in ('Sales', null)")
      same(`Department^NI${word},Sales`, "department nin ('Sales', null)")
      same(`TripStartLocal^EQ${word}`, 'tripStartLocal eq null')
    }
  })

  it('6: null has no order, and within a text it is ordinary letters', () => {
    refused('BookingDate^GTnull', 'QRY404')
    same('Department^CTnull', "contains(department, 'null')")
  })

  it('7: booleans are true, false, 1 or 0', () => {
    for (const yes of ['true', 'TRUE', 'True', '1']) same(`IsTicketed^EQ${yes}`, 'isTicketed eq true')
    for (const no of ['false', 'FALSE', 'False', '0']) same(`IsTicketed^NE${no}`, 'isTicketed ne false')
    for (const other of ['yes', '2', '01', 't']) refused(`IsTicketed^EQ${other}`, 'QRY407')
  })

  it('8: blanks at the edges of values are trimmed, those within are kept', () => {
    same('Traveller^EQ%20Anna+Smith%20', "traveller eq 'Anna Smith'")
    same('Traveller^CT+a%20%20b+', "contains(traveller, 'a  b')")
    same('Traveller^IN+a+,+b+', "traveller in ('a', 'b')")
    same('IsTicketed^EQ+1+', 'isTicketed eq true')
    same('TotalAmount^GT+5+', 'totalAmount gt 5', 'invoices')
  })

  it('9: encoded special characters belong to the value', () => {
    same('Traveller^EQa%20b%2Cc%3Bd%5Ee', "traveller eq 'a b,c;d^e'")
    same('Traveller^INa%2Cb,c%3Bd', "traveller in ('a,b', 'c;d')")
  })

  it('9: encoded special characters belong to the value, also when the carets are encoded', () => {
    same('Department%5EINMarketing%2C%20Brand,Sales', "department in ('Marketing, Brand', 'Sales')")
    same(
      'Traveller%5EEQa%20b%2Cc%3Bd%5Ee;IsTicketed%5EEQ1',
      "traveller eq 'a b,c;d^e' and isTicketed eq true",
    )
  })

  it('9: a raw semicolon separates clauses', () => {
    refused('Traveller^EQa;b', 'QRY401')
    same('Traveller^EQa;IsTicketed^EQ1', "traveller eq 'a' and isTicketed eq true")
  })

  it('10: operator and value follow property and caret directly', () => {
    same('Traveller^EQEQ', "traveller eq 'EQ'")
    for (const apart of ['Traveller^ EQAnna', 'Traveller^-EQAnna', 'Traveller EQ Anna', 'Traveller=Anna']) {
      refused(apart, 'QRY401')
    }
  })
})
