/** The check of scripts in the console, without the bodies of functions, finds what the service finds. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { importsOf, scriptChecker } from '../../console/src/parts/script/check-script.ts'
import { responseMembers } from '../../src/automation/endpoint/response-members.ts'
import { hostFunctions } from '../../src/automation/host/host-functions.ts'
import { checkEndpoint, endpointWarnings } from '../../src/automation/operations/check-endpoint.ts'
import { library } from '../../src/script/stdlib/library.ts'

const examples = join(import.meta.dirname, '../../examples/endpoints')
/** As the build writes them: as JSON. */
const check = scriptChecker(JSON.parse(JSON.stringify({ library, hostFunctions, responseMembers })))

const modules = [{ name: 'fees', version: 2, script: 'func fee(amount)\n  return Substrin(amount)\nend\n' }]

function assertSame(script: string, moduleName?: string): void {
  const problems = checkEndpoint({ script, modules, moduleName })
  const expected =
    problems.length > 0 ? problems : moduleName !== undefined ? [] : endpointWarnings({ script })
  assert.deepEqual(
    check({ text: script, moduleName, modules }).map(({ code, message, at }) => ({ code, message, at })),
    expected.map(({ code, message, at }) => ({ code, message, at })),
  )
}

describe('the check of scripts in the console', () => {
  it('finds in every example, with a line missing, what the service finds', () => {
    for (const file of readdirSync(examples).filter((name) => name.endsWith('.jyro'))) {
      const lines = readFileSync(join(examples, file), 'utf8').split('\n')
      for (let missing = -1; missing < lines.length; missing += 3) {
        assertSame(lines.filter((_line, index) => index !== missing).join('\n'))
      }
    }
  })

  it('finds problems of arguments, patterns, modules and members as the service does', () => {
    for (const script of [
      'import "fees"\nData._payload = fee(1)',
      'import "taxes"\n',
      'Data._payload = RegexTest("a", "(?<=a)b\\\\1")',
      'Data.payload = QueryBookings()',
      'Data._payload = Substring("abc", start: 1, stop: 2)',
      'x =\nif\nend end',
    ]) {
      assertSame(script)
    }
    assertSame('Data._payload = 1', 'other')
    assertSame(modules[0]?.script ?? '', 'fees')
  })

  it('knows what a script imports', () => {
    assert.deepEqual(importsOf('import "fees@2"\nimport "taxes"\n'), [
      { name: 'fees', version: 2 },
      { name: 'taxes', version: null },
    ])
  })
})
