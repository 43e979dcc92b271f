/** One name and one rule for the same thing, over all operations of the admin API. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ADMIN_PREFIX } from '../../src/admin/admin-route.ts'
import type { Json } from '../fixtures/json.ts'
import { type EndpointAdmin, startEndpointAdmin } from './start-endpoint-admin.ts'

type Operation = {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly told: Json
}

let admin: EndpointAdmin
let document: Json
let operations: readonly Operation[]

before(async () => {
  admin = await startEndpointAdmin()
  document = await (await fetch(new URL('/openapi.json', admin.url))).json()
  operations = Object.entries<Json>(document.paths)
    .filter(([path]) => path.startsWith(ADMIN_PREFIX))
    .flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, told]) => ({
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path: path.slice(ADMIN_PREFIX.length),
        told,
      })),
    )
})
after(() => admin.close())

const parametersOf = ({ told }: Operation): readonly Json[] => told.parameters ?? []

/** Every shape within a shape, with its place; follows references. */
function* shapesIn(shape: Json, place: string): Generator<readonly [place: string, shape: Json]> {
  if (typeof shape !== 'object' || shape === null) return
  const { $ref } = shape
  if (typeof $ref === 'string') {
    yield* shapesIn(document.components.schemas[$ref.split('/').at(-1) as string], place)
    return
  }
  yield [place, shape]
  for (const [name, member] of Object.entries<Json>(shape.properties ?? {})) {
    yield* shapesIn(member, `${place}/${name}`)
  }
  for (const one of [...(shape.anyOf ?? []), ...(shape.oneOf ?? []), shape.items]) yield* shapesIn(one, place)
}

const bodyOf = ({ told }: Operation): Json => told.requestBody?.content['application/json']?.schema ?? null

function answerOf({ told }: Operation): Json {
  const [, answer] = Object.entries<Json>(told.responses).find(([status]) => status.startsWith('2')) ?? []
  return answer.content?.['application/json']?.schema ?? null
}

describe('in the whole admin API', () => {
  it('no input with a default is required', () => {
    for (const operation of operations) {
      for (const { name, required, schema } of parametersOf(operation)) {
        if (required === true) assert.ok(!('default' in schema), `${operation.name} ?${name}`)
      }
      for (const [place, shape] of shapesIn(bodyOf(operation), operation.name)) {
        for (const name of shape.required ?? []) {
          assert.ok(!('default' in (shape.properties[name] ?? {})), `${place}/${name}`)
        }
      }
    }
  })

  it('the time at which something ends is called expiresAt', () => {
    for (const operation of operations) {
      const shapes = [...shapesIn(bodyOf(operation), 'body'), ...shapesIn(answerOf(operation), 'answer')]
      for (const [place] of shapes) {
        assert.doesNotMatch(place, /\/(?:expires|expiry|expiration|validUntil|expiresOn)$/, operation.name)
      }
    }
  })

  it('a range begins with `from` and ends before `to`', () => {
    for (const operation of operations) {
      const named = new Map(parametersOf(operation).map((one) => [one.name, one]))
      const [from, to] = [named.get('from'), named.get('to')]
      if (from?.schema.pattern !== undefined || (from === undefined && to === undefined)) continue
      assert.match(from?.description ?? '', /at or after/, operation.name)
      assert.match(to?.description ?? '', /before/, operation.name)
    }
  })

  it('a page has a limit and a cursor, `next` of one page being `after` of the next', () => {
    for (const operation of operations) {
      const answer = answerOf(operation)
      const names = parametersOf(operation).map(({ name }) => name)
      assert.ok(!names.includes('before') && !names.includes('cursor'), operation.name)
      const hasNext = answer?.properties?.next?.anyOf !== undefined
      assert.equal(hasNext && names.includes('limit'), names.includes('after'), operation.name)
    }
  })

  it('a list has a total', () => {
    // An answer without pages has all of its items.
    const whole = ['/executions/{id}/notepads', '/executions/statistics', '/executions/series']
    for (const operation of operations) {
      const { items, total } = answerOf(operation)?.properties ?? {}
      const isExempt = whole.includes(operation.path) || operation.path.endsWith('/rejects')
      if (items === undefined || isExempt) continue
      // Null where the caller did not ask for it.
      const types = [total, ...(total?.anyOf ?? [])].map((shape) => shape?.type)
      assert.ok(types.includes('integer'), operation.name)
    }
  })

  it('an address with a malformed id is not found', async () => {
    for (const { name, method, path, told } of operations) {
      if (!path.includes('{') || path === '/endpoints/{id}/test') continue
      for (const id of ['no-id', 'x'.repeat(300), '%00']) {
        const address = path.replaceAll(/\{\w+\}/g, id)
        const body = told.requestBody === undefined ? {} : { body: exampleOf(told) }
        const answer = await admin.send(method, address, body)
        const isNamed = path.startsWith('/secrets/') && method === 'PUT'
        assert.equal(
          answer.status,
          isNamed ? answer.status : 404,
          `${name} ${id} ${JSON.stringify(answer.body)}`,
        )
        assert.ok(answer.status < 500, name)
      }
    }
  })
})

/** The smallest body of a shape. */
function exampleOf(told: Json): Json {
  const example = (shape: Json): Json => {
    const [[, found] = ['', shape]] = [...shapesIn(shape, '')]
    if (found.default !== undefined) return found.default
    if (found.enum !== undefined) return found.enum[0]
    if (found.anyOf !== undefined) return example(found.anyOf[0])
    if (found.type === 'array') return found.minItems > 0 ? [example(found.items)] : []
    if (found.type === 'integer' || found.type === 'number') return found.minimum ?? 0
    if (found.type === 'boolean') return true
    if (found.format === 'uuid') return '00000000-0000-4000-8000-000000000000'
    if (found.type === 'string') return found.pattern?.includes('@') ? 'a@example.com' : 'a'
    return Object.fromEntries(
      (found.required ?? []).map((name: string) => [name, example(found.properties[name])]),
    )
  }
  return example(told.requestBody.content['application/json'].schema)
}
