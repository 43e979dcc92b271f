/** The language of $apply, from text to plan. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { QueryProblem } from '../../src/kernel/problem.ts'
import type { AggregationPlan } from '../../src/query/aggregation.ts'
import { bindAggregation } from '../../src/query/bind/bind-aggregation.ts'
import type { UnknownLabels } from '../../src/query/bind/resolve-path.ts'
import { defaultQueryLimits } from '../../src/query/limits.ts'
import { parseParameters } from '../../src/query/odata/parameters.ts'
import { aggregationKey, valueKey } from '../../src/query/plan/aggregation-key.ts'
import { planAggregation } from '../../src/query/plan/plan-aggregation.ts'
import { datasets, type ListName } from '../../src/schema/datasets.ts'
import { anyCharacter } from '../fixtures/any-character.ts'

const labels = ['Cost Centre', 'n', "O'Hare", '__proto__', 'company', 'a.b', 'Cost', 'cost']

type Asked = {
  readonly apply: string
  readonly list?: ListName
  readonly filter?: string
  readonly orderby?: string
  readonly unknownLabels?: UnknownLabels
}

function planOf({ apply, list = 'invoices', filter, orderby, unknownLabels }: Asked): AggregationPlan {
  const pairs = Object.entries({ apply, filter, orderby }).flatMap(([name, value]) =>
    value === undefined ? [] : [[`$${name}`, value] as const],
  )
  const { aggregation, texts } = parseParameters(pairs, defaultQueryLimits)
  assert.ok(aggregation)
  return planAggregation(bindAggregation(aggregation, datasets[list], labels, texts, unknownLabels))
}

/** `month(invoiceDate) as "month"`; elements have the name of their collection. */
function shown(plan: AggregationPlan): readonly string[] {
  const nameOf = (value: AggregationPlan['dimensions'][number]['value']) =>
    valueKey(value).replace('element', String(plan.collection))
  return [
    ...plan.dimensions.map(({ member, value, part }) =>
      part === null ? `${nameOf(value)} as ${member}` : `${part}(${nameOf(value)}) as ${member}`,
    ),
    ...plan.aggregates.map((each) =>
      each.method === 'count'
        ? `count as ${each.member}`
        : `${nameOf(each.value)} ${each.method} as ${each.member}`,
    ),
  ]
}

describe('$apply accepts', () => {
  const rows: readonly (readonly [asked: Asked | string, members: readonly string[]])[] = [
    ['aggregate($count as n)', ['count as n']],
    ['aggregate(COUNT as n)', ['count as n']],
    [' AGGREGATE ( $COUNT AS Total ) ', ['count as Total']],
    ['groupby((company))', ['company as company']],
    ['groupby((company as who,dueDate))', ['company as who', 'dueDate as dueDate']],
    [
      'groupby((YEAR(invoiceDate),quarter(invoiceDate),month(invoiceDate),week(invoiceDate),date(invoiceDate)))',
      [
        'year(invoiceDate) as year(invoiceDate)',
        'quarter(invoiceDate) as quarter(invoiceDate)',
        'month(invoiceDate) as month(invoiceDate)',
        'week(invoiceDate) as week(invoiceDate)',
        'date(invoiceDate) as date(invoiceDate)',
      ],
    ],
    [{ apply: 'groupby((month(modifiedAt)))', list: 'bookings' }, ['month(modifiedAt) as month(modifiedAt)']],
    [
      { apply: 'groupby((segments.vendor,date(startLocal)))', list: 'itineraries' },
      ['segments.vendor as segments.vendor', 'date(segments.startLocal) as date(segments.startLocal)'],
    ],
    ['groupby((lineType))', ['lineItems.lineType as lineItems.lineType']],
    ["groupby((customDataFields['cost centre']))", ['custom"Cost Centre" as Cost Centre']],
    [
      "groupby((customDataFields.company,company),aggregate($count as n,customDataFields['O''Hare'] with max as ['and']))",
      [
        `custom"company" as customDataFields['company']`,
        'company as company',
        'count as n',
        'custom"O\'Hare" max as and',
      ],
    ],
    [
      "groupby((customDataFields['n']),aggregate($count as n))",
      [`custom"n" as customDataFields['n']`, 'count as n'],
    ],
    ['groupby((customDataFields.__proto__))', ['custom"__proto__" as __proto__']],
    [
      'aggregate(lineItems.lineAmountIncGst with sum as s,unitPrice with AVERAGE as a,lineNumber with sum as l)',
      [
        'lineItems.lineAmountIncGst sum as s',
        'lineItems.unitPrice average as a',
        'lineItems.lineNumber sum as l',
      ],
    ],
    [
      'groupby((lineType),aggregate(company with countdistinct as c,dueDate with max as d,recordLocator with min as r))',
      [
        'lineItems.lineType as lineItems.lineType',
        'company countdistinct as c',
        'dueDate max as d',
        'recordLocator min as r',
      ],
    ],
    [
      'groupby((balanceAmount),aggregate(payments.amount with sum as paid,totalAmount with sum as total))',
      ['balanceAmount as balanceAmount', 'payments.amount sum as paid', 'totalAmount sum as total'],
    ],
    [
      { apply: 'groupby((traveller,travellers.name))', list: 'bookings' },
      ['traveller as traveller', 'travellers.name as travellers.name'],
    ],
    [{ apply: 'groupby((customDataFields.Unknown))', unknownLabels: 'null' }, ['null as Unknown']],
  ]
  for (const [row, members] of rows) {
    const asked = typeof row === 'string' ? { apply: row } : row
    it(asked.apply, () => assert.deepEqual(shown(planOf(asked)), members))
  }

  it('conditions before the groups, which mean the same in any step', () => {
    const key = (asked: Asked) => aggregationKey(planOf(asked))
    const groups = 'groupby((company),aggregate($count as n))'
    const both = "company eq 'a' and quantity gt 1"
    assert.equal(
      key({ apply: `filter(company eq 'a')/filter(quantity gt 1)/${groups}` }),
      key({ apply: groups, filter: both }),
    )
    assert.equal(
      key({ apply: `filter(quantity gt 1)/${groups}`, filter: "company eq 'A'" }),
      key({ apply: `filter(${both})/${groups}` }),
    )
    assert.notEqual(key({ apply: groups, filter: both }), key({ apply: groups }))
    assert.notEqual(key({ apply: groups }), key({ apply: groups.replace('as n', 'as m') }))
  })

  it('keeps groups of elements apart from groups of records', () => {
    const groupsOf = (apply: string) => planOf({ apply }).groupsOf
    assert.equal(groupsOf('groupby((company),aggregate(quantity with sum as q))'), 'records')
    assert.equal(groupsOf('groupby((company,lineType))'), 'elements')
  })
})

it('has one limit for the conditions of all steps', () => {
  const steps = (count: number) => `${"filter(company eq 'x')/".repeat(count)}aggregate($count as n)`
  const parse = (count: number) =>
    parseParameters([['$apply', steps(count)]], { ...defaultQueryLimits, filterNodes: 9 })
  assert.equal(parse(3).aggregation?.steps.length, 3)
  assert.throws(() => parse(10), { code: 'QRY312' })
})

describe('$orderby beside $apply', () => {
  const apply =
    "groupby((company,month(invoiceDate) as m,customDataFields['Cost Centre'],lineType),aggregate($count as n))"
  const rows: readonly (readonly [orderby: string | undefined, keys: string])[] = [
    [undefined, '+0 +1 +2 +3'],
    ['n desc', '-4 +0 +1 +2 +3'],
    ['N asc,company desc', '+4 -0 +1 +2 +3'],
    ['month(invoiceDate) desc', '-1 +0 +2 +3'],
    ['m DESC,m asc', '-1 +0 +2 +3'],
    ["['Cost Centre'] desc", '-2 +0 +1 +3'],
    ["customDataFields['Cost centre'] desc", '-2 +0 +1 +3'],
    ["['lineItems.lineType']", '+3 +0 +1 +2'],
    ['lineItems.lineType,lineType desc', '+3 +0 +1 +2'],
    ['lineType,m,company,n desc', '+3 +1 +0 -4 +2'],
    ["company,m,['Cost Centre'],lineType,n desc", '+0 +1 +2 +3'],
  ]
  for (const [orderby, keys] of rows) {
    it(orderby ?? 'by default', () => {
      const { orderBy } = planOf({ apply, ...(orderby === undefined ? {} : { orderby }) })
      assert.equal(
        orderBy.map(({ member, descending }) => `${descending ? '-' : '+'}${member}`).join(' '),
        keys,
      )
    })
  }

  it('names a label that the client does not have, where it is null, as one that it has', () => {
    for (const label of ['Cost Centre', 'Unknown']) {
      for (const member of ['', ' as x', `),aggregate($count as ['${label}']`]) {
        const path = `customDataFields['${label}']`
        const grouping = `groupby((company,${path}${member}))`
        const { orderBy } = planOf({ apply: grouping, orderby: `${path} desc`, unknownLabels: 'null' })
        assert.deepEqual(orderBy[0], { member: 1, descending: true }, grouping)
      }
    }
  })
})

function problemOf(asked: Asked): QueryProblem {
  try {
    planOf(asked)
  } catch (problem) {
    assert.ok(problem instanceof QueryProblem, String(problem))
    return problem
  }
  assert.fail('nothing was refused')
}

describe('$apply refuses', () => {
  type Row = readonly [asked: Asked | string, code: string, column: number, message: RegExp]
  const rows: readonly Row[] = [
    ['', 'QRY109', 0, /^Expected steps such as groupby/],
    ['company', 'QRY502', 0, /^Unknown step 'company', expected filter, groupby or aggregate; write it like/],
    ['groupyb((company))', 'QRY502', 0, /did you mean groupby\?$/],
    ['topcount(10,n)', 'QRY502', 0, /sort with \$orderby, and take the first page with \$pageSize$/],
    ['orderby(n)', 'QRY502', 0, /sort with \$orderby beside \$apply$/],
    ["filter(company eq 'a')", 'QRY501', 22, /filter\(\.\.\.\) as the last step; \$filter selects records$/],
    ["groupby((company))/filter(company eq 'a')", 'QRY501', 18, /another step after groupby\(\.\.\.\)$/],
    [
      'aggregate($count as n)/groupby((company))',
      'QRY501',
      22,
      /any number of filter\(\.\.\.\) steps, then groupby/,
    ],
    [
      'groupby((company)) x',
      'QRY101',
      19,
      /^Expected the end of the value after groupby\(\.\.\.\), found 'x'/,
    ],
    [
      'groupby(company)',
      'QRY101',
      8,
      /second '\(' before the dimensions, found 'company'; write it like groupby\(\(company\)\)$/,
    ],
    ['groupby((company)', 'QRY101', 17, /or '\)' after the dimensions, found the end/],
    ['groupby((company),$count as n)', 'QRY101', 18, /^Expected aggregate\(\.\.\.\) after the dimensions/],
    [
      'groupby((company x))',
      'QRY101',
      17,
      /^Expected as, ',' or '\)' after a dimension, found 'x'; if it is a label, write customDataFields\['company x'\]$/,
    ],
    ['groupby((lineItems/lineType))', 'QRY101', 18, /the names of a path are joined by a dot$/],
    [
      'groupby((day(invoiceDate)))',
      'QRY105',
      9,
      /expected year, quarter, month, week or date; did you mean date\?$/,
    ],
    [
      'groupby((month(company)))',
      'QRY505',
      15,
      /^Expected a date or date-time field for month, found 'company'$/,
    ],
    [
      "groupby((year(customDataFields['Cost Centre'])))",
      'QRY505',
      14,
      /found 'customDataFields.Cost Centre'$/,
    ],
    ['groupby((compani))', 'QRY201', 9, /^Unknown field 'compani' in invoices; did you mean company\?$/],
    ['groupby((customDataFields.Unknown))', 'QRY335', 26, /^Unknown label 'Unknown'/],
    ['groupby((customDataFields.COST))', 'QRY202', 26, /^Ambiguous name 'COST'/],
    ['groupby((lineItems))', 'QRY203', 9, /alone/],
    ['aggregate($count)', 'QRY101', 16, /^Expected as and a name in the answer, found '\)'$/],
    ['aggregate(count)', 'QRY101', 15, /; write count as n$/],
    [
      'groupby((Cost Centre as centre))',
      'QRY101',
      14,
      /; if it is a label, write customDataFields\['Cost Centre'\]$/,
    ],
    ['aggregate($sum as n)', 'QRY101', 11, /^Expected count after \$/],
    ['aggregate($count as a.b)', 'QRY101', 20, /^Expected a name without a dot after as/],
    ['aggregate($count as eq)', 'QRY107', 20, /reserved word/],
    [
      'aggregate(sum(unitPrice))',
      'QRY101',
      13,
      /write it like unitPrice with sum as total, or \$count as n$/,
    ],
    ['aggregate(unitPrice as p)', 'QRY101', 20, /^Expected with and a method after the field/],
    ['aggregate(unitPrice with avg as p)', 'QRY503', 25, /did you mean average\?$/],
    ['aggregate(unitPrice with summ as p)', 'QRY503', 25, /did you mean sum\?$/],
    [
      'aggregate(unitPrice with median as p)',
      'QRY503',
      25,
      /expected sum, min, max, average or countdistinct$/,
    ],
    ['aggregate(company with sum as p)', 'QRY504', 10, /^Expected a number field for sum, found 'company'/],
    [
      "aggregate(customDataFields['Cost Centre'] with average as p)",
      'QRY504',
      10,
      /^Expected a number field for average/,
    ],
    [
      { apply: 'aggregate(isTicketed with max as p)', list: 'bookings' },
      'QRY504',
      10,
      /found the boolean 'isTicketed'/,
    ],
    [
      'groupby((company,company))',
      'QRY506',
      17,
      /found 'company' twice; give one of them another name with as$/,
    ],
    ['groupby((company as n),aggregate($count as n))', 'QRY506', 43, /found 'n' twice/],
    ['aggregate($count as n,unitPrice with sum as n)', 'QRY506', 44, /found 'n' twice/],
    [
      'groupby((lineType),aggregate(totalAmount with sum as s))',
      'QRY507',
      29,
      /^Expected a field of lineItems for sum, found 'totalAmount' of the record; a record would count once per element/,
    ],
    [
      'groupby((lineType),aggregate(payments.amount with sum as s))',
      'QRY508',
      29,
      /^Expected fields of the record and of lineItems, found 'payments.amount'/,
    ],
    [
      `groupby((${Array.from({ length: 9 }, (_, i) => `company as c${i}`).join(',')}))`,
      'QRY511',
      121,
      /^Expected at most 8 dimensions, found more; the limit is applyDimensions = 8$/,
    ],
    [
      `aggregate(${Array.from({ length: 17 }, (_, i) => `$count as c${i}`).join(',')})`,
      'QRY512',
      224,
      /the limit is applyAggregates = 16$/,
    ],
    ["filter(company eq 'a'/groupby((company))", 'QRY101', 21, /^Expected 'and', 'or' or '\)', found '\/'/],
    ['filter(quantity gt x)/groupby((company))', 'QRY106', 19, /found the name 'x'/],
    ["filter(dueDate gt 'soon')/groupby((company))", 'QRY331', 18, /^Expected a date/],
    [`aggregate($count as n)${' '.repeat(8192)}`, 'QRY311', 8192, /parameterLength/],
  ]
  for (const [row, code, column, message] of rows) {
    const asked = typeof row === 'string' ? { apply: row } : row
    it(`${asked.apply.slice(0, 80)}: ${code}`, () => {
      const problem = problemOf(asked)
      assert.deepEqual(
        [problem.code, problem.parameter, problem.column],
        [code, '$apply', column],
        problem.message,
      )
      assert.match(problem.message, message)
      assert.equal(problem.input, asked.apply)
    })
  }

  const orders: readonly (readonly [orderby: string, code: string, column: number, message: RegExp])[] = [
    [
      'total',
      'QRY509',
      0,
      /^Unknown member 'total' of the groups, expected company, month\(invoiceDate\) or n$/,
    ],
    ['compani', 'QRY509', 0, /did you mean company\?$/],
    ['n,dueDate desc', 'QRY509', 2, /^Unknown member 'dueDate'/],
    ['year(invoiceDate)', 'QRY509', 0, /^Unknown member 'year\(invoiceDate\)'/],
    ['-n', 'QRY101', 0, /write desc after the member instead$/],
    ['$count desc', 'QRY101', 0, /write the alias of \$count$/],
    ['n sideways', 'QRY101', 2, /^Expected asc, desc/],
    ['', 'QRY109', 0, /^Expected a sort clause/],
  ]
  for (const [orderby, code, column, message] of orders) {
    it(`$orderby=${orderby}: ${code}`, () => {
      const problem = problemOf({
        apply: 'groupby((company,month(invoiceDate)),aggregate($count as n))',
        orderby,
      })
      assert.deepEqual([problem.code, problem.parameter, problem.column], [code, '$orderby', column])
      assert.match(problem.message, message)
    })
  }

  it('anything else with a problem, whatever it is', () => {
    const pieces = fc.constantFrom(
      ...[
        'groupby((',
        'aggregate(',
        'filter(',
        'company',
        '$count',
        ' as ',
        ' with ',
        'sum',
        'n',
        ')',
        ',',
        '/',
        "'",
        '[',
      ],
    )
    const text = fc.array(fc.oneof({ arbitrary: pieces, weight: 8 }, { arbitrary: anyCharacter, weight: 1 }))
    fc.assert(
      fc.property(text, (parts) => {
        try {
          planOf({ apply: parts.join('') })
        } catch (problem) {
          assert.ok(problem instanceof QueryProblem, String(problem))
          assert.ok((problem.column ?? 0) <= parts.join('').length)
        }
      }),
    )
  })
})
