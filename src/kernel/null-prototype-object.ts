/**
 * For members whose names come from callers: nothing is inherited, so that `constructor` and `__proto__` are names as any other.
 * An object without a prototype would do, but the engine keeps each of those as a hash table, which costs several times as much
 * to walk and to send to another thread.
 */
export const bareObject = <Value>(): Record<string, Value> => new Bare() as Record<string, Value>

export const isBareObject = (value: object): boolean => value instanceof Bare

class Bare {
  [name: string]: unknown
}
Object.setPrototypeOf(Bare.prototype, null)
Reflect.deleteProperty(Bare.prototype, 'constructor')
Object.freeze(Bare.prototype)
