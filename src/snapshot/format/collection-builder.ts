/**
 * Turns rows, in the dataset's default order, into one client's stored collection: an Arrow table with a column for every
 * field, a list column for the nested collection, a column for each custom label, columns for what queries can name besides, and
 * the finished JSON of every record.
 * Equal rows give equal bytes: nothing in the file depends on when it was built.
 */
import { Field as ArrowField, Int32, makeData, RecordBatch, Schema, Utf8 } from 'apache-arrow'
import {
  type ListMember,
  type StoredCollection,
  type StoredName,
  storedCollections,
} from '../../schema/datasets.ts'
import type { FieldValue } from '../../schema/field.ts'
import { collectionTooLarge } from '../problems.ts'
import {
  type ArrowColumn,
  finisher,
  finishFields,
  type NamedBuilder,
  named,
  structData,
} from './arrow-fields.ts'
import { TextBuilder } from './column-builders.ts'
import { type Elements, ElementsBuilder } from './elements-builder.ts'
import {
  BOOKING_LENGTH_COLUMN,
  customColumnName,
  fileMetadata,
  JSON_COLUMN,
  NESTED_BEGIN_COLUMN,
  NESTED_END_COLUMN,
} from './file-format.ts'
import { GrowableInts, GrowableText } from './growable.ts'

/** @template Name the collection of the row */
export type StoredRow<Name extends StoredName = StoredName> = {
  /** In the order of the stored collection's fields; days, minutes and scaled amounts as integers. */
  readonly values: readonly FieldValue[]
  /** In the order of the builder's labels; null when the label has no value. */
  readonly custom: readonly (string | null)[]
  /** Segments or line items in the order of their numbers. */
  readonly elements: Elements
  /** In the order of the additional fields. When this is left out, they are null, or empty or 0 where they cannot be null. */
  readonly additional?: readonly FieldValue[]
  /** The elements of the additional collections, in their order; all are empty when this is left out. */
  readonly collections?: readonly Elements[]
  /** Finished JSON of the members that queries cannot reach. */
  readonly lists: Readonly<Record<ListMember<Name>, string>>
}

/** Arrow's Utf8 columns count bytes in 32 bits. */
const MAX_JSON_BYTES = 0x7fffffff

export class CollectionBuilder<Name extends StoredName = StoredName> {
  readonly stored: Name
  readonly clientNumber: string
  readonly #labels: readonly string[]
  readonly #columns: readonly NamedBuilder[]
  readonly #additional: readonly NamedBuilder[]
  readonly #nothing: readonly FieldValue[]
  readonly #nested: ElementsBuilder | null
  readonly #collections: readonly ElementsBuilder[]
  readonly #customColumns: readonly NamedBuilder[]
  readonly #members: readonly Member[]
  /** How many members the front part has: the booking within an itinerary. */
  readonly #frontMembers: number
  readonly #json = new GrowableText()
  readonly #jsonOffsets = new GrowableInts()
  readonly #bookingLengths: GrowableInts | null
  readonly #nestedBegins = new GrowableInts()
  readonly #nestedEnds = new GrowableInts()

  /** @param labels the client's custom labels, ordered by code point */
  constructor(stored: Name, clientNumber: string, labels: readonly string[]) {
    const collection: StoredCollection = storedCollections[stored]
    const { fields, additionalFields, nested, additionalCollections, front } = collection
    this.stored = stored
    this.clientNumber = clientNumber
    this.#labels = labels
    this.#columns = fields.map(named)
    this.#additional = additionalFields.map(named)
    this.#nothing = additionalFields.map(({ nullable, type }) => (nullable ? null : type === 'text' ? '' : 0))
    this.#nested = nested && new ElementsBuilder(nested)
    this.#collections = additionalCollections.map((each) => new ElementsBuilder(each))
    this.#customColumns = labels.map((label) => ({
      prefix: `${JSON.stringify(label)}:`,
      builder: new TextBuilder(),
    }))
    this.#members = membersOf(collection)
    this.#frontMembers = front === null ? this.#members.length : Object.keys(front.properties).length
    this.#bookingLengths = front === null ? null : new GrowableInts()
    this.#jsonOffsets.push(0)
  }

  get rowCount(): number {
    return this.#jsonOffsets.length - 1
  }

  get elementCount(): number {
    return this.#nested?.count ?? 0
  }

  /**
   * @returns the nested collection as JSON
   * @throws Problem SNP101 when the collection outgrows what one file can hold
   */
  append(row: StoredRow<Name>): string {
    const lists: Readonly<Record<string, string>> = row.lists
    const elements = this.#nested?.append(row.elements) ?? '[]'
    const custom = `{${this.#appendCustom(row.custom)}}`
    let textLength = elements.length + custom.length
    for (const list of Object.values(lists)) textLength += list.length
    this.#requireRoom(textLength)
    this.#appendAdditional(row)
    const begin = this.#json.length
    let json = ''
    for (let i = 0; i < this.#members.length; i++) {
      if (i === this.#frontMembers) {
        this.#write(json)
        this.#bookingLengths?.push(this.#json.length - begin)
        json = ''
      }
      const member = this.#members[i] as Member
      json += i === 0 ? '{' : ','
      if (member.kind === 'field') {
        const { prefix, builder } = this.#columns[member.at] as NamedBuilder
        json += prefix + builder.append(row.values[member.at] as FieldValue)
      } else if (member.kind === 'list') json += member.prefix + lists[member.name]
      else if (member.kind === 'custom') json += member.prefix + custom
      else {
        this.#write(json + member.prefix)
        this.#nestedBegins.push(this.#json.length - begin)
        this.#write(elements)
        this.#nestedEnds.push(this.#json.length - begin)
        json = ''
      }
    }
    this.#write(`${json}}`)
    this.#jsonOffsets.push(this.#json.length)
    return elements
  }

  #write(json: string): void {
    this.#requireRoom(json.length)
    this.#json.push(json)
  }

  /** Refuses a text of this length, in UTF-16 code units, when the file has no room for it. */
  #requireRoom(textLength: number): void {
    // A UTF-16 code unit takes at most three bytes.
    if (this.#json.length + 3 * textLength > MAX_JSON_BYTES) {
      throw collectionTooLarge(this.clientNumber, this.stored, this.rowCount)
    }
  }

  #appendAdditional({ additional = this.#nothing, collections = [] }: StoredRow<Name>): void {
    for (let i = 0; i < this.#additional.length; i++) {
      this.#additional[i]?.builder.push(additional[i] as FieldValue)
    }
    for (let i = 0; i < this.#collections.length; i++) this.#collections[i]?.push(collections[i] ?? [])
  }

  #appendCustom(values: readonly (string | null)[]): string {
    let json = ''
    for (let i = 0; i < this.#customColumns.length; i++) {
      const { prefix, builder } = this.#customColumns[i] as NamedBuilder
      const value = builder.append(values[i] ?? null)
      if (values[i] != null) json += `${json === '' ? '' : ','}${prefix}${value}`
    }
    return json
  }

  /** The collection as one Arrow record batch. The builder must not be used afterwards. */
  finish(): RecordBatch {
    const { fields, additionalFields } = storedCollections[this.stored]
    const finish = finisher()
    const columns = [
      ...finishFields(finish, this.#columns, fields),
      ...(this.#nested === null ? [] : [this.#nested.finish(finish)]),
      ...this.#customColumns.map((column, i) =>
        finish(column, customColumnName(this.#labels[i] as string), undefined),
      ),
      ...finishFields(finish, this.#additional, additionalFields),
      ...this.#collections.map((collection) => collection.finish(finish)),
      ...this.#recordColumns(),
    ]
    const metadata = fileMetadata({
      stored: this.stored,
      clientNumber: this.clientNumber,
      labels: this.#labels,
    })
    const schema = new Schema(
      columns.map(({ field }) => field),
      metadata,
    )
    return new RecordBatch(schema, structData(columns, this.rowCount))
  }

  #recordColumns(): ArrowColumn[] {
    const length = this.rowCount
    const json = makeData({
      type: new Utf8(),
      length,
      nullCount: 0,
      valueOffsets: this.#jsonOffsets.view(),
      data: this.#json.view(),
    })
    const columns: ArrowColumn[] = [{ field: new ArrowField(JSON_COLUMN, json.type, false), data: json }]
    const integers = (name: string, values: GrowableInts) => {
      const data = makeData({ type: new Int32(), length, nullCount: 0, data: values.view() })
      columns.push({ field: new ArrowField(name, data.type, false), data })
    }
    if (this.#bookingLengths !== null) integers(BOOKING_LENGTH_COLUMN, this.#bookingLengths)
    if (this.#nested !== null) {
      integers(NESTED_BEGIN_COLUMN, this.#nestedBegins)
      integers(NESTED_END_COLUMN, this.#nestedEnds)
    }
    return columns
  }
}

/** A member of the stored JSON: the n-th field, a finished list, or a member that the builder composes. */
type Member =
  | { readonly kind: 'field'; readonly at: number }
  | { readonly kind: 'list'; readonly name: string; readonly prefix: string }
  | { readonly kind: 'nested' | 'custom'; readonly prefix: string }

/** The members of a record in the order of its shape. */
function membersOf({ record, fields, nested }: StoredCollection): readonly Member[] {
  return Object.keys(record.properties).map((name): Member => {
    const prefix = `${JSON.stringify(name)}:`
    const at = fields.findIndex((field) => field.name === name)
    if (at !== -1) return { kind: 'field', at }
    if (name === 'customDataFields') return { kind: 'custom', prefix }
    return name === nested?.name ? { kind: 'nested', prefix } : { kind: 'list', name, prefix }
  })
}
