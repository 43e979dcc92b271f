/**
 * For members whose names come from callers: nothing is inherited, so that `constructor` and `__proto__` are names as any other.
 * An object without a prototype would do, but the engine keeps each of those as a hash table, which costs several times as much
 * to walk and to send to another thread.
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
