/** Builds the list column of a collection: the elements of all records, one after another, in columns of their fields. */
import type { NestedCollection } from '../../schema/datasets.ts'
import type { FieldValue } from '../../schema/field.ts'
import {
  type ArrowColumn,
  type Finish,
  finishFields,
  listColumn,
  type NamedBuilder,
  named,
} from './arrow-fields.ts'
import { GrowableInts } from './growable.ts'

/** The elements of one record, each in the order of the fields and then of the additional fields. */
export type Elements = readonly (readonly FieldValue[])[]

export class ElementsBuilder {
  readonly #collection: NestedCollection
  readonly #columns: readonly NamedBuilder[]
  readonly #additional: readonly NamedBuilder[]
  readonly #offsets = new GrowableInts()
  #count = 0

  constructor(collection: NestedCollection) {
    this.#collection = collection
    this.#columns = collection.fields.map(named)
    this.#additional = collection.additionalFields.map(named)
    this.#offsets.push(0)
  }

  get count(): number {
    return this.#count
  }

  /** Appends the elements of the next record, and returns them as a JSON array of their fields. */
  append(elements: Elements): string {
    this.#begin(elements)
    let json = '['
    for (let e = 0; e < elements.length; e++) {
      const element = elements[e] as readonly FieldValue[]
      json += e === 0 ? '{' : ',{'
      for (let i = 0; i < this.#columns.length; i++) {
        const { prefix, builder } = this.#columns[i] as NamedBuilder
        json += (i === 0 ? prefix : `,${prefix}`) + builder.append(element[i] as FieldValue)
      }
      json += '}'
      this.#pushAdditional(element)
    }
    return `${json}]`
  }

  /** The same without the JSON. */
  push(elements: Elements): void {
    this.#begin(elements)
    for (let e = 0; e < elements.length; e++) {
      const element = elements[e] as readonly FieldValue[]
      for (let i = 0; i < this.#columns.length; i++) this.#columns[i]?.builder.push(element[i] ?? null)
      this.#pushAdditional(element)
    }
  }

  #begin(elements: Elements): void {
    this.#count += elements.length
    this.#offsets.push(this.#count)
  }

  #pushAdditional(element: readonly FieldValue[]): void {
    const first = this.#columns.length
    for (let i = 0; i < this.#additional.length; i++) {
      this.#additional[i]?.builder.push(element[first + i] ?? null)
    }
  }

  finish(finish: Finish): ArrowColumn {
    const { name, fields, additionalFields } = this.#collection
    return listColumn(name, this.#offsets.view(), [
      ...finishFields(finish, this.#columns, fields),
      ...finishFields(finish, this.#additional, additionalFields),
    ])
  }
}
