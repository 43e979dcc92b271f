/** Names of parameters that were meant for another service: they are refused, because every record would come back. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { QueryProblem } from '../../kernel/problem.ts'
import { datasets } from '../../schema/datasets.ts'
import { defaultQueryLimits } from '../limits.ts'
import { refuseLabels } from './label-parameters.ts'
import { parseParameters } from './parameters.ts'

function refusal(name: string, value: string): QueryProblem {
  try {
    parseParameters([[name, value]], defaultQueryLimits)
  } catch (problem) {
    if (problem instanceof QueryProblem) return problem
  }
  return assert.fail(`${name} was not refused`)
}

describe('a parameter with the name of a field', () => {
  const rows: readonly (readonly [name: string, value: string, condition: string])[] = [
    ['recordLocator', 'Z7K4QM', "recordLocator eq 'Z7K4QM'"],
    ['RECORDLOCATOR', 'Z7K4QM', "recordLocator eq 'Z7K4QM'"],
    ['record_locator', 'Z7K4QM', "recordLocator eq 'Z7K4QM'"],
    ['$bookingDate', '2026-01-31', "bookingDate eq '2026-01-31'"],
    ['isTicketed', 'true', "isTicketed eq 'true'"],
    ['originatingAgency', "O'Neill", "originatingAgency eq 'O''Neill'"],
    ['company', 'x'.repeat(41), "company eq '...'"],
    ['vendor', 'QF', "segments.vendor eq 'QF'"],
    ['line_type', 'FARE', "lineItems.lineType eq 'FARE'"],
  ]
  for (const [name, value, condition] of rows) {
    it(`is refused with the filter that was probably meant: ${name}`, () => {
      const { code, message, parameter, input } = refusal(name, value)
      assert.deepEqual([code, parameter, input], ['QRY302', name, value])
      assert.equal(message, `Unknown parameter '${name}'; use $filter, as in $filter=${condition}`)
    })
  }

  it('is refused for every field', () => {
    for (const { fields, nested } of Object.values(datasets)) {
      for (const { name } of [...fields, ...(nested?.fields ?? [])])
        if (name !== 'clientNumber') refusal(name, 'x')
    }
  })

  it('is ignored if it is the number or the name of the client, which decide nothing', () => {
    for (const name of ['clientNumber', 'clientName', 'client_name']) {
      const { given, unknown } = parseParameters([[name, 'C00002']], defaultQueryLimits)
      assert.equal(given, false)
      refuseLabels(unknown, [])
    }
  })

  it('is refused for every additional field, and a label of that name comes first', () => {
    for (const name of ['traveller', 'name', 'amount', 'ticketNumber', 'netAmount']) {
      const { unknown } = parseParameters([[name, 'x']], defaultQueryLimits)
      assert.throws(() => refuseLabels(unknown, []), new RegExp(`filter=(\\w+\\.)?${name} eq 'x'`), name)
      assert.throws(() => refuseLabels(unknown, [name.toUpperCase()]), /filter=customDataFields\['/, name)
    }
  })
})

describe('a parameter of another service', () => {
  for (const name of ['take', 'size', 'rows', 'max', 'maxResults', 'max_results', 'first', 'last']) {
    it(`is refused with the page size: ${name}`, () => {
      assert.match(refusal(name, '10').message, /; use \$pageSize, /)
    })
  }
  for (const name of [
    'pageNum',
    'page_index',
    'cursor',
    'skiptoken',
    '$skipToken',
    'p',
    'next',
    'startIndex',
  ]) {
    it(`is refused with the page: ${name}`, () => {
      assert.match(refusal(name, '2').message, /; use \$page with /)
    })
  }
  for (const name of ['from', 'to', 'since', 'until', 'start_date', 'dateTo', 'date']) {
    it(`is refused with a filter on a date: ${name}`, () => {
      assert.match(refusal(name, '2026-01-01').message, /; use \$filter with a date field, as in \$filter=/)
    })
  }
  for (const name of ['start', 'end', 'before', 'after']) {
    it(`is refused with the page and with a filter on a date, since it may mean either: ${name}`, () => {
      assert.match(
        refusal(name, '2').message,
        /; use \$page with \$pageSize, or \$filter with a date field, /,
      )
    })
  }
})

describe('a parameter that begins with the name of a field', () => {
  const rows: readonly (readonly [name: string, value: string, advice: string])[] = [
    ['bookingDate>', '2026-01-31', "as in $filter=bookingDate ge '2026-01-31'"],
    ['bookingDate<', '2026-01-31', "as in $filter=bookingDate le '2026-01-31'"],
    ['recordLocator!', 'Z7K4QM', "as in $filter=recordLocator ne 'Z7K4QM'"],
    ['bookingDate_gte', '2026-01-31', "as in $filter=bookingDate ge '2026-01-31'"],
    ['booking_date__lt', '2026-01-31', "as in $filter=bookingDate lt '2026-01-31'"],
    ['bookingDate[gte]', '2026-01-31', "as in $filter=bookingDate ge '2026-01-31'"],
    ['bookingDate.gte', '2026-01-31', "as in $filter=bookingDate ge '2026-01-31'"],
    ['bookingDateFrom', '2026-01-31', "as in $filter=bookingDate ge '2026-01-31'"],
    ['bookingDateTo', '2026-01-31', "as in $filter=bookingDate le '2026-01-31'"],
    ['unitPriceMin', '10', "as in $filter=lineItems.unitPrice ge '10'"],
    ['unit_price_max', '10', "as in $filter=lineItems.unitPrice le '10'"],
    ['originatingAgency[like]', "O'N", "as in $filter=contains(originatingAgency, 'O''N')"],
    ['vendor_in', 'QF', "as in $filter=segments.vendor in ('QF')"],
    ['cost_centre[like]', 'X1', "as in $filter=contains(costCentre, 'X1')"],
    ['ticketNumber_in', 'T1', "as in $filter=lineItems.ticketNumber in ('T1')"],
    ['amountMin', '5', "as in $filter=payments.amount ge '5'"],
    ['bookingDate>2026-01-31', '', 'as in $filter=bookingDate ne null'],
    ['bookingDate_year', '2026', 'as in $filter=bookingDate ne null'],
    ['bookingDate[between]', '1,2', 'as in $filter=bookingDate ne null'],
  ]
  for (const [name, value, advice] of rows) {
    it(`is refused with the form of $filter: ${name}`, () => {
      const { code, message } = refusal(name, value)
      assert.equal(code, 'QRY302')
      assert.ok(message.endsWith(advice), message)
    })
  }

  it('is ignored if it may be of another system', () => {
    for (const name of ['code_challenge', 'codec', 'statusText', 'originUrl', 'clientNumberFrom'])
      assert.equal(parseParameters([[name, 'x']], defaultQueryLimits).given, false)
  })
})

describe('a parameter with a bracket', () => {
  const rows: readonly (readonly [name: string, advice: RegExp])[] = [
    ['filter[bookingDate]', /; use \$filter, as in \$filter=/],
    ['filter[bookingDate][gte]', /; use \$filter, as in \$filter=/],
    ['filter.bookingDate', /; use \$filter, as in \$filter=/],
    ['filter_by', /; use \$filter, as in \$filter=/],
    ['page[size]', /; use \$page with /],
    ['sort[bookingDate]', /; use \$orderby, /],
    ['fields[bookings]', /; use \$select, /],
  ]
  for (const [name, advice] of rows) {
    it(`is refused: ${name}`, () => assert.match(refusal(name, 'x').message, advice))
  }
})

describe('another frequent parameter', () => {
  const rows: readonly (readonly [name: string, advice: RegExp])[] = [
    ['client', /; leave it out: the key alone decides/],
    ['output', /; use \$format /],
    ['type', /; use \$format, or \$filter with segmentType /],
    [
      'distinct',
      /; use \$apply, as in \$apply=groupby\(\(month\(bookingDate\)\),aggregate\(\$count as n\)\)/,
    ],
  ]
  for (const [name, advice] of rows) {
    it(`is refused: ${name}`, () => assert.match(refusal(name, 'x').message, advice))
  }
})
