/** The context that the machine passes to native functions. */
import type { Program } from '../compile/code.ts'
import type { NativeContext } from '../stdlib/definition.ts'
import { bytesInPlace, bytesOfText, OBJECT_BYTES, TEXT_BYTES, UNIT_BYTES } from '../values/sizes.ts'
import { ScriptArray, ScriptObject, type Value } from '../values/value.ts'
import type { Meter } from './meter.ts'
import { setMember } from './operations.ts'

/** Units of work between two looks at the clock: well under a millisecond. */
const WORK_PER_LOOK = 10_000

type Run = Pick<NativeContext, 'host' | 'cancellation'> & { readonly checkTime: () => void }

export function nativeContext(
  { dialect, emptyShape }: Program,
  meter: Meter,
  { host, cancellation, checkTime }: Run,
): NativeContext {
  let work = 0
  const context: NativeContext = {
    allocate: (bytes) => meter.allocate(bytes),
    work: (units) => {
      work += units
      if (work < WORK_PER_LOOK) return
      work = 0
      checkTime()
    },
    text: (text) => {
      meter.allocate(bytesOfText(text))
      meter.newText(text)
      return text
    },
    newText: (text) => {
      meter.newText(text)
      return text
    },
    concatenate: (left, right) => {
      meter.allocate(TEXT_BYTES + UNIT_BYTES * (left.length + right.length))
      meter.newPair(left, right)
      return left + right
    },
    array: (items) => {
      const array = arrayOf(items)
      let { bytes } = array
      for (const item of items) bytes += bytesInPlace(item)
      meter.allocate(bytes)
      return array
    },
    object: () => {
      meter.allocate(OBJECT_BYTES)
      return new ScriptObject(emptyShape, [])
    },
    set: (object, key, value) => setMember(object, key, value, context),
    readsNumericText: dialect === 'service',
    now: () => Date.now(),
    host,
    cancellation,
  }
  return context
}

/** The same for the host: scripts of the service dialect read the members of its objects in any letter case. */
export const hostContext = (context: NativeContext, { hostShape }: Program, meter: Meter): NativeContext => ({
  ...context,
  object: () => {
    meter.allocate(OBJECT_BYTES)
    return new ScriptObject(hostShape, [])
  },
})

/** Longer lists take their places in reserve along, which the version tells the meter. */
const FEW_ITEMS = 64

function arrayOf(items: Value[]): ScriptArray {
  if (items.length < FEW_ITEMS) return new ScriptArray(items.slice())
  const array = new ScriptArray(items)
  array.version = 1
  return array
}
