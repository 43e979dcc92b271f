/** The context that the machine passes to native functions. */
import type { Program } from '../compile/code.ts'
import type { NativeContext } from '../stdlib/definition.ts'
import { ScriptArray, ScriptObject } from '../values/value.ts'
import { ARRAY_BYTES, type Meter, OBJECT_BYTES, PLACE_BYTES, TEXT_BYTES, UNIT_BYTES } from './meter.ts'
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
      meter.allocate(TEXT_BYTES + UNIT_BYTES * text.length)
      return text
    },
    array: (items) => {
      meter.allocate(ARRAY_BYTES + PLACE_BYTES * items.length)
      return new ScriptArray(items)
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
