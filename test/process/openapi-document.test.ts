/** The OpenAPI document of the whole service, as a generator of clients reads it. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { Errors, type XSchema } from 'typebox/schema'
import { publishDemo } from '../fixtures/published-extract.ts'
import { whileServingHere } from './service-in-process.ts'

type Examples = { readonly [name: string]: { readonly value: unknown } }
type Content = { readonly schema: XSchema; readonly examples?: Examples }
type Parameter = {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: XSchema & { readonly default?: unknown }
  readonly examples?: Examples
}
type Operation = {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> }
  readonly responses: {
    readonly [status: string]: { readonly content?: Readonly<Record<string, Content>> }
  }
}

let components: object
let operations: readonly (readonly [name: string, operation: Operation])[]

before(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tripfolio-openapi-'))
  try {
    const data = join(folder, 'data')
    await publishDemo({ data }, { clients: 1, bookings: 20 })
    const document = await whileServingHere(data, async ({ address }) => {
      const response = await fetch(new URL('/openapi.json', address))
      return (await response.json()) as {
        readonly components: object
        readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
      }
    })
    components = document.components
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
      ),
    )
    assert.ok(operations.length > 60)
  } finally {
    await rm(folder, { recursive: true })
  }
})

/** Refuses members that a shape does not name, so that an example shows no member that is not described. */
function closed(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map(closed)
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]))
  return 'properties' in inner && !('additionalProperties' in inner)
    ? { ...inner, additionalProperties: false }
    : inner
}

const faultsOf = (schema: XSchema, value: unknown) => {
  const root = closed({ ...(schema as object), components }) as XSchema
  const [isValid, faults] = Errors(root, value)
  return isValid ? [] : faults
}

describe('the OpenAPI document of the whole service', () => {
  it('has no example that its schema refuses', () => {
    let checked = 0
    for (const [name, { parameters = [], requestBody, responses }] of operations) {
      const bodies = [requestBody, ...Object.values(responses)].flatMap((one) =>
        Object.values(one?.content ?? {}),
      )
      for (const { schema, examples = {} } of [...parameters, ...bodies]) {
        for (const [example, { value }] of Object.entries(examples)) {
          assert.deepEqual(faultsOf(schema, value), [], `${name} ${example}`)
          checked++
        }
      }
    }
    assert.ok(checked > 80, `${checked} examples`)
  })

  it('lets every parameter of a query with a default be left out', () => {
    let optional = 0
    for (const [name, { parameters = [] }] of operations) {
      for (const { name: parameter, required, schema } of parameters) {
        if (schema.default === undefined) continue
        assert.notEqual(required, true, `${name} ${parameter}`)
        optional++
      }
    }
    assert.ok(optional >= 25, `${optional} parameters`)
  })

  it('describes one body for a list, so that generated clients return its envelope and nothing else', () => {
    const lists = operations.filter(([name]) =>
      /^GET \/api\/v[12]\/(?:bookings|invoices|itineraries)$/.test(name),
    )
    assert.equal(lists.length, 6)
    for (const [name, { responses }] of lists) {
      assert.deepEqual(Object.keys(responses['200']?.content ?? {}), ['application/json'], name)
    }
  })

  it('names the rotation of the own key as one of the own key', () => {
    const [, rotation] =
      operations.find(([name]) => name === 'POST /api/v2/service-accounts/me/rotate-api-key') ?? []
    assert.equal(rotation?.operationId, 'rotateOwnApiKey')
  })
})
