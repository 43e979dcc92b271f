/** Lists the built-in objects of JavaScript, to compare them before and after. */

const objects: readonly (readonly [name: string, object: object])[] = [
  ['Object', Object],
  ['Object.prototype', Object.prototype],
  ['Array', Array],
  ['Array.prototype', Array.prototype],
  ['Function', Function],
  ['Function.prototype', Function.prototype],
  ['String.prototype', String.prototype],
  ['Number.prototype', Number.prototype],
  ['Boolean.prototype', Boolean.prototype],
  ['Symbol.prototype', Symbol.prototype],
  ['RegExp.prototype', RegExp.prototype],
  ['Map.prototype', Map.prototype],
  ['Set.prototype', Set.prototype],
  ['Date.prototype', Date.prototype],
  ['Promise.prototype', Promise.prototype],
  ['Error.prototype', Error.prototype],
  ['JSON', JSON],
  ['Math', Math],
  ['Reflect', Reflect],
]

/** The own keys of each object, and whether any value differs from the first call. */
export function intrinsics(): readonly string[] {
  const keys = objects.map(([name, object]) => {
    const own = Reflect.ownKeys(object).map((key) => {
      const { value, get, set, writable } = Object.getOwnPropertyDescriptor(object, key) ?? {}
      return `${String(key)} ${[value, get, set].map(number).join(' ')} ${writable}`
    })
    return `${name} ${Object.isExtensible(object)} ${number(Object.getPrototypeOf(object))}: ${own.join(', ')}`
  })
  // Node.js makes some of these at their first use, so only the names count.
  return [...keys, `globalThis: ${Object.getOwnPropertyNames(globalThis).join(', ')}`]
}

const numbers = new Map<unknown, number>()

function number(value: unknown): number {
  const known = numbers.get(value)
  if (known !== undefined) return known
  numbers.set(value, numbers.size)
  return numbers.size - 1
}
