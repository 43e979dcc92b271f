/** A place for steps and successions as immutable files or objects. */
import { hash } from 'node:crypto'
import type { ObjectStore } from '../objects/object-store.ts'

export type StepFiles = {
  readonly store: ObjectStore
  /** What all keys begin with: empty, or a name with a slash. */
  readonly prefix: string
  /** What lies below a prefix that ends with a slash. */
  readonly list: (prefix: string) => Promise<readonly StepObject[]>
  /** Reads an object, verified. */
  readonly load: (object: StepObject & { readonly sha256: string }) => Promise<Uint8Array>
  /** What is thrown when an object cannot be stored. */
  readonly problemOf: (cause: unknown) => unknown
}

/** Only a storage needs to know the size. */
type StepObject = { readonly key: string; readonly bytes?: number }

export const sha256Of = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex')

/** Their place in a data folder. */
export const CHANGES_FOLDER = 'changes'
