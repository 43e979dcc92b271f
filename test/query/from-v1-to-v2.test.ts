/**
 * Checks docs/how-to/from-v1-to-v2.md: queries in one row of its tables are the same, every field of version 1 has a row, and
 * its quotes are the texts of the service.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { settings } from '../../src/config/settings.ts'
import { readParameters, readRawParameters } from '../../src/http/lists/query-parameters.ts'
import { ignoredWarning } from '../../src/http/lists/warnings.ts'
import { Problem } from '../../src/kernel/problem.ts'
import type { Expr, ParsedQuery, PathName } from '../../src/query/ast.ts'
import { bindQuery } from '../../src/query/bind/bind-query.ts'
import { caretOperators } from '../../src/query/caret/clause.ts'
import { parseVersion1Parameters } from '../../src/query/caret/parameters.ts'
import { parseClauses } from '../../src/query/caret/parse-clauses.ts'
import { version2Filter } from '../../src/query/caret/version-2-filter.ts'
import { defaultQueryLimits } from '../../src/query/limits.ts'
import { parseParameters } from '../../src/query/odata/parameters.ts'
import { printFilter } from '../../src/query/odata/print-filter.ts'
import { planKey } from '../../src/query/plan/plan-key.ts'
import { planQuery } from '../../src/query/plan/plan-query.ts'
import { datasets, type ListName, version1Datasets } from '../../src/schema/datasets.ts'
import { extractTables, type TableName } from '../../src/schema/extract-tables.ts'

const guide = readFileSync(join(import.meta.dirname, '../../docs/how-to/from-v1-to-v2.md'), 'utf8')

/** The text after a heading, up to the next one of the same level or above. */
function section(title: string): string {
  const [, mark = '', text = ''] =
    new RegExp(`^(##+) ${title}\\n((?:.|\\n)*)`, 'm').exec(guide) ?? assert.fail(title)
  return text.split(new RegExp(`^#{2,${mark.length}} `, 'm'))[0] as string
}

/** The rows of the tables in a text, as cells. */
function rowsOf(text: string): readonly (readonly [string, string, string])[] {
  const rows = text.split('\n').filter((line) => line.startsWith('|'))
  const bodies = rows.filter((row, i) => !/^\|-/.test(row) && !/^\|-/.test(rows[i + 1] ?? ''))
  return bodies.map((row) => {
    const [left = '', middle = '', right = ''] = row.slice(1, -1).split(' | ')
    return [left.trim(), middle.trim(), right.trim()]
  })
}

const quotesOf = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, quote]) => quote as string)

/** The labels of the client in the guide, and their fields in version 1. */
const labels = { 'Cost Centre': 'costCentre', "Manager's Approval": 'authorisedBy' }

const namesInVersion1: Readonly<Record<string, string>> = {
  modifiedAt: 'modifiedDateTime',
  ...Object.fromEntries(Object.entries(labels).map(([label, field]) => [`customDataFields.${label}`, field])),
}

/** The same condition on a record of version 1. */
function aboutVersion1(filter: Expr): Expr {
  return JSON.parse(JSON.stringify(filter), (member, value) => {
    if (member !== 'names') return value
    const path = (value as PathName[]).map(({ name }) => name).join('.')
    return [{ ...value[0], name: namesInVersion1[path] ?? path }]
  })
}

const version1Query = (list: ListName, pairs: readonly (readonly [string, string])[]): ParsedQuery =>
  parseVersion1Parameters(pairs, version1Datasets[list], defaultQueryLimits).query

const version2Query = (pairs: readonly (readonly [string, string])[]): ParsedQuery =>
  parseParameters(pairs, defaultQueryLimits).query

const ofVersion1 = (list: ListName, filter: Expr | null): string =>
  planKey(planQuery(bindQuery({ filter, orderBy: [], paging: null }, version1Datasets[list], [])))

const ofVersion2 = (list: ListName, filter: Expr | null): string =>
  planKey(planQuery(bindQuery({ filter, orderBy: [], paging: null }, datasets[list], Object.keys(labels))))

function assertSame(list: ListName, query: ParsedQuery, { filter }: ParsedQuery): void {
  assert.ok(filter)
  assert.match(ofVersion2(list, filter), /\w\(/, 'is a condition on records of version 2')
  assert.equal(ofVersion1(list, aboutVersion1(filter)), ofVersion1(list, query.filter))
}

describe('the operator tables', () => {
  const kinds = ['Text', 'Number', 'Date', 'Date-time', 'Boolean', 'Null', 'Several clauses']
  for (const kind of kinds) {
    const [, list] = new RegExp(`^### ${kind} \\((\\w+)\\)$`, 'm').exec(guide) as unknown as [
      string,
      ListName,
    ]
    const rows = rowsOf(section(`${kind} \\(\\w+\\)`)).flatMap(([queries, filter]) =>
      quotesOf(queries).map((query) => ({ query, filter, text: quotesOf(filter)[0] ?? '' })),
    )

    if (kind !== 'Several clauses') {
      it(`${kind}: have a row for each of the nine operators`, () => {
        const told = new Set(rows.map(({ query }) => /\^(..)/.exec(query)?.[1]))
        assert.deepEqual(told, new Set(caretOperators))
      })
    }

    for (const { query, filter, text } of rows) {
      if (filter === '400') {
        it(`${kind}: ${query} is refused`, () => {
          assert.throws(
            () => version1Query(list, [['query', query]]),
            (problem) => problem instanceof Problem && problem.code.startsWith('QRY4'),
          )
        })
        continue
      }
      it(`${kind}: ${query} is ${text}`, () => {
        assertSame(list, version1Query(list, [['query', query]]), version2Query([['$filter', text]]))
      })
      it(`${kind}: ${query} is explained like this`, () => {
        const [wanted, found] = [text, withLabels(explain(query, list))].map((filter) =>
          ofVersion2(list, version2Query([['$filter', filter]]).filter),
        )
        assert.equal(found, wanted)
      })
    }
  }
})

const explain = (query: string, list: ListName): string =>
  printFilter(version2Filter(parseClauses(query, defaultQueryLimits), list).filter)

const withLabels = (filter: string): string =>
  Object.entries(labels).reduce(
    (text, [label, field]) => text.replaceAll(`['${field}']`, `['${label.replaceAll("'", "''")}']`),
    filter,
  )

describe('the other queries of the guide', () => {
  it('include the output of explain', () => {
    const shown = [...guide.matchAll(/explain --v1 '(.+)'\n {4}(.+)\n/g)]
    assert.ok(shown.length >= 2)
    for (const [, query = '', filter] of shown) assert.equal(explain(query, 'bookings'), filter)
  })

  for (const [sent1, sent2] of rowsOf(section('Encoding'))) {
    it(`have the same meaning: ${sent1} and ${sent2}`, () => {
      const [query = '', filter = ''] = [sent1, sent2].flatMap(quotesOf)
      assertSame(
        'bookings',
        version1Query('bookings', readRawParameters(`?${query}`)),
        version2Query(readParameters(`?${filter}`)),
      )
    })
  }

  it('translate fetch and offset into the page with the same records', () => {
    const pairs = rowsOf(section('Paging')).filter(([left]) => left.startsWith('`fetch'))
    assert.equal(pairs.length, 2)
    for (const cells of pairs) {
      const [first = '', second = ''] = cells.flatMap(quotesOf)
      const { paging } = version2Query(readParameters(`?${second}`))
      assert.deepEqual(version1Query('bookings', readRawParameters(`?${first}`)).paging, paging)
    }
  })

  it('include the refusals of version 1 parameters by version 2', () => {
    assert.match(guide, /Version 2 refuses them with 400/)
    for (const pair of [
      ['query', 'IsTicketed^EQ1'],
      ['fetch', '10'],
      ['offset', '0'],
    ] as const) {
      assert.throws(() => parseParameters([pair], defaultQueryLimits), { code: 'QRY302' })
    }
  })

  const cc = "customDataFields['Cost Centre']"
  const literals: readonly (readonly [query: string, filter: string, same: boolean])[] = [
    ['CostCentre^EQ100', `${cc} eq '100'`, true],
    ['CostCentre^EQ100', `${cc} eq 100`, false],
    ['CostCentre^EQ  X1 ', `${cc} eq 'x1'`, true],
    ['CostCentre^EQX1', `${cc} eq ' X1'`, false],
    ['CostCentre^EQNULL', `${cc} eq null`, true],
    ['CostCentre^EQnull', `${cc} eq 'null'`, false],
    ['ModifiedDateTime^EQ2026-01-31', "modifiedAt eq '2026-01-31'", false],
  ]
  for (const [query, text, same] of literals) {
    it(`${same ? 'have' : 'do not have'} the same meaning: ${query} and ${text}`, () => {
      const filter = version2Query([['$filter', text]]).filter as Expr
      const plan = ofVersion1('bookings', version1Query('bookings', [['query', query]]).filter)
      assert.equal(ofVersion1('bookings', aboutVersion1(filter)) === plan, same)
    })
  }

  it('include a text that version 2 compares as a date where it has a label', () => {
    const { filter } = version2Query([['$filter', `${cc} eq '2026-01-31'`]])
    assert.match(ofVersion2('bookings', filter), /eq\(custom"Cost Centre",i\d+/)
    assert.match(
      ofVersion1('bookings', version1Query('bookings', [['query', 'CostCentre^EQ2026-01-31']]).filter),
      /eq\(costCentre,"2026-01-31"\)/,
    )
  })
})

/** The paths of all members: `name`, and `name[].member` for an array of objects. */
function membersOf(shape: unknown): readonly string[] {
  const { properties } = shape as { readonly properties: Readonly<Record<string, unknown>> }
  return Object.entries(properties).flatMap(([name, schema]) => {
    const { items } = schema as { readonly items?: unknown }
    return items === undefined ? [name] : membersOf(items).map((member) => `${name}[].${member}`)
  })
}

const membersOfVersion2: ReadonlySet<string> = new Set(
  Object.values(datasets).flatMap(({ record }) => membersOf(record)),
)

describe('the field tables', () => {
  const tables = {
    'Bookings and itineraries': version1Datasets.itineraries.record,
    Invoices: version1Datasets.invoices.record,
  }
  for (const [title, record] of Object.entries(tables)) {
    const rows = rowsOf(section(title))

    it(`${title}: have every field of version 1, and only those`, () => {
      const told = rows.map(([field]) => quotesOf(field)[0] as string)
      const members = membersOf(record).map((name) => name.replace(/^segments\[\]\..*/, 'segments[]'))
      assert.deepEqual(told.toSorted(), [...new Set(members)].sort())
    })

    it(`${title}: name fields of version 2 that exist`, () => {
      for (const [field, counterpart] of rows) {
        const names = quotesOf(counterpart)
        assert.equal(names.length === 0, ['label', 'query'].includes(counterpart), field)
        for (const name of names) {
          const path = name.replace('.', '[].')
          const isThere =
            membersOfVersion2.has(path) ||
            [...membersOfVersion2].some((member) => member.startsWith(`${name}[]`))
          assert.ok(isThere || rows.some(([other]) => other.endsWith(`.${name}\``)), `${field}: ${name}`)
        }
      }
    })

    it(`${title}: name columns of the extract that exist`, () => {
      for (const [field, , sources] of rows) {
        for (const source of quotesOf(sources)) {
          const [table = '', column] = source.split('.')
          const columns = extractTables[table as TableName]?.columns.map((known) => known.column)
          assert.ok(columns, `${field}: ${source}`)
          assert.ok(column === undefined || columns.includes(column), `${field}: ${source}`)
        }
      }
    })
  }

  it('mark as labels exactly what explain translates to labels', () => {
    const isTold = (list: string) => rowsOf(section(list)).filter(([field]) => !field.includes('[]'))
    for (const [field, counterpart] of isTold('Bookings and itineraries')) {
      const [name = ''] = quotesOf(field)
      const outcome = explain(`${name}^EQnull`, 'itineraries')
      assert.equal(outcome.includes('customDataFields'), counterpart === 'label', name)
      if (counterpart === 'query') assert.equal(outcome, `${name} eq null`)
    }
    for (const [field] of isTold('Invoices')) {
      const [name = ''] = quotesOf(field)
      assert.equal(explain(`${name}^EQnull`, 'invoices'), `${name} eq null`)
    }
  })
})

describe('the quotes of the guide', () => {
  it('have the warning that the service sends', () => {
    assert.ok(guide.includes(`\`${ignoredWarning(['fetsh'], false)}\``))
  })

  it('have the limit of the settings', () => {
    const { rateLimitV1, rateBurstV1, rateLimitV2 } = settings
    const told = `${rateLimitV1.default} requests a second, after a burst of ${rateBurstV1.default}; version 2 has`
    assert.ok(section('Rate limits').includes(told))
    assert.equal(rateLimitV2.default, 0)
  })

  it('have links to existing headings only', () => {
    const places = [...guide.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    )
    for (const [, place] of guide.matchAll(/\]\(#([^)]+)\)/g)) assert.ok(places.includes(place as string))
  })
})
