import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkEndpoint, endpointWarnings } from './check-endpoint.ts'

describe('checking the script of an endpoint', () => {
  it('accepts functions of the host and the language additions for endpoints', () => {
    const script = `
      var secret = GetSecret("key") or ""
      if secret == "" then Log("Warning", "none") elif Length(GetAllOrganizations()) > 0 then
        Data._payload = Data.request.query.name.contains("x")
      end
      BroadcastNotification("t", "m", "Info", null, true)`
    assert.deepEqual(checkEndpoint({ script }), [])
  })

  const rows: readonly (readonly [
    script: string,
    problems: readonly (readonly [code: string, line: number, column: number])[],
  ])[] = [
    ['\nif x', [['JM2000', 2, 5]]],
    [
      'GetOrganization(1)\n GetSecret()',
      [
        ['JM4100', 1, 16],
        ['JM4200', 2, 11],
      ],
    ],
    ['Log("Error")', [['JM4200', 1, 4]]],
    ['func GetSecret(a) end', [['JM4102', 1, 1]]],
  ]
  for (const [script, problems] of rows) {
    it(`gives each problem its place: ${JSON.stringify(script)}`, () => {
      assert.deepEqual(
        checkEndpoint({ script }).map(({ code, line, column }) => [code, line, column]),
        problems,
      )
    })
  }

  it('gives no place when the whole script is too long', () => {
    const [problem] = checkEndpoint({ script: ' '.repeat(2 ** 20 + 1) })
    assert.equal(problem?.code, 'JM2000')
  })

  it('does not warn about code that means in endpoints what it seems to mean', () => {
    assert.deepEqual(endpointWarnings({ script: 'if Data.x == null then Data.x = 1 end' }), [])
  })
})
