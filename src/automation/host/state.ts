/**
 * Host functions for the state that the scripts of an endpoint keep from run to run. Several runs may change it at the same
 * time: a change that names the version it has read is refused when another run was faster, and an addition is never lost.
 */
import {
  any,
  define,
  MOST_LEVELS,
  type NativeContext,
  type NativeFunction,
  number,
  optional,
  readJson,
  type Value,
  writeJson,
} from '../../script/values.ts'
import { plainText, wrongArgument } from './host-arguments.ts'
import { hostOf } from './run-host.ts'

const category = 'State'

/** More than a state may hold: the store says which limit counts. */
const MOST_BYTES = 2 ** 20

const getState = define({
  name: 'GetState',
  category,
  parameters: [any('key')],
  returns: 'object or null',
  about:
    'Returns a value that a run of this endpoint has kept, as {value, version}, or null when the key does not exist. A state has at most 1000 keys of at most 200 characters, values of at most 64 KiB of JSON, and 1 MiB in all.',
  async waits(context, key) {
    const { state, endpointId } = hostOf(context)
    const found = await state.get(endpointId, keyOf('GetState', key))
    if (found === null) return null
    const entry = context.object()
    // As deep as it could be written.
    context.set(entry, 'value', readJson(found.value, context, { maxDepth: MOST_LEVELS }))
    context.set(entry, 'version', found.version)
    return entry
  },
})

const setState = define({
  name: 'SetState',
  category,
  parameters: [any('key'), any('value'), optional(any('expectedVersion'))],
  returns: 'number or null',
  about:
    'Keeps a value for later runs of this endpoint and returns its new version. With expectedVersion nothing is changed and null is returned unless the value still has that version; null or 0 expects that the key does not exist. The run fails when the state would exceed a limit.',
  async waits(context, key, value, expectedVersion) {
    const name = 'SetState'
    const { work, allocate } = context
    const json = writeJson(value, { work, allocate, mostBytes: MOST_BYTES, escapes: 'plain' })
    const [text, expected] = [keyOf(name, key), versionOf(name, expectedVersion)]
    const { state, endpointId } = hostOf(context)
    unlessOver(context)
    return state.set(endpointId, text, json, expected)
  },
})

const incrementState = define({
  name: 'IncrementState',
  category,
  parameters: [any('key'), optional(number('by'))],
  returns: 'number',
  about:
    'Adds a number, 1 by default, to a number of the state and returns the sum. A key that does not exist counts as 0. Runs that add at the same time lose nothing. The run fails when the value is no number.',
  async waits(context, key, by = 1) {
    const text = keyOf('IncrementState', key)
    const { state, endpointId } = hostOf(context)
    unlessOver(context)
    return state.increment(endpointId, text, by)
  },
})

const deleteState = define({
  name: 'DeleteState',
  category,
  parameters: [any('key'), optional(any('expectedVersion'))],
  returns: 'boolean',
  about:
    'Deletes a key of the state. Returns false when it does not exist, or when it has another version than the one expected.',
  async waits(context, key, expectedVersion) {
    const name = 'DeleteState'
    const [text, expected] = [keyOf(name, key), versionOf(name, expectedVersion)]
    const { state, endpointId } = hostOf(context)
    unlessOver(context)
    return state.remove(endpointId, text, expected)
  },
})

export const stateFunctions: readonly NativeFunction[] = [getState, setState, incrementState, deleteState]

function keyOf(name: string, key: Value): string {
  const text = plainText(key)
  if (text === null) throw wrongArgument(name, 'a text as key', key)
  return text
}

/** Null is the version of a key that does not exist, because `GetState(key).version` reads as null then. */
function versionOf(name: string, version: Value | undefined): number | undefined {
  if (version === undefined) return undefined
  if (version === null) return 0
  if (typeof version !== 'number') throw wrongArgument(name, 'a number as expectedVersion', version)
  return version
}

/** A run that is over must not change anything any more. */
function unlessOver({ cancellation }: NativeContext): void {
  if (cancellation.aborted) throw cancellation.reason
}
