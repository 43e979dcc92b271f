/**
 * What is worked out once for a column or a dictionary and kept as long as the snapshot. Requests that need it meanwhile
 * go on with the same work instead of beginning it again, and when one of them is stopped or leaves in the middle, the
 * next goes on where it stood. So it costs the service once, however many requests are stopped, and is no part of the
 * budget of the request that happens to come first.
 */
import { done, KEPT, type Step, type Work } from './work.ts'

export class KeptWork<Key extends object, T> {
  readonly #known = new WeakMap<Key, { readonly value: T }>()
  readonly #begun = new WeakMap<Key, Iterator<Step, T, undefined>>()

  /** @param begin the work, unless it is done or begun */
  get(key: Key, begin: () => Work<T>): Work<T> {
    const known = this.#known.get(key)
    return known === undefined ? this.#get(key, begin) : done(known.value)
  }

  #begin(key: Key, begin: () => Work<T>): Iterator<Step, T, undefined> {
    const steps = begin()[Symbol.iterator]()
    this.#begun.set(key, steps)
    return steps
  }

  /** A work that fails is begun anew by whoever needs it next. */
  #advance(key: Key, steps: Iterator<Step, T, undefined>): void {
    let isOver = true
    try {
      const step = steps.next()
      if (step.done) this.#known.set(key, { value: step.value })
      else isOver = false
    } finally {
      if (isOver) this.#begun.delete(key)
    }
  }

  *#get(key: Key, begin: () => Work<T>): Work<T> {
    for (;;) {
      const known = this.#known.get(key)
      if (known !== undefined) return known.value
      this.#advance(key, this.#begun.get(key) ?? this.#begin(key, begin))
      yield KEPT
    }
  }
}
