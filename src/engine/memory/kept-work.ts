/**
 * Work that is done once for a column or a dictionary; its result is kept as long as the snapshot. Requests that need it at
 * the same time continue the same work instead of beginning it again, and when one of them is stopped or cancelled, the next
 * continues from there. So the service pays for it once, however many requests are stopped, and it does not count towards the
 * budget of the first request.
 */
import { done, KEPT, type Step, type Work } from './work.ts'

export class KeptWork<Key extends object, T> {
  readonly #known = new WeakMap<Key, { readonly value: T }>()
  readonly #begun = new WeakMap<Key, Iterator<Step, T, undefined>>()

  /** @param begin begins the work when it is neither done nor begun */
  get(key: Key, begin: () => Work<T>): Work<T> {
    const known = this.#known.get(key)
    return known === undefined ? this.#get(key, begin) : done(known.value)
  }

  #begin(key: Key, begin: () => Work<T>): Iterator<Step, T, undefined> {
    const steps = begin()[Symbol.iterator]()
    this.#begun.set(key, steps)
    return steps
  }

  /** When a work fails, the next request that needs it begins it again. */
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
