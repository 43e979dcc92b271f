import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { FastifyInstance, RouteOptions } from 'fastify'
import Value from 'typebox/value'
import { createRateLimiter } from '../../auth/limits/rate-limiter.ts'
import { bindQuery } from '../../query/bind/bind-query.ts'
import { parseVersion1Parameters } from '../../query/caret/parameters.ts'
import { defaultQueryLimits } from '../../query/limits.ts'
import { parseParameters } from '../../query/odata/parameters.ts'
import type { ApiVersion } from '../../read/languages.ts'
import { datasets, type ListName, version1Datasets } from '../../schema/datasets.ts'
import { snapshotGone } from '../../snapshot/problems.ts'
import { errorResponse } from '../error-response.ts'
import { createServer, defaultHttpLimits } from '../server.ts'
import { type Stage, snapshot, startServer } from '../testing/server.ts'

type Json = { readonly [member: string]: Json } & { readonly $ref?: string }
type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly security?: readonly object[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly description: string
    readonly examples?: Examples
  }[]
  readonly responses: {
    readonly [status: string]: {
      readonly description: string
      readonly headers?: Json
      readonly content?: { readonly 'application/json'?: { readonly examples: Examples } }
    }
  }
}
type Examples = { readonly [name: string]: { readonly summary?: string; readonly value: Json & string } }
type Document = {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly components: { readonly schemas: Json; readonly securitySchemes: Json }
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
}

const documented = new Set<string>()
let document: Document
let operations: readonly (readonly [name: string, operation: Operation])[]

before(async () => {
  const server = createServer({
    answer: () => Promise.reject(new Error('not asked')),
    catalogue: { current: () => snapshot },
    authenticate: () => null,
    authenticateVersion1: () => null,
    rateLimiters: { v1: null, v2: null },
    rotateOwnKey: async () => null,
    observe: () => undefined,
    metricsText: async () => '',
    limits: defaultHttpLimits,
    dynamic: {
      endpoints: () => [],
      verifyToken: () => ({ kind: 'none' }),
      run: () => Promise.reject(new Error('not asked')),
      readSecret: async () => null,
      claimDelivery: async () => 'new',
      settleDelivery: async () => undefined,
      observe: () => undefined,
      maxBodyBytes: 1,
    },
    plugins: [pluginRoutes],
    tags: [{ name: 'Elsewhere', description: 'Routes of a plugin' }],
  })
  server.addHook('onRoute', ({ method, url, schema }: RouteOptions) => {
    if (method !== 'HEAD' && !(schema as { hide?: boolean } | undefined)?.hide && !url.startsWith('/docs')) {
      documented.add(`${method} ${url.replace('*', '{route}')}`)
    }
  })
  await server.ready()
  document = JSON.parse(JSON.stringify(server.swagger()))
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    ),
  )
  await server.close()
})

/** Routes and components of another folder. */
function pluginRoutes(scope: FastifyInstance): void {
  scope.addSchema({ $id: 'Elsewhere', type: 'object', properties: { a: { type: 'string' } } })
  const answered = (description: string, $ref: string) => ({
    description,
    headers: { 'X-Request-Id': { type: 'string' } },
    content: { 'application/json': { schema: { $ref } } },
  })
  const operation = {
    operationId: 'putElsewhere',
    tags: ['Elsewhere'],
    summary: 'A route of a plugin',
    description: 'With a component of its own',
    security: [{ bearer: [] }],
    response: { 200: answered('Done', 'Elsewhere#'), 401: answered('Not let in', 'Error#') },
  }
  scope.put('/api/elsewhere', { schema: operation, serializerCompiler: () => () => '' }, async () => '')
}

/** Every list of either version, with its dataset and component. */
const lists = ([1, 2] as const).flatMap((version) =>
  Object.values(version === 1 ? version1Datasets : datasets).map((dataset, i) => {
    const list = (['bookings', 'invoices', 'itineraries'] as const)[i] as ListName
    const component = ['Booking', 'Invoice', 'Itinerary'][i] + (version === 1 ? 'V1' : '')
    return { version, list, dataset, component, name: `GET /api/v${version}/${list}` }
  }),
)

function operationOf(wanted: string): Operation {
  const [, operation] = operations.find(([name]) => name === wanted) ?? []
  assert.ok(operation, wanted)
  return operation
}

const linksOf = (markdown: string): readonly string[] =>
  [...markdown.matchAll(/\]\(([^)]+)\)/g)].map(([, address]) => address as string)

/** Credentials by a part of the address. The operator decides whether a dynamic endpoint needs a token. */
const credentials: readonly (readonly [address: string, security: readonly object[] | undefined])[] = [
  ['/api/v1/', [{ psk: [] }, { apiKey: [] }]],
  ['/api/v2/', [{ apiKey: [] }]],
  ['/api/dynamic/', [{ bearer: [] }, {}]],
  ['/api/elsewhere', [{ bearer: [] }]],
  ['', undefined],
]

describe('the OpenAPI document', () => {
  it('is OpenAPI 3.1 of interface version 2.0.0', () => {
    assert.equal(document.openapi, '3.1.0')
    assert.equal(document.info.version, '2.0.0')
  })

  it('has every route, and only routes', () => {
    assert.deepEqual(operations.map(([name]) => name).sort(), [...documented].sort())
    assert.ok(documented.has('POST /api/v2/service-accounts/me/rotate-api-key'))
    assert.ok(documented.has('GET /metrics'))
  })

  it('describes every operation, parameter and answer', () => {
    const tags = new Set(document.tags.map(({ name }) => name))
    for (const [
      name,
      { operationId, summary, description, tags: own, parameters = [], responses },
    ] of operations) {
      for (const text of [operationId, summary, description]) assert.ok(text, name)
      assert.ok(own.length === 1 && own.every((tag) => tags.has(tag)), name)
      for (const parameter of parameters) assert.ok(parameter.description, `${name} ${parameter.name}`)
      for (const [status, response] of Object.entries(responses)) {
        assert.notEqual(response.description, 'Default Response', `${name} ${status}`)
        assert.ok(response.headers?.['X-Request-Id'], `${name} ${status}`)
      }
    }
    assert.equal(new Set(operations.map(([, { operationId }]) => operationId)).size, operations.length)
  })

  it('points only at components that exist', () => {
    const missing: string[] = []
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [member, inner] of Object.entries(value)) {
        if (member === '$ref') {
          const name = String(inner).replace('#/components/schemas/', '')
          if (!(name in document.components.schemas)) missing.push(String(inner))
        } else walk(inner)
      }
    }
    walk(document)
    assert.deepEqual(missing, [])
  })

  it('has the record shapes of the service, with named shapes inside them', () => {
    const { schemas } = document.components
    for (const { dataset, component } of lists) {
      const { properties, required } = dataset.record
      assert.deepEqual(Object.keys(schemas[component]?.properties ?? {}), Object.keys(properties))
      assert.deepEqual(schemas[component]?.required, required)
    }
    assert.deepEqual(schemas.ItinerariesResponse?.properties?._meta, {
      $ref: '#/components/schemas/QueryMeta',
    })
    assert.deepEqual(schemas.Itinerary?.properties?.segments?.items, {
      $ref: '#/components/schemas/BookingSegment',
    })
    assert.deepEqual(schemas.CustomDataFields?.additionalProperties, { type: 'string' })
    const inner = [
      [schemas.BookingsV1Response?.properties?.result, 'BookingV1'],
      [schemas.BookingV1?.properties?.travellers, 'TravellerV1'],
      [schemas.ItineraryV1?.properties?.segments, 'BookingSegment'],
      [schemas.InvoiceV1?.properties?.lineItems, 'LineItemV1'],
      [schemas.InvoiceV1?.properties?.payments, 'PaymentV1'],
    ] as const
    for (const [array, name] of inner) {
      assert.deepEqual(array?.items, { $ref: `#/components/schemas/${name}` }, name)
    }
  })

  it('has the routes and components of other folders', () => {
    const schema = operationOf('PUT /api/elsewhere').responses['200']?.content?.['application/json']
    assert.deepEqual(schema, { schema: { $ref: '#/components/schemas/Elsewhere' } })
    assert.deepEqual(document.components.schemas.Elsewhere?.properties, { a: { type: 'string' } })
  })

  it('has a tag for version 1, which is kept for older integrations, with a link to the guide', () => {
    for (const [name, { tags }] of operations) {
      assert.equal(tags.includes('Version 1'), name.includes('/api/v1/'), name)
    }
    const { description = '' } = document.tags.find(({ name }) => name === 'Version 1') ?? {}
    assert.match(description, /older integrations/)
    assert.deepEqual(linksOf(description), ['/docs/guides/how-to/from-v1-to-v2'])
    assert.deepEqual(linksOf(document.info.description), [
      '/docs/guides/how-to/from-v1-to-v2',
      '/docs/guides/how-to/querying',
      '/docs/guides/how-to/changes',
      '/docs/guides/how-to/webhooks',
      '/docs/guides/how-to/formats',
    ])
  })

  it('says what ne means on a collection, and that an offset is converted', () => {
    for (const { name } of lists.filter(({ version }) => version === 2)) {
      const { description = '' } =
        operationOf(name).parameters?.find((parameter) => parameter.name === '$filter') ?? {}
      assert.match(description, /`ne` and `nin` mean that no element equals/)
      assert.match(description, /`any\(lineItems, lineType ne 'TAX'\)`/)
      assert.match(description, /An offset is converted to UTC/)
    }
  })

  it('describes every additional field and collection for $filter, and the fields for $orderby', () => {
    for (const dataset of Object.values(datasets)) {
      const operation = `GET /api/v2/${dataset.name}`
      const parameters = operationOf(operation).parameters ?? []
      const descriptionOf = (name: string) => parameters.find((each) => each.name === name)?.description ?? ''
      const { additionalFields, nested, additionalCollections } = dataset
      const paths = [
        ...additionalFields.map(({ name }) => name),
        ...(nested?.additionalFields ?? []).map(({ name }) => `${nested?.name}.${name}`),
        ...additionalCollections.flatMap(({ name, fields }) =>
          fields.map((field) => `${name}.${field.name}`),
        ),
      ]
      for (const path of paths) {
        assert.match(descriptionOf('$filter'), new RegExp(`^\\| \`${path}\` \\| \\w.* \\|$`, 'm'))
      }
      for (const { name } of additionalFields)
        assert.ok(descriptionOf('$orderby').includes(`\`${name}\``), name)
    }
  })

  it('states limits that are settings as defaults, not as rules of the schema', () => {
    assert.doesNotMatch(JSON.stringify(document), /"maxLength":(8192|16384)/)
    const expected = {
      query: /By default at most 8192 characters once decoded, 500 clauses, and 1000 items in a list/,
      $filter:
        /By default at most 8192 characters once decoded, 500 operators, functions and comparisons,\s64 levels of nesting, and 1000 items in a list/,
      $apply: /By default at most 8 dimensions, 16 aggregates and 100,000 groups/,
      $orderby: /By default at most 8192 characters once decoded, and 8 clauses/,
    }
    for (const { version, name } of lists) {
      const { parameters = [], responses } = operationOf(name)
      const described = (wanted: string) =>
        parameters.find((parameter) => parameter.name === wanted)?.description ?? ''
      for (const parameter of version === 1
        ? (['query'] as const)
        : (['$filter', '$apply', '$orderby'] as const)) {
        assert.match(described(parameter), expected[parameter], name)
      }
      assert.match(responses['414']?.description ?? '', /by default/, name)
    }
  })

  it('requires a credential exactly where one is needed, and describes the 401', () => {
    for (const [name, { security, responses }] of operations) {
      const needsKey = name.includes('/api/')
      const [, schemes] = credentials.find(([address]) => name.includes(address)) ?? assert.fail(name)
      assert.deepEqual(security, schemes, name)
      assert.equal('401' in responses, needsKey, name)
    }
    const { apiKey, psk } = document.components.securitySchemes
    assert.deepEqual([apiKey?.type, apiKey?.in, apiKey?.name], ['apiKey', 'header', 'X-API-Key'])
    assert.deepEqual([psk?.type, psk?.in, psk?.name], ['apiKey', 'header', 'psk'])
  })

  it('has the parameters and all responses of a list', () => {
    const names = {
      1: ['query', 'fetch', 'offset'],
      2: '$filter $apply $orderby $select $page $pageSize $top $skip $count $format'.split(' '),
    }
    for (const { version, name } of lists) {
      const { parameters = [], responses } = operationOf(name)
      assert.deepEqual(
        parameters.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name),
        names[version],
      )
      const statuses = ['200', '304', '400', '401', '405', '406', '410', '414', '429', '500', '503']
      const expected = statuses.filter((status) => status !== '406' || version === 2)
      assert.deepEqual(Object.keys(responses), expected)
      assert.equal(responses['304']?.content, undefined)
    }
  })
})

describe('the examples of a list', () => {
  for (const { version, list, dataset, name } of lists) {
    const examplesOf = (status: string): Examples => {
      const examples = operationOf(name).responses[status]?.content?.['application/json']?.examples
      assert.ok(examples)
      return examples
    }

    it(`are valid responses of ${name}`, () => {
      for (const { value } of Object.values(examplesOf('200'))) {
        assert.deepEqual([...Value.Errors(dataset.response, value)], [])
      }
    })

    it(`are queries that ${name} understands`, () => {
      for (const { name: parameter, examples = {} } of operationOf(name).parameters ?? []) {
        for (const { value } of Object.values(examples)) readQuery(version, list, parameter, value)
      }
    })

    it(`are refusals of ${name}, word for word`, () => {
      const examples = Object.values(examplesOf('400'))
      for (const { summary = '', value } of examples) {
        const [parameter, text] =
          version === 1 ? (summary.split('=') as [string, string]) : [value.parameter, value.input]
        assert.deepEqual(refusalOf(version, list, String(parameter), String(text)), value)
      }
      assert.equal(examples.length, version === 1 ? 5 : 1)
    })
  }

  it('has every message of specification 7.2', () => {
    const examples = operationOf('GET /api/v1/bookings').responses['400']?.content?.['application/json']
    assert.deepEqual(
      Object.values(examples?.examples ?? {}).map(({ value }) => value.error),
      [
        'Invalid query format: Missing operator.',
        "Invalid query format: Unknown operator 'AFTER'.",
        "Invalid query format: Argument for property 'BookingDate' is null or empty.",
        "Invalid query format: Expected numeric or date value for operator '^GT' on property 'BookingDate', but got 'yesterday'.",
        "Unknown search property: 'Colour' not found on type BookingGetDtoV1.",
      ],
    )
  })
})

function readQuery(version: ApiVersion, list: ListName, parameter: string, value: string): void {
  if (version === 1) {
    const dataset = version1Datasets[list]
    const { query, unknown } = parseVersion1Parameters([[parameter, value]], dataset, defaultQueryLimits)
    assert.deepEqual(unknown, [])
    bindQuery(query, dataset, [])
  } else {
    const { query, texts } = parseParameters([[parameter, value]], defaultQueryLimits)
    bindQuery(query, datasets[list], ['Cost centre'], texts)
  }
}

function refusalOf(version: ApiVersion, list: ListName, parameter: string, value: string): unknown {
  try {
    readQuery(version, list, parameter, value)
  } catch (problem) {
    const { status, body } = errorResponse(problem, 'id')
    assert.equal(status, 400)
    return JSON.parse(body)
  }
  assert.fail(`${value} was not refused`)
}

describe('an answer of a list', () => {
  const rate = { rate: 50, burst: 200 }
  const limited = (): Pick<Stage, 'rateLimiters'> => {
    const limiter = createRateLimiter(rate, { clock: () => 1_000_000_000n })
    return { rateLimiters: { v1: limiter, v2: limiter } }
  }
  const cases: readonly {
    readonly status: number
    /** The only version with this answer; both versions by default. */
    readonly version?: ApiVersion
    readonly query?: string
    readonly init?: RequestInit
    readonly stage?: Stage
    /** Number of requests before the tested one. */
    readonly before?: number
    /** Whether the body is the same for every request. */
    readonly isExample?: boolean
  }[] = [
    { status: 200, query: 'xyz=1' },
    { status: 200, query: '$format=csv', version: 2 },
    { status: 200, query: '$pageSize=2', version: 2 },
    { status: 304, query: 'xyz=1', init: { headers: { 'If-None-Match': '*' } } },
    { status: 400, query: '$filter=wrong' },
    { status: 401, init: { headers: { 'X-API-Key': 'wrong' } }, isExample: true },
    { status: 405, init: { method: 'DELETE' }, isExample: true },
    { status: 406, init: { headers: { Accept: 'application/json;q=0' } }, version: 2, isExample: true },
    {
      status: 410,
      init: { headers: { 'Snapshot-Id': '20260102T030405678Z-1f3a' } },
      stage: { answer: () => Promise.reject(snapshotGone('20260102T030405678Z-1f3a')) },
      isExample: true,
    },
    { status: 414, query: `query=${'x'.repeat(17_000)}`, isExample: true },
    { status: 429, before: rate.burst, isExample: true },
    {
      status: 500,
      query: '$filter=defect',
      init: { headers: { 'X-Request-Id': '5f0c1c9e-6c3b-4a39-a7de-0a1f4a1d2b3c' } },
      isExample: true,
    },
    { status: 503, stage: { catalogue: { current: () => null } }, isExample: true },
  ]
  for (const { status, version: only, query = '', init, stage, before: earlier = 0, isExample } of cases) {
    it(`has the documented headers${isExample ? ' and body' : ''} of a ${status} ${query.slice(0, 20)}`, async (t) => {
      for (const { name, version } of lists) {
        if (only !== undefined && version !== only) continue
        const { get } = await startServer(t, { ...limited(), ...stage })
        const path = name.replace('GET ', '')
        for (let i = 0; i < earlier; i++) await (await get(path)).arrayBuffer()
        const response = await get(`${path}?${query}`, init)
        const body = await response.text()
        assert.equal(response.status, status, body)
        const documentedAnswer = operationOf(name).responses[status]
        assert.deepEqual(
          [...response.headers.keys()].filter((header) => !ofTransport.has(header)).sort(),
          Object.keys(documentedAnswer?.headers ?? {})
            .map((header) => header.toLowerCase())
            .filter((header) => (onlyFor[header] ?? query) === query)
            .sort(),
        )
        if (isExample) {
          const [example] = Object.values(documentedAnswer?.content?.['application/json']?.examples ?? {})
          assert.deepEqual(JSON.parse(body), example?.value)
        }
      }
    })
  }
})

/** Headers that only some answers have, and the query of the case that has them. */
const onlyFor: { readonly [header: string]: string } = {
  'x-total-count': '$format=csv',
  'content-disposition': '$format=csv',
  link: '$pageSize=2',
}

/** Headers of every answer, which the document leaves out. */
const ofTransport: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'x-content-type-options',
])

describe('the interactive reference', () => {
  it('is the target of the redirect from /', async (t) => {
    const { url } = await startServer(t)
    const response = await fetch(`${url}/`, { redirect: 'manual' })
    assert.equal(response.status, 302)
    assert.equal(new URL(response.headers.get('location') ?? '', url).pathname, '/docs')
  })
})

describe('the guides', () => {
  it('are served as Markdown, too, without a key', async (t) => {
    const { url } = await startServer(t)
    for (const name of ['from-v1-to-v2.md', 'formats.md', 'querying.md', 'changes.md', 'webhooks.md']) {
      const response = await fetch(`${url}/docs/${name}`)
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), 'text/markdown; charset=utf-8')
      assert.equal(
        await response.text(),
        await readFile(join(import.meta.dirname, '../../../docs/how-to', name), 'utf8'),
      )
    }
  })
})

describe('the guide from version 1 to version 2', () => {
  const file = join(import.meta.dirname, '../../../docs/how-to/from-v1-to-v2.md')

  it('is served for HEAD and in any letter case, without hiding the reference', async (t) => {
    const { url } = await startServer(t)
    const [head, shouted, other] = await Promise.all([
      fetch(`${url}/docs/from-v1-to-v2.md`, { method: 'HEAD' }),
      fetch(`${url}/DOCS/FROM-V1-TO-V2.md`),
      fetch(`${url}/docs/extract.md`),
    ])
    assert.deepEqual([head.status, shouted.status, other.status], [200, 200, 404])
    for (const { headers } of [head, shouted]) {
      assert.equal(headers.get('content-type'), 'text/markdown; charset=utf-8')
    }
  })

  it('is found from any working directory', async (t) => {
    const folder = process.cwd()
    t.after(() => process.chdir(folder))
    process.chdir(tmpdir())
    const { url } = await startServer(t)
    assert.equal((await fetch(`${url}/docs/from-v1-to-v2.md`)).status, 200)
  })

  it('links only to what is served', async (t) => {
    const { url } = await startServer(t)
    const addresses = linksOf(await readFile(file, 'utf8')).map(
      (link) => new URL(link, `${url}/docs/from-v1-to-v2.md`),
    )
    assert.ok(addresses.length >= 5)
    for (const address of addresses) assert.equal((await fetch(address)).status, 200, address.href)
  })
})
