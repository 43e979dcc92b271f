import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fixtures/any-character.ts'
import { QueryProblem } from '../../kernel/problem.ts'
import { defaultQueryLimits, type QueryLimits } from '../limits.ts'
import { parseParameters } from './parameters.ts'

type Pairs = readonly (readonly [name: string, value: string])[]

const parse = (pairs: Pairs, limits: Partial<QueryLimits> = {}) =>
  parseParameters(pairs, { ...defaultQueryLimits, ...limits })

function problemOf(pairs: Pairs, limits: Partial<QueryLimits> = {}): QueryProblem {
  try {
    parse(pairs, limits)
  } catch (problem) {
    assert.ok(problem instanceof QueryProblem, String(problem))
    return problem
  }
  assert.fail('nothing was refused')
}

describe('parseParameters', () => {
  it('returns an empty query for no parameters', () => {
    assert.deepEqual(parse([]), {
      query: { filter: null, orderBy: [], paging: null, select: null },
      aggregation: null,
      page: null,
      slice: null,
      texts: { filter: undefined, orderBy: undefined, select: undefined, apply: undefined },
      format: null,
      given: false,
      unknown: [],
    })
  })

  const spellings = [
    ['$filter', 'filter', '$FILTER', 'Filter', '$fIlTeR'],
    ['$orderby', 'orderby', '$orderBy', 'OrderBy', 'ORDERBY'],
    ['$page', 'page', '$Page', 'PAGE'],
    ['$pageSize', 'pageSize', '$pagesize', 'pagesize', 'PageSize'],
    ['$format', 'format', '$FORMAT', 'Format'],
    ['$select', 'select', '$SELECT', 'Select'],
    ['$top', 'top', '$Top', 'TOP'],
    ['$skip', 'skip', '$SKIP', 'Skip'],
    ['$count', 'count', '$Count', 'COUNT'],
  ] as const
  const samples = ['a eq 1', 'a', '1', '1', 'csv', 'a,b', '1', '1', 'true'] as const
  for (const [i, names] of spellings.entries()) {
    for (const name of names) {
      it(`takes ${name} for ${names[0]}`, () => {
        const { query, format, given } = parse([[name, samples[i] ?? '']])
        assert.equal(given, true)
        assert.equal(query.filter !== null, i === 0)
        assert.equal(query.orderBy.length, i === 1 ? 1 : 0)
        assert.equal(query.paging !== null, [2, 3, 6, 7].includes(i))
        assert.equal(query.select?.length ?? 0, i === 5 ? 2 : 0)
        assert.equal(format, i === 4 ? 'csv' : null)
      })
    }
  }

  it('returns the texts that it parsed', () => {
    const { texts } = parse([
      ['orderby', ' a desc'],
      ['$filter', 'b eq 1 '],
      ['SELECT', ' a'],
    ])
    assert.deepEqual(texts, { filter: 'b eq 1 ', orderBy: ' a desc', select: ' a', apply: undefined })
  })
})

describe('paging', () => {
  const rows: readonly (readonly [pairs: Pairs, page: number, pageSize: number])[] = [
    [[['$page', '3']], 3, 50],
    [[['$pageSize', '20']], 1, 20],
    [
      [
        ['pagesize', '20'],
        ['page', '2'],
      ],
      2,
      20,
    ],
    [[['$pageSize', '500']], 1, 500],
    [[['$pageSize', '501']], 1, 500],
    [[['$pageSize', '9007199254740991']], 1, 500],
    [[['$page', '9007199254740991']], 9007199254740991, 50],
    [[['$page', '007']], 7, 50],
    [[['$pageSize', '9007199254740992']], 1, 500],
    [[['$pageSize', '99999999999999999999']], 1, 500],
  ]
  for (const [pairs, page, pageSize] of rows) {
    it(`reads ${JSON.stringify(pairs)} as page ${page} of ${pageSize}`, () => {
      const parsed = parse(pairs)
      assert.deepEqual(parsed.page, { page, pageSize })
      assert.deepEqual(parsed.query.paging, { offset: (page - 1) * pageSize, limit: pageSize })
    })
  }

  const slices: readonly (readonly [pairs: Pairs, offset: number, limit: number])[] = [
    [[['$top', '20']], 0, 20],
    [[['$skip', '20']], 20, 50],
    [
      [
        ['skip', '7'],
        ['top', '3'],
      ],
      7,
      3,
    ],
    [[['$top', '0']], 0, 0],
    [[['$top', '501']], 0, 500],
    [[['$top', '9'.repeat(400)]], 0, 500],
    [[['$skip', '9007199254740991']], 9007199254740991, 50],
    [[['$skip', '0']], 0, 50],
  ]
  for (const [pairs, offset, limit] of slices) {
    it(`reads ${JSON.stringify(pairs).slice(0, 60)} as ${limit} records from ${offset}`, () => {
      const { query, page, slice } = parse(pairs)
      assert.deepEqual([query.paging, page, slice], [{ offset, limit }, null, { offset, limit }])
    })
  }

  const sliceRefusals: readonly (readonly [name: string, value: string, column: number, message: string])[] =
    [
      ['$top', '-1', 0, "Expected a whole number of at least 0 (more than 500 means 500), found '-1'"],
      ['$top', '', 0, 'Expected a whole number of at least 0 (more than 500 means 500), found nothing'],
      ['$skip', '1.5', 1, "Expected a whole number of at least 0, found '1.5'"],
      [
        '$skip',
        '9007199254740992',
        0,
        "Expected a whole number from 0 to 9007199254740991, found '9007199254740992'",
      ],
    ]
  for (const [name, value, column, message] of sliceRefusals) {
    it(`refuses ${name}=${value}`, () => {
      const problem = problemOf([[name, value]])
      assert.deepEqual(
        [problem.code, problem.parameter, problem.column, problem.input, problem.message],
        ['QRY303', name, column, value, message],
      )
    })
  }

  for (const [first, second] of [
    ['$top', '$page'],
    ['$skip', '$pageSize'],
  ] as const) {
    it(`refuses ${first} together with ${second}`, () => {
      const problem = problemOf([
        [second, '2'],
        [first, '1'],
      ])
      assert.deepEqual([problem.code, problem.parameter, problem.input], ['QRY306', first, '1'])
      assert.equal(
        problem.message,
        `Expected either $page and $pageSize or $top and $skip, found ${second} and ${first}; both name a part of the records; leave one of them out`,
      )
    })
  }

  it('is off without either parameter', () => {
    assert.equal(parse([['$filter', 'a eq 1']]).query.paging, null)
  })

  const refused: readonly (readonly [value: string, column: number, found: string])[] = [
    ['0', 0, "'0'"],
    ['000', 0, "'000'"],
    ['-1', 0, "'-1'"],
    ['+1', 0, "'+1'"],
    [' 1', 0, "' 1'"],
    ['1 ', 1, "'1 '"],
    ['', 0, 'nothing'],
    ['1.0', 1, "'1.0'"],
    ['1e2', 1, "'1e2'"],
    ['0x10', 1, "'0x10'"],
    ['1,000', 1, "'1,000'"],
    ['abc', 0, "'abc'"],
    ['\u0661', 0, "'\u0661'"],
  ]
  it('refuses a page that a double cannot hold, and reads such a page size as the maximum', () => {
    const page = '9'.repeat(400)
    assert.match(problemOf([['$page', page]]).message, /found '9{59}…'$/)
    assert.equal(problemOf([['$page', '9007199254740992']]).code, 'QRY303')
    assert.equal(parse([['$pageSize', page]]).page?.pageSize, 500)
    assert.equal(problemOf([['$pageSize', '0'.repeat(20)]]).code, 'QRY303')
    assert.equal(parse([['$pageSize', `${'0'.repeat(20)}7`]]).page?.pageSize, 7)
  })

  for (const [value, column, found] of refused) {
    for (const parameter of ['$page', '$pageSize']) {
      it(`refuses ${parameter}=${JSON.stringify(value.slice(0, 20))}`, () => {
        const problem = problemOf([[parameter.toUpperCase(), value]])
        assert.equal(problem.code, 'QRY303')
        assert.equal(problem.parameter, parameter)
        assert.equal(problem.column, column)
        assert.equal(problem.input, value)
        const range = parameter === '$page' ? 'of at least 1' : 'of at least 1 (more than 500 means 500)'
        assert.equal(problem.message, `Expected a whole number ${range}, found ${found}`)
      })
    }
  }
})

describe('the count', () => {
  for (const value of ['true', 'false', 'TRUE']) {
    it(`may be ${value}, which counts as given`, () => {
      assert.deepEqual(
        [parse([['$count', value]]).given, parse([['$count', value]]).query.paging],
        [true, null],
      )
    })
  }
  for (const [value, found] of [
    ['', 'nothing'],
    ['1', "'1'"],
    ['yes', "'yes'"],
  ] as const) {
    it(`is refused as ${JSON.stringify(value)}`, () => {
      const { code, parameter, column, message } = problemOf([['count', value]])
      assert.deepEqual([code, parameter, column], ['QRY305', '$count', 0])
      assert.equal(
        message,
        `Expected true or false, found ${found}; the number of records in an answer is limited by $top or $pageSize`,
      )
    })
  }
})

describe('the format', () => {
  for (const [value, format] of [
    ['json', 'json'],
    ['ndjson', 'ndjson'],
    ['CSV', 'csv'],
    ['Arrow', 'arrow'],
  ] as const) {
    it(`is read from ${value}`, () => {
      const parsed = parse([['$format', value]])
      assert.deepEqual([parsed.format, parsed.given], [format, true])
    })
  }

  const refused: readonly (readonly [value: string, code: string, message: string])[] = [
    [
      '',
      'QRY109',
      'Expected json, ndjson, csv or arrow, found nothing; leave $format out if it is not needed',
    ],
    ['XLSX', 'QRY304', "Expected json, ndjson, csv or arrow, found 'XLSX'; did you mean csv?"],
    ['parquet', 'QRY304', "Expected json, ndjson, csv or arrow, found 'parquet'; did you mean arrow?"],
    ['xml', 'QRY304', "Expected json, ndjson, csv or arrow, found 'xml'"],
    ['arow', 'QRY304', "Expected json, ndjson, csv or arrow, found 'arow'; did you mean arrow?"],
    [' csv', 'QRY304', "Expected json, ndjson, csv or arrow, found ' csv'; did you mean csv?"],
    ['JSONL', 'QRY304', "Expected json, ndjson, csv or arrow, found 'JSONL'; did you mean ndjson?"],
    ['text/csv', 'QRY304', "Expected json, ndjson, csv or arrow, found 'text/csv'"],
  ]
  for (const [value, code, message] of refused) {
    it(`is refused as ${JSON.stringify(value)}`, () => {
      const problem = problemOf([['FORMAT', value]])
      assert.deepEqual([problem.code, problem.message], [code, message])
      assert.deepEqual([problem.parameter, problem.column, problem.input], ['$format', 0, value])
    })
  }
})

describe('parameter names', () => {
  const all = 'use $filter, $apply, $orderby, $select, $page, $pageSize, $top, $skip, $count or $format'
  const refused: readonly (readonly [name: string, advice: string])[] = [
    // typing mistakes, with and without the $
    ['$fliter', 'did you mean $filter?'],
    ['fliter', 'did you mean $filter?'],
    ['FILTERS', 'did you mean $filter?'],
    ['filtr', 'did you mean $filter?'],
    ['$$filter', 'did you mean $filter?'],
    [' filter', 'did you mean $filter?'],
    ['ordrby', 'did you mean $orderby?'],
    ['order_by', 'did you mean $orderby?'],
    ['order', 'did you mean $orderby?'],
    ['pagesise', 'did you mean $pageSize?'],
    ['page_size', 'did you mean $pageSize?'],
    ['pages', 'did you mean $page?'],
    ['paeg', 'did you mean $page?'],
    ['$age', 'did you mean $page?'],
    ['pageno', 'did you mean $page?'],
    ['pg', 'did you mean $page?'],
    // OData names
    ['$total', 'leave it out: _meta.total counts the records whenever a parameter is given'],
    ['$expand', 'leave it out: segments, lineItems and customDataFields are always included'],
    ['$search', "use $filter with contains(field, 'text')"],
    // the same without $, and names of other services
    ['limit', 'use $pageSize, at most 500, with $page'],
    ['per_page', 'use $pageSize, at most 500, with $page'],
    ['$limit', 'use $pageSize, at most 500, with $page'],
    ['pageNumber', 'use $page with $pageSize'],
    ['sort', 'use $orderby, as in $orderby=bookingDate desc'],
    ['sort-by', 'use $orderby, as in $orderby=bookingDate desc'],
    ['order-by', 'did you mean $orderby?'],
    ['fields', 'use $select, as in $select=recordLocator,bookingDate'],
    ['columns', 'use $select, as in $select=recordLocator,bookingDate'],
    ['selects', 'did you mean $select?'],
    ['selct', 'did you mean $select?'],
    ['tops', 'did you mean $top?'],
    ['skips', 'did you mean $skip?'],
    ['counts', 'did you mean $count?'],
    ['expand', 'leave it out: segments, lineItems and customDataFields are always included'],
    ['include', 'leave it out: segments, lineItems and customDataFields are always included'],
    ['$appli', 'did you mean $apply?'],
    ['groupby', 'use $apply, as in $apply=groupby((month(bookingDate)),aggregate($count as n))'],
    ['search', "use $filter with contains(field, 'text')"],
    ['q', "use $filter with contains(field, 'text')"],
    ['where', "use $filter, as in $filter=bookingDate ge '2026-01-31'"],
    // parameters of version 1
    ['query', 'use $filter: query is a parameter of version 1'],
    ['?Query', 'use $filter: query is a parameter of version 1'],
    ['$fetch', 'use $pageSize, at most 500, with $page: fetch is a parameter of version 1'],
    ['offset', 'use $page with $pageSize: offset is a parameter of version 1'],
    ['BookingDate^GE2026-01-31', 'use $filter: such clauses are of version 1'],
    // characters around a name by mistake
    ['amp;$filter', 'did you mean $filter? Then write & between parameters, not &amp;'],
    ['amp;filter', 'did you mean $filter? Then write & between parameters, not &amp;'],
    ['amp;amp;PAGE', 'did you mean $page? Then write & between parameters, not &amp;'],
    ['amp;query', 'use $filter: query is a parameter of version 1'],
    [';$filter', 'did you mean $filter? Then write & between parameters, not ;'],
    [';pageSize', 'did you mean $pageSize? Then write & between parameters, not ;'],
    ['%24filter', 'did you mean $filter? Then encode the name once'],
    ['%2524orderby', 'did you mean $orderby? Then encode the name once'],
    ['%26%24page', 'did you mean $page? Then encode the name once'],
    ['?$filter', 'did you mean $filter?'],
    ['$filter[]', 'did you mean $filter?'],
    ['$filter:', 'did you mean $filter?'],
    // other names that begin with $
    ['$formt', 'did you mean $format?'],
    ['forma', 'did you mean $format?'],
    ['$sizeofpage', all],
  ]
  for (const [name, advice] of refused) {
    it(`refuses ${name}`, () => {
      const problem = problemOf([[name, 'a value']])
      assert.equal(problem.code, 'QRY302')
      assert.equal(problem.message, `Unknown parameter '${name}'; ${advice}`)
      assert.equal(problem.parameter, name)
      assert.equal(problem.input, 'a value')
      assert.equal(problem.column, 0)
    })
  }

  const nameless: readonly (readonly [name: string, input: string])[] = [
    ['', 'isTicketed eq true'],
    ['', ''],
    ['$', '2'],
    [' ', '2'],
    ['amp;', '2'],
  ]
  for (const [name, input] of nameless) {
    it(`refuses ${JSON.stringify(name)}, which is no name, before ${JSON.stringify(input)}`, () => {
      const { code, message, parameter } = problemOf([[name, input]])
      assert.deepEqual([code, parameter], ['QRY450', ''])
      assert.equal(
        message,
        `Expected the name of a parameter before '=${input}', found none; a shell replaces $filter between double ` +
          'quotes by nothing; write filter, which means the same, or use single quotes',
      )
    })
  }

  // Each differs from every known name by three mistakes or more, from top, skip and count by two.
  const ignored = 'clientNumber amp;x ;x a;b api_version _ fil orde x utm_source ts ships country account os'
  for (const name of [...ignored.split(' '), 'p'.repeat(10_000)]) {
    it(`ignores ${JSON.stringify(name.slice(0, 20))}, which does not count as given`, () => {
      const { given, query } = parse([[name, "' unreadable"]])
      assert.equal(given, false)
      assert.equal(query.filter, null)
    })
  }

  const hidden: readonly (readonly [pair: Pairs[number], column: number, message: RegExp])[] = [
    [['$page', '1;$filter=a'], 1, /^Expected a whole number .*; write & between parameters, not ;$/],
    [['$pageSize', '5;amp;page=2'], 1, /^Expected a whole number .*; write & between parameters, not ;$/],
    [['x', '1;$filter=a eq 1'], 1, /^Unknown parameter 'x'; write & between parameters, not ;$/],
    [['x', 'a;b=c;path=/;$filter=a'], 12, /^Unknown parameter 'x'; write & between parameters, not ;$/],
    [['x', ';PAGE=1'], 0, /^Unknown parameter 'x'; write & between parameters, not ;$/],
    [['$filter', 'a eq 1;$page=2'], 6, /found ';'/],
    [['$orderby', 'a;$page=2'], 1, /found ';'/],
    [['$format', 'csv;$page=2'], 0, /^Expected json/],
  ]
  for (const [pair, column, message] of hidden) {
    it(`refuses a parameter after a semicolon: ${pair.join('=')}`, () => {
      const problem = problemOf([pair])
      assert.match(problem.message, message)
      assert.deepEqual([problem.parameter, problem.column, problem.input], [pair[0], column, pair[1]])
    })
  }

  it('accepts a semicolon within a text, and within the value of an ignored parameter', () => {
    assert.equal(parse([['$filter', "contains(a, ';page=1')"]]).given, true)
    assert.equal(parse([['session', 'a;b=c;path=/;']]).given, false)
  })

  it('refuses a parameter that is given twice, in either spelling', () => {
    const pairs: Pairs = [
      ['$filter', 'a eq 1'],
      ['FILTER', 'b eq 1'],
    ]
    const problem = problemOf(pairs)
    assert.equal(problem.code, 'QRY301')
    assert.equal(
      problem.message,
      'Expected $filter once, found it again; with or without $ and in any letter case it is the same parameter',
    )
    assert.equal(problem.parameter, '$filter')
    assert.equal(problem.input, 'b eq 1')
    assert.equal(
      problemOf([
        ['page', '1'],
        ['page', '1'],
      ]).code,
      'QRY301',
    )
  })

  it('accepts an ignored name any number of times', () => {
    assert.equal(
      parse([
        ['x', '1'],
        ['x', '2'],
        ['page', '1'],
      ]).given,
      true,
    )
  })

  it('refuses a name before it reads a value', () => {
    assert.equal(
      problemOf([
        ['$filter', 'not readable'],
        ['$limit', '1'],
      ]).code,
      'QRY302',
    )
  })
})

describe('parameter values', () => {
  for (const value of ['', '   ']) {
    it(`refuses ${JSON.stringify(value)} as $filter, as $orderby and as $select`, () => {
      assert.deepEqual(
        ['filter', 'orderby', 'select'].map((name) => problemOf([[name, value]]).code),
        ['QRY109', 'QRY109', 'QRY109'],
      )
    })
  }

  it('are read up to the limit and no further', () => {
    const ofLength = (length: number) => `a eq '${'x'.repeat(length - 7)}'`
    assert.ok(parse([['$filter', ofLength(8192)]]).given)
    for (const name of ['$filter', '$orderby', '$select', '$page', '$pageSize', '$top', '$count']) {
      const problem = problemOf([[name, ofLength(8193)]])
      assert.equal(problem.code, 'QRY311')
      assert.equal(problem.parameter, name)
      assert.equal(problem.column, 8192)
      assert.equal(
        problem.message,
        'Expected at most 8192 characters in one parameter, found more; the limit is parameterLength = 8192',
      )
    }
    assert.match(problemOf([['$page', '123']], { parameterLength: 2 }).message, /parameterLength = 2$/)
  })

  it('of any kind raise only problems within the value', () => {
    const name = fc.oneof(
      fc.constantFrom('$filter', 'orderby', '$page', 'pageSize', '$top', 'skip', 'count', '$select', 'x'),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.string({ unit: anyCharacter })), { maxLength: 4 }), (pairs) => {
        try {
          parse(pairs)
        } catch (problem) {
          assert.ok(problem instanceof QueryProblem, String(problem))
          assert.ok(problem.column !== undefined && problem.input !== undefined)
          assert.ok(problem.column >= 0 && problem.column <= problem.input.length)
        }
      }),
      { numRuns: 500 },
    )
  })
})
