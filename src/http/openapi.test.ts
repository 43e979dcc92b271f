import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { RouteOptions } from 'fastify'
import { createMetrics } from '../observe/metrics.ts'
import { datasets } from '../schema/datasets.ts'
import { createServer, defaultHttpLimits } from './server.ts'
import { snapshot, startServer } from './test-server.ts'

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
  }[]
  readonly responses: {
    readonly [status: string]: {
      readonly description: string
      readonly headers?: Json
      readonly content?: Json
    }
  }
}
type Document = {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly tags: readonly { readonly name: string }[]
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
    rotateOwnKey: async () => null,
    observe: () => undefined,
    metrics: createMetrics(),
    limits: defaultHttpLimits,
  })
  server.addHook('onRoute', ({ method, url, schema }: RouteOptions) => {
    if (method !== 'HEAD' && !(schema as { hide?: boolean } | undefined)?.hide && !url.startsWith('/docs')) {
      documented.add(`${method} ${url}`)
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
    for (const [name, { record }] of Object.entries(datasets)) {
      const component = { bookings: 'Booking', invoices: 'Invoice', itineraries: 'Itinerary' }[name] as string
      assert.deepEqual(Object.keys(schemas[component]?.properties ?? {}), Object.keys(record.properties))
      assert.deepEqual(schemas[component]?.required, record.required)
    }
    assert.deepEqual(schemas.ItinerariesResponse?.properties?._meta, {
      $ref: '#/components/schemas/QueryMeta',
    })
    assert.deepEqual(schemas.Itinerary?.properties?.segments?.items, {
      $ref: '#/components/schemas/BookingSegment',
    })
    assert.deepEqual(schemas.CustomDataFields?.additionalProperties, { type: 'string' })
  })

  it('asks for the API key exactly where one is needed, and tells what happens without', () => {
    for (const [name, { security, responses }] of operations) {
      const needsKey = name.includes('/api/')
      assert.deepEqual(security, needsKey ? [{ apiKey: [] }] : undefined, name)
      assert.equal('401' in responses, needsKey, name)
    }
    const scheme = document.components.securitySchemes.apiKey
    assert.deepEqual([scheme?.type, scheme?.in, scheme?.name], ['apiKey', 'header', 'X-API-Key'])
  })

  it('tells the four parameters and all answers of a list', () => {
    for (const name of Object.keys(datasets)) {
      const [, operation] = operations.find(([route]) => route === `GET /api/v2/${name}`) ?? []
      assert.ok(operation)
      const { parameters = [], responses } = operation
      assert.deepEqual(
        parameters.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name),
        ['$filter', '$orderby', '$page', '$pageSize'],
      )
      assert.deepEqual(Object.keys(responses), ['200', '304', '400', '401', '405', '414', '500', '503'])
      assert.equal(responses['304']?.content, undefined)
      for (const header of ['ETag', 'Last-Modified', 'Cache-Control', 'Vary', 'Snapshot-Id']) {
        assert.ok(responses['200']?.headers?.[header], header)
      }
    }
  })
})

describe('the interactive reference', () => {
  it('is where the root leads to', async (t) => {
    const { url } = await startServer(t)
    const response = await fetch(`${url}/`, { redirect: 'manual' })
    assert.equal(response.status, 302)
    assert.equal(response.headers.get('location'), '/docs')
  })

  it('loads nothing but what this server has, and says so in its content security policy', async (t) => {
    const { url } = await startServer(t)
    for (const page of ['/docs', '/docs/']) {
      const response = await fetch(url + page)
      const html = await response.text()
      const policy = response.headers.get('content-security-policy') ?? ''
      assert.doesNotMatch(policy, /https?:|unsafe/)
      const references = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(
        ([, reference]) => reference as string,
      )
      assert.ok(references.length >= 5)
      assert.doesNotMatch(html, /<script>|<style>|style="/)
      for (const reference of references) {
        const address = new URL(reference, `${url}${page}`)
        assert.equal(address.origin, url)
        assert.equal((await fetch(address)).status, 200, reference)
      }
    }
    const initializer = await (await fetch(`${url}/docs/static/swagger-initializer.js`)).text()
    assert.match(initializer, /validatorUrl: null/)
    assert.match(initializer, /url: resolveUrl\('\.\/json'\)/)
    assert.deepEqual(
      await (await fetch(`${url}/docs/json`)).json(),
      await (await fetch(`${url}/openapi.json`)).json(),
    )
  })
})
