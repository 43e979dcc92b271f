/**
 * A value that is there already, or comes later. Hot paths use it where the value nearly always is there: waiting for a
 * promise that is fulfilled costs them a turn of the microtask queue in every request.
 */
export type Soon<T> = T | Promise<T>

/** Calls `use` at once with a value that is there. */
export const whenThere = <T, R>(value: Soon<T>, use: (value: T) => Soon<R>): Soon<R> =>
  value instanceof Promise ? value.then(use) : use(value)
