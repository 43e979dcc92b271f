import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { adviceFor, unknownNames } from './unknown-parameters.ts'

describe('unknown parameters of version 1', () => {
  const rows: readonly (readonly [name: string, advice: string | undefined])[] = [
    ['$filter', 'use query with clauses such as BookingDate^GE2026-01-31'],
    ['filter', 'use query with clauses such as BookingDate^GE2026-01-31'],
    ['%24filter', 'use query with clauses such as BookingDate^GE2026-01-31'],
    ['amp;$filter', 'use query with clauses such as BookingDate^GE2026-01-31'],
    ['$orderby', 'leave it out: version 1 has one order'],
    ['$PAGE', 'use offset and fetch'],
    ['pageSize', 'use fetch, at most 100'],
    ['$top', 'use fetch, at most 100'],
    ['limit', 'use fetch, at most 100'],
    ['$skip', 'use offset'],
    ['$select', 'leave it out: records always carry all their fields'],
    ['$format', 'leave it out: version 1 answers JSON'],
    ['BookingDate^GE2026-01-31', 'write query= in front of it'],
    ['$query', 'use query'],
    ['?query', 'use query'],
    [' query', 'use query'],
    ['amp;query', 'use query, and write & between parameters, not &amp;'],
    ['amp;fetch', 'use fetch, and write & between parameters, not &amp;'],
    [';offset', 'use offset, and write & between parameters, not ;'],
    ['%71uery', 'use query, and encode the name once'],
    ['querry', 'did you mean query?'],
    ['ofset', 'did you mean offset?'],
    ['session', undefined],
    ['', 'write a name in front of the =, such as query'],
    ['%', undefined],
    ['x'.repeat(10_000), undefined],
  ]
  for (const [name, advice] of rows) {
    it(`advises for ${JSON.stringify(name.slice(0, 30))}: ${advice ?? 'nothing'}`, () =>
      assert.equal(adviceFor(name), advice))
  }

  it('are found after semicolons if they are parameters of version 1', () => {
    const names = (...pairs: readonly (readonly [string, string])[]) => unknownNames(pairs)
    assert.deepEqual(names(['fetch', '1;query=IsTicketed^EQ1']), [';query'])
    assert.deepEqual(names(['fetch', '1;amp;offset=2;x=y']), [';amp;offset'])
    assert.deepEqual(names(['x', 'a;fetch=1'], ['x', 'b']), ['x', ';fetch'])
    assert.deepEqual(names(['query', 'IsTicketed^EQ1;fetch=1'], ['fetch', '2;x=1']), [])
  })
})
