import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Value } from 'typebox/value'
import { EndpointDefinition } from './endpoint-shapes.ts'

it('allowedHosts has hosts only, without protocol, path or wildcards in the middle', () => {
  const isValid = (host: string) => Value.Check(EndpointDefinition.properties.allowedHosts, [host])
  for (const host of ['a', 'a.example', '*.a.example', 'a:1', '10.0.0.1:8080', '[::1]', '[::1]:8443']) {
    assert.ok(isValid(host), host)
  }
  for (const host of ['', '*', '*.', 'https://a', 'a/b', 'a.*.b', '*a.b', 'a:', 'a:0', 'a b', 'a,b', '::1']) {
    assert.ok(!isValid(host), host)
  }
})
