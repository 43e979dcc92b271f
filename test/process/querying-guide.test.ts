/** docs/how-to/querying.md against a service with demo data: every request of the page, and every row of its tables. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { runRefresh } from '../../src/ingest/cycle.ts'
import { fold } from '../../src/kernel/text.ts'
import { comparandFor, type ValueLiteral } from '../../src/query/bind/comparand.ts'
import type { ColumnRef } from '../../src/query/bound-query.ts'
import { defaultQueryLimits } from '../../src/query/limits.ts'
import { parseFilter } from '../../src/query/odata/parse-filter.ts'
import { additionalShapes } from '../../src/schema/additional-shapes.ts'
import { publishDemo } from '../fixtures/published-extract.ts'
import { createAccount } from './accounts.ts'
import { type ServingHere, serveHere } from './service-in-process.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/how-to/querying.md'), 'utf8')
const examples = [...page.matchAll(/^ {4}(ask [a-z].*)$/gm)].map(([, line = '']) => line)
const askFunction = /^ {4}(ask\(\) .*)$/m.exec(page)?.[1] ?? ''

/** The rows of the table whose first line begins with this text, as the texts of their cells. */
function rowsOf(beginning: string): readonly (readonly string[])[] {
  const [table = ''] = page.slice(page.indexOf(beginning)).split('\n\n')
  const [, , ...rows] = table.split('\n').filter((line) => line.startsWith('|'))
  assert.ok(rows.length > 1, beginning)
  return rows.map((row) =>
    row
      .replaceAll('\\|', '\0')
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('\0', '|')),
  )
}

const code = (cell = ''): string => cell.replace(/^`|`$/g, '')

type Booking = { readonly recordLocator: string; readonly authorisedBy: string | null }
type Answer = { readonly count: number; readonly bookings: readonly Booking[]; readonly message: string }

let root: string
let service: ServingHere
let key: string
let tokenOfYesterday: string
let yesterday: string

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'tripfolio-querying-'))
  const data = join(root, 'data')
  const source = join(root, 'extract')
  await publishDemo({ data, source }, { clients: 1, bookings: 1000 })
  key = await createAccount(data, 'C00001', 'guide')
  service = await serveHere(data)
  const { headers } = await get('bookings/changes')
  tokenOfYesterday = headers.get('changes-token') ?? ''
  yesterday = new Date().toISOString()
  await service.close()
  await editOneBooking(join(source, 'bookings.csv'))
  await runRefresh({
    source,
    dataFolder: data,
    maxRejectShare: 0,
    retainSnapshots: 3,
    databaseThreads: 1,
    observe: () => undefined,
  })
  service = await serveHere(data)
})
after(async () => {
  await service.close()
  await rm(root, { recursive: true, force: true })
})

async function editOneBooking(file: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  const edited = text.replace(/Wayfarer Perth/, 'Wayfarer Broome')
  assert.notEqual(edited, text)
  await writeFile(file, edited)
}

async function get(list: string, parameters: Readonly<Record<string, string>> = {}) {
  const address = `${service.address}/api/v2/${list}?${new URLSearchParams(parameters)}`
  const response = await fetch(address, { headers: { 'X-API-Key': key } })
  const { status, headers } = response
  return { status, headers, answer: (await response.json()) as Answer }
}

const found = async (filter: string, select = 'recordLocator'): Promise<readonly Booking[]> => {
  const { status, answer } = await get('bookings', { filter, select })
  assert.equal(status, 200, `${filter}: ${answer.message}`)
  return answer.bookings
}

describe('the requests of docs/how-to/querying.md', () => {
  it('are answered, with something in each answer', async () => {
    // curl reads it, and says the status after each answer.
    await writeFile(join(root, '.curlrc'), 'write-out = "\\n%{http_code}\\n\\n\\n"\n')
    const { stdout } = await promisify(execFile)('bash', ['-euc', [askFunction, ...examples].join('\n')], {
      env: {
        ...process.env,
        CURL_HOME: root,
        KEY: key,
        URL: `${service.address}/api/v2`,
        TOKEN: tokenOfYesterday,
        YESTERDAY: yesterday,
      },
      maxBuffer: 2 ** 26,
    })
    const answers = stdout.trimEnd().split('\n\n\n')
    assert.equal(answers.length, examples.length)
    for (const [index, answer] of answers.entries()) {
      const lines = answer.trim().split('\n')
      assert.equal(lines.pop(), '200', `${examples[index]}: ${answer}`)
      const isEnvelope = lines[0]?.startsWith('{"clientNumber"') === true && lines.length === 1
      const count = isEnvelope ? (JSON.parse(lines[0] as string) as Answer).count : lines.length - 1
      assert.ok(count > 0, `${examples[index]}: ${answer}`)
    }
    const [routes = ''] = answers.filter((_, index) => examples[index]?.includes('as flights'))
    const { groups } = JSON.parse(routes.split('\n')[0] as string) as {
      groups: { type: string; flights: number }[]
    }
    assert.deepEqual(new Set(groups.map(({ type }) => type)), new Set(['AIR']))
    assert.equal(groups.length, 10)
  })

  it('use every parameter, operator and function', () => {
    const all = examples.join('\n')
    const words = [
      ...[
        'filter=',
        'select=',
        'orderby=',
        'apply=',
        'page=',
        'pageSize=',
        'top=',
        'skip=',
        'count=',
        'format=',
      ],
      ...['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in', 'nin', 'and', 'or', 'not', 'null'].map(
        (word) => ` ${word} `,
      ),
      ...['contains(', 'startswith(', 'endswith(', 'any(', 'all('],
      ...['year(', 'quarter(', 'month(', 'week(', 'date('],
      ...['sum', 'average', 'min', 'max', 'countdistinct'].map((method) => ` with ${method} as `),
    ]
    const spaced = all.replace(/[=(),]/g, (symbol) => `${symbol} `).replace(/(\w)([")])/g, '$1 $2')
    assert.deepEqual(
      words.filter((word) => !all.includes(word) && !spaced.includes(word)),
      [],
    )
  })
})

describe('the tables of docs/how-to/querying.md', () => {
  it('say what null does', async () => {
    const all = await found('any(travellers) or not any(travellers)', 'recordLocator,authorisedBy')
    const value = 'Aroha Ngata'
    const classes = [
      all.filter(({ authorisedBy }) => authorisedBy === null),
      all.filter(({ authorisedBy }) => authorisedBy === value),
      all.filter(({ authorisedBy }) => authorisedBy !== null && fold(authorisedBy) > fold(value)),
    ].map((bookings) => bookings.map(({ recordLocator }) => recordLocator))
    for (const [condition, ...cells] of rowsOf('| condition | null |')) {
      const matching = new Set((await found(code(condition))).map(({ recordLocator }) => recordLocator))
      const said = classes.map((locators) => {
        assert.ok(locators.length > 0)
        const inside = locators.filter((locator) => matching.has(locator)).length
        return inside === 0 ? 'no' : inside === locators.length ? 'yes' : 'some'
      })
      assert.deepEqual(cells, said, condition)
    }
  })

  it('say what a value is compared as', async () => {
    const fields: readonly (readonly [path: string, column: ColumnRef])[] = [
      ['department', { kind: 'field', name: 'department', type: 'text' }],
      ["customDataFields['Cost Centre']", { kind: 'custom', label: 'Cost Centre', type: 'text' }],
      ['tripStartLocal', { kind: 'field', name: 'tripStartLocal', type: 'minute' }],
      ['totalAirDistance', { kind: 'field', name: 'totalAirDistance', type: 'decimal' }],
      ['isTicketed', { kind: 'field', name: 'isTicketed', type: 'boolean' }],
    ]
    for (const [value, ...cells] of rowsOf('| value | text |')) {
      for (const [index, [path, column]] of fields.entries()) {
        const filter = `${path} eq ${code(value)}`
        const comparand = comparandFor(literalOf(filter), column)
        assert.equal(cells[index], comparand === undefined ? '400' : meaning[comparand.as], filter)
        const { status } = await get('bookings', { filter, top: '0' })
        assert.equal(status, comparand === undefined ? 400 : 200, filter)
      }
    }
  })

  it('say which conditions find a booking', async () => {
    for (const [condition, said] of rowsOf('| condition | finds it |')) {
      const records = await found(`recordLocator eq 'XPLPCM' and (${code(condition)})`)
      assert.equal(said, records.length === 1 ? 'yes' : 'no', condition)
    }
  })

  it('have conditions that are accepted', async () => {
    for (const beginning of ['| operator | true', '| condition | true for']) {
      for (const cells of rowsOf(beginning)) {
        const filter = code(beginning.startsWith('| operator') ? cells[2] : cells[0])
        if (filter === '') continue
        const list = filter.includes('lineItems') ? 'invoices' : 'itineraries'
        const { status, answer } = await get(list, { filter, top: '1' })
        assert.equal(status, 200, `${filter}: ${answer.message}`)
      }
    }
  })

  it('list the fields beyond the record', () => {
    const [bookings = [], invoices = []] = rowsOf('| list | fields | collections |').slice(0, 2)
    for (const [cells, list] of [
      [bookings, 'bookings'],
      [invoices, 'invoices'],
    ] as const) {
      const { fields, nested, collections } = additionalShapes[list]
      const named = (cell = '') => Array.from(cell.matchAll(/`(\w+)`/g), ([, name]) => name)
      assert.deepEqual(named(cells[1]), Object.keys(fields.properties))
      const elements = Object.entries(collections).flatMap(([name, shape]) => [
        name,
        ...Object.keys(shape.properties),
      ])
      const ofNested = nested === null ? [] : ['lineItems', ...Object.keys(nested.properties)]
      assert.deepEqual(named(cells[2]), [...ofNested, ...elements])
    }
  })

  it('have the limits of the service', () => {
    const limits = rowsOf('| setting | by default |').map(([name, most]) => [code(name), Number(most)])
    assert.deepEqual(Object.fromEntries(limits), { ...defaultQueryLimits, applyGroups: 100_000 })
  })

  it('say what is refused, and how', async () => {
    for (const [list = '', asked, message] of rowsOf('| list | asked |')) {
      const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(code(asked)) ?? []
      const { status, answer } = await get(list, { [name]: value })
      assert.deepEqual([status, answer.message], [400, message])
    }
    const [error = ''] = /^ {4}\{"error".*$/m.exec(page) ?? []
    const { answer } = await get('bookings', { filter: "departmnt eq 'Sales'" })
    assert.deepEqual(answer, JSON.parse(error))
  })
})

const meaning = {
  text: 'text',
  number: 'number',
  'number-or-text': 'number, else text',
  instant: 'time',
  'instant-or-text': 'time, else text',
  boolean: 'truth',
} as const

/** The value in a condition of the form `field eq value`. */
function literalOf(filter: string): ValueLiteral {
  const expression = parseFilter(filter, defaultQueryLimits)
  assert.ok(expression.kind === 'compare' && expression.literal.kind !== 'null')
  return expression.literal
}
