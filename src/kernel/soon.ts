/**
 * A value that is available now or later. Hot paths use it where the value is nearly always available: awaiting a fulfilled
 * promise costs a turn of the microtask queue in every request.
 */
export type Soon<T> = T | Promise<T>

/** Calls `use` at once with an available value, and later with the value of a promise. */
export const whenThere = <T, R>(value: Soon<T>, use: (value: T) => Soon<R>): Soon<R> =>
  value instanceof Promise ? value.then(use) : use(value)
