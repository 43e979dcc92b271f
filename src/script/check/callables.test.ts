import assert from 'node:assert/strict'
import { it } from 'node:test'
import { define } from '../stdlib/definition.ts'
import { functionTable } from './callables.ts'

const native = (name: string) =>
  define({ name, category: 'Text', returns: 'null', about: 'Nothing.', parameters: [], body: () => null })

it('functionTable replaces library functions by host functions of the same name', () => {
  const [trim, log, hostLog, send] = ['Trim', 'Log', 'Log', 'Send'].map(native)
  const table = functionTable([trim!, log!], [hostLog!, send!])
  assert.deepEqual([...table.keys()], ['Trim', 'Log', 'Send'])
  assert.equal(table.get('Trim'), trim)
  assert.deepEqual(table.get('Log'), { ...hostLog, isOfHost: true })
})
