/**
 * Calls every host function with unexpected arguments: each run ends with a result or its own problem, without a defect of the
 * service, and no object of JavaScript or of the stores comes out or is changed.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { hostFunctions } from '../../src/automation/host/host-functions.ts'
import { openRuns, type Runs } from '../../src/automation/testing/open-runs.ts'
import { intrinsics } from './intrinsics.ts'

let runs: Runs
before(async () => {
  const chunks = () => [Buffer.from('{"__proto__":{"polluted":1},"constructor":2}')]
  runs = await openRuns({ query: async () => ({ count: 1, meta: null, chunks }) })
  await runs.store.secrets.set('__proto__', { value: 'the value of a secret' }, 'test')
})
after(() => runs.close())

/** Scripts that assign the hostile value to `h`. */
const hostile: readonly (readonly [what: string, made: string])[] = [
  ['null', 'var h = null'],
  ['a number', 'var h = -1.5'],
  ['a name of JavaScript', 'var h = "__proto__"'],
  ['another name of JavaScript', 'var h = "constructor"'],
  ['a text of half a character', 'var h = "\\uD800"'],
  ['a text of control characters', 'var h = "\\u0000\\r\\n\'; drop table organizations; --"'],
  ['a long text', 'var h = PadLeft("a", 100000, "a")'],
  ['a lambda', 'var h = x => x'],
  ['a list in itself', 'var h = [1] h[1] = h'],
  ['an object in itself', 'var h = {id: "a", filter: "b"} h.c = h'],
  ['an object of names', 'var h = {"__proto__": {id: 1}, constructor: "x", toString: x => x, id: {id: 1}}'],
  ['a deep list', 'var h = [] for n in 0 to 5000 do h = [h] end'],
]

const javaScript =
  /\[native code\]|\[object |node:|\bat .*\.ts|TypeError|ReferenceError|SQLITE|kysely|secret-value/i

describe('functions of the host', () => {
  for (const [what, made] of hostile) {
    it(`end with ${what} in each place, and in all`, async () => {
      const before = intrinsics()
      for (const { name, parameters } of hostFunctions) {
        const places = parameters.map((_, place) => parameters.map((_, i) => (i === place ? 'h' : '"a"')))
        for (const args of [...places, parameters.map(() => 'h'), parameters.map(() => 'h').slice(0, 3)]) {
          const call = `${name}(${args.join(', ')})`
          const { response, execution } = await runs.run(`${made} Data._payload = ${call}`)
          const told = JSON.stringify([response.body, execution?.error, execution?.log])
          assert.doesNotMatch(told, javaScript, `${call}: ${told.slice(0, 500)}`)
          assert.match(execution?.error?.code ?? 'JM5000', /^(?:JM[45]\d{3}|END12[01]|END160)$/, call)
        }
      }
      assert.deepEqual(
        runs.observations.filter(({ kind }) => kind === 'script-defect'),
        [],
      )
      assert.deepEqual(intrinsics(), before)
    })
  }

  it('return only values of scripts', async () => {
    const script = `
      var made = QueryBookings("C1")
      made.bookings[0].x = made
      made.bookings.add(1)
      var user = GetCurrentUser() user.roles.add("admin") user.isAuthenticated = true
      Data._payload = [GetCurrentUser().roles, Data.request.user.roles, GetCurrentUser().isAuthenticated, Length(QueryBookings("C1").bookings),
        {}.polluted, Keys(QueryBookings("C1").bookings[0])]`
    const { response, execution } = await runs.run(script)
    assert.equal(
      response.body,
      '[[],[],false,1,null,["__proto__","constructor"]]',
      JSON.stringify(execution?.error),
    )
  })

  it('cannot be replaced, and are not values that a script can read', async () => {
    for (const script of [
      'func GetSecret(name) return name end',
      'GetSecret = 1',
      'Data._payload = GetSecret',
      'Data._payload = GetSecret.constructor',
      'Data._payload = Log("Error", "x").constructor',
    ]) {
      const { response, execution } = await runs.run(script)
      assert.ok(execution?.status === 'Failed' || response.body === 'null', script)
    }
  })
})
