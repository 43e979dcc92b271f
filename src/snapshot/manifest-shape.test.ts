import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { FORMAT_VERSION } from './format/file-format.ts'
import { hasFormat, isCountedManifest, isManifest } from './manifest-shape.ts'

const Count = Type.Integer({ minimum: 0 })
const Counted = Type.Object({ rows: Count, elements: Count })
const File = Type.Object({
  path: Type.String(),
  bytes: Count,
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  ...Counted.properties,
})
const Tables = Type.Optional(Type.Record(Type.String(), Count))
const Manifest = Type.Object({
  format: Type.Literal(FORMAT_VERSION),
  id: Type.String(),
  extractedAt: Type.String({ format: 'date-time' }),
  publishedAt: Type.String({ format: 'date-time' }),
  rejects: Count,
  clients: Type.Array(
    Type.Object({
      clientNumber: Type.String(),
      name: Type.String(),
      bookings: File,
      invoices: File,
      'bookings-v1': File,
      'invoices-v1': File,
    }),
  ),
  tables: Tables,
  warnings: Type.Optional(
    Type.Array(Type.Object({ kind: Type.String(), message: Type.String(), clients: Type.Optional(Count) })),
  ),
})
const CountedManifest = Type.Object({
  clients: Type.Array(Type.Object({ clientNumber: Type.String(), bookings: Counted, invoices: Counted })),
  tables: Tables,
})
const AnyFormat = Type.Object({ format: Type.Integer() })

const file = { path: 'a/b.arrow', bytes: 10, sha256: 'a'.repeat(64), rows: 3, elements: 4 }
const manifest = {
  format: FORMAT_VERSION,
  id: '20260101T000000000Z-0000',
  extractedAt: '2026-01-01T00:00:00.000Z',
  publishedAt: '2026-01-01T00:00:01Z',
  rejects: 0,
  clients: [
    {
      clientNumber: '1',
      name: 'a',
      bookings: file,
      invoices: file,
      'bookings-v1': file,
      'invoices-v1': file,
    },
  ],
  tables: { bookings: 3 },
  warnings: [{ kind: 'labels', message: 'Too many', clients: 1 }],
}

/** In place of any part of a manifest. */
const others = [
  undefined,
  null,
  0,
  -1,
  1.5,
  '',
  'a',
  '2026-01-01',
  '2026-13-01T00:00:00Z',
  true,
  [],
  {},
  [{}],
  { a: -1 },
]

/** The value with each of its parts replaced by, or deprived of, each of the others. */
function* spoilt(value: unknown): Generator<unknown> {
  yield* others
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value)) {
    for (const other of spoilt(part)) {
      const copy = structuredClone(value) as Record<string, unknown>
      if (other === undefined) delete copy[name]
      else copy[name] = other
      yield copy
    }
  }
}

describe('the check of a manifest', () => {
  it('accepts manifests, also those of earlier versions', () => {
    const { tables, warnings, ...earlier } = manifest
    assert.deepEqual([manifest, earlier].map(isManifest), [true, true])
    assert.ok(isCountedManifest(manifest) && hasFormat(manifest))
  })

  it('accepts what the schema accepts, whichever part is missing or another one', () => {
    for (const value of spoilt(manifest)) {
      const text = JSON.stringify(value)
      assert.equal(isManifest(value), Value.Check(Manifest, value), text)
      assert.equal(isCountedManifest(value), Value.Check(CountedManifest, value), text)
      assert.equal(hasFormat(value), Value.Check(AnyFormat, value), text)
    }
  })
})
