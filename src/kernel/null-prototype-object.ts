/**
 * An object for members whose names come from callers: it inherits nothing, so `constructor` and `__proto__` are ordinary names.
 * `Object.create(null)` would do, but V8 keeps each such object as a hash table, which costs several times as much to walk and
 * to send to another thread.
 */
export const nullPrototypeObject = <Value>(): Record<string, Value> =>
  new NullPrototype() as Record<string, Value>

export const isNullPrototypeObject = (value: object): boolean => value instanceof NullPrototype

class NullPrototype {
  [name: string]: unknown
}
Object.setPrototypeOf(NullPrototype.prototype, null)
Reflect.deleteProperty(NullPrototype.prototype, 'constructor')
Object.freeze(NullPrototype.prototype)
