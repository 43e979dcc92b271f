import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseEndpointPath, pathKey } from './endpoint-path.ts'

describe('the path of an endpoint', () => {
  const keys: readonly (readonly [path: string, key: string])[] = [
    ['health', 'health'],
    ['Reports/Spend/{client}', 'reports/spend/{}'],
    ['a/{x}/b/{y_2}', 'a/{}/b/{}'],
    ['v1.2/~x-y_z', 'v1.2/~x-y_z'],
  ]
  for (const [path, key] of keys) {
    it(`may be ${path}, with the key ${key}`, () => {
      const parsed = parseEndpointPath(path)
      assert.ok('segments' in parsed)
      assert.equal(pathKey(parsed.segments), key)
    })
  }

  const faults: readonly (readonly [path: string, fault: RegExp])[] = [
    ['', /empty segment/],
    ['/a', /empty segment/],
    ['a/', /empty segment/],
    ['a//b', /empty segment/],
    ['a b', /'a b'/],
    ['a/../b', /'\.\.'/],
    ['.', /'\.'/],
    ['a%20b', /'a%20b'/],
    ['é', /'é'/],
    ['{x}/{x}', /\{x\} twice/],
    ['{}', /'\{\}'/],
    ['{1a}', /'\{1a\}'/],
    ['a{x}', /'a\{x\}'/],
    ['a?b', /'a\?b'/],
    ['*', /'\*'/],
  ]
  for (const [path, fault] of faults) {
    it(`may not be '${path}'`, () => {
      const parsed = parseEndpointPath(path)
      assert.ok('fault' in parsed)
      assert.match(parsed.fault, fault)
    })
  }
})
