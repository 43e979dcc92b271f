/** What makes values out of texts and plain values: it counts the memory that they take, before they take it. */
import type { ScriptArray, ScriptObject, Value } from './value.ts'

export interface JsonMaker {
  /** Takes over the given array. */
  readonly array: (items: Value[]) => ScriptArray
  readonly object: () => ScriptObject
  readonly set: (object: ScriptObject, key: string, value: Value) => void
  readonly text: (text: string) => string
  /** About one element or a hundred units of text each. */
  readonly work: (units: number) => void
}
