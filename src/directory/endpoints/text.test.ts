import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fixtures/any-character.ts'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import { definition } from '../testing/endpoint-store.ts'
import { audited, auditedChange, definitionOf, definitionText } from './text.ts'

const definitions: fc.Arbitrary<EndpointDefinition> = fc
  .record(
    {
      name: fc.string({ unit: 'grapheme' }),
      description: fc.string({ unit: anyCharacter }),
      allowedRoles: fc.array(fc.string()),
      limits: fc.record(
        { statements: fc.nat(), loops: fc.nat(), depth: fc.nat() },
        { requiredKeys: [], noNullPrototype: true },
      ),
      deduplication: fc.option(
        fc.record({ header: fc.string(), windowSeconds: fc.nat() }, { noNullPrototype: true }),
      ),
      script: fc.string({ unit: anyCharacter }),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  .map(definition)

const backwards = <T>(value: T): T =>
  Array.isArray(value) || typeof value !== 'object' || value === null
    ? value
    : (Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, member]) => [name, backwards(member)]),
      ) as T)

it('a definition that was saved before there were hosts allows none', () => {
  const { allowedHosts, ...older } = definition()
  assert.deepEqual(definitionOf(JSON.stringify(older)), { ...older, allowedHosts: [] })
  const hosts = definition({ allowedHosts: ['erp.example.com'] })
  assert.deepEqual(definitionOf(definitionText(hosts)), hosts)
})

describe('the text of a definition', () => {
  it('reads back as an equal definition, whatever its content', () => {
    fc.assert(
      fc.property(definitions, (each) => {
        assert.deepEqual(definitionOf(definitionText(each)), each)
      }),
    )
  })

  it('is the same for every order of the members', () => {
    fc.assert(
      fc.property(definitions, (each) => {
        assert.equal(definitionText(backwards(each)), definitionText(each))
      }),
    )
  })

  it('is the same as the one that an earlier version of the service stored, which knew fewer members', () => {
    const { allowedHosts, schedules, record, maskedFields, ...rest } = definition()
    const stored = JSON.stringify(Object.fromEntries(Object.entries(rest).sort()))
    assert.deepEqual(definitionOf(stored), {
      ...rest,
      allowedHosts: [],
      record: 'full',
      maskedFields: [],
      schedules: [],
    })
    assert.deepEqual(
      JSON.parse(definitionText({ ...rest, allowedHosts, schedules, record, maskedFields })),
      JSON.parse(stored),
    )
  })

  it('differs with the order of roles, and with any member', () => {
    const one = definition({ allowedRoles: ['a', 'b'] })
    for (const other of [
      { ...one, allowedRoles: ['b', 'a'] },
      { ...one, limits: { depth: 1 } },
      { ...one, script: '' },
    ]) {
      assert.notEqual(definitionText(other), definitionText(one))
    }
  })

  it('is the same for an undefined limit and an omitted one', () => {
    const one = definition({ limits: {} })
    const other = { ...one, limits: { depth: undefined } } as unknown as EndpointDefinition
    assert.equal(definitionText(other), definitionText(one))
  })
})

describe('the audit entry of a definition', () => {
  it('has its members, with the digest and length of the script in its place', () => {
    const { script, ...rest } = definition({ script: 'Data._payload = "é"' })
    assert.deepEqual(audited({ ...rest, script }), {
      ...rest,
      script: {
        sha256: 'e04a2706bfb3e52fd30229f00b2af3a4682784c0c3203b73dde8c9a3405a70c4',
        length: 19,
      },
    })
  })

  it('has only the members that differ after a change', () => {
    const before = definition({ limits: { depth: 3 }, script: 'a' })
    const after = { ...before, limits: { depth: 4 }, signature: { style: 'plain', secret: 's' } } as const
    assert.deepEqual(auditedChange(definitionText(before), definitionText(after)), {
      before: { limits: { depth: 3 }, signature: null },
      after: { limits: { depth: 4 }, signature: { style: 'plain', secret: 's' } },
    })
    const other = auditedChange(definitionText(before), definitionText({ ...before, script: 'b' }))
    assert.deepEqual(Object.keys(other.after), ['script'])
  })
})
