/**
 * One builder per storage type turns values into an Arrow column. Every builder also writes a value as JSON, because it can
 * share repeated work (a text is quoted once per distinct value).
 *
 * Null slots carry a sentinel besides the validity bit (`dictionary.size`, {@link NULL_INTEGER}, NaN), so that a reader
 * can scan the values alone.
 */
import {
  Bool,
  type Data,
  type DataType,
  DateDay,
  Dictionary,
  Float64,
  Int32,
  makeData,
  Utf8,
  Vector,
} from 'apache-arrow'
import { formatDate, formatMinute } from '../../kernel/calendar.ts'
import { formatScaled } from '../../kernel/decimal.ts'
import { compareCodePoints, fold } from '../../kernel/text.ts'
import type { Field, FieldType, FieldValue } from '../../schema/field.ts'
import { NULL_INTEGER } from '../partition.ts'
import { GrowableDoubles, GrowableInts } from './growable.ts'

export interface ColumnBuilder {
  /** Appends a value and returns it as JSON. */
  append(value: FieldValue): string
  /** Appends a value without making its JSON. */
  push(value: FieldValue): void
  /** The finished column; `dictionaryId` numbers the dictionary within the file. */
  finish(dictionaryId: number): Data<DataType>
}

export function columnBuilder(field: Field): ColumnBuilder {
  return builders[field.type]()
}

const builders: { readonly [T in FieldType]: () => ColumnBuilder } = {
  text: () => new TextBuilder(),
  date: () =>
    new IntegerBuilder(
      'day',
      remembering((day) => `"${formatDate(day)}"`),
    ),
  minute: () => new IntegerBuilder('integer', (minute) => `"${formatMinute(minute)}"`),
  integer: () => new IntegerBuilder('integer', String),
  decimal: () => new DecimalBuilder(),
  boolean: () => new BooleanBuilder(),
}

export class TextBuilder implements ColumnBuilder {
  readonly #codeOf = new Map<string, number>()
  readonly #distinct: string[] = []
  readonly #quoted: string[] = []
  readonly #codes = new GrowableInts()

  append(value: FieldValue): string {
    const code = this.#pushCode(value)
    if (code < 0) return 'null'
    if (code === this.#quoted.length) this.#quoted.push(JSON.stringify(this.#distinct[code]))
    return this.#quoted[code] as string
  }

  push(value: FieldValue): void {
    this.#pushCode(value)
  }

  /** @returns the place of the text among the distinct ones; -1 for null */
  #pushCode(value: FieldValue): number {
    if (value === null) {
      this.#codes.push(-1)
      return -1
    }
    const text = String(value)
    let code = this.#codeOf.get(text)
    if (code === undefined) {
      code = this.#distinct.length
      this.#codeOf.set(text, code)
      this.#distinct.push(text)
    }
    this.#codes.push(code)
    return code
  }

  finish(dictionaryId: number): Data<DataType> {
    const { order, rank } = dictionaryOrder(this.#distinct)
    const size = order.length
    const codes = this.#codes.view().map((code) => (code < 0 ? size : (rank[code] as number)))
    const type = new Dictionary(new Utf8(), new Int32(), dictionaryId, false)
    const dictionary = new Vector([utf8Data(order.map((code) => this.#distinct[code] as string))])
    return makeData({
      type,
      length: codes.length,
      ...validity(codes, (code) => code !== size),
      data: codes,
      dictionary,
    })
  }
}

/** Ascending by (folded text, text), by code point. `rank[first-seen code]` is the final code. */
function dictionaryOrder(distinct: readonly string[]): { order: readonly number[]; rank: Int32Array } {
  const folded = distinct.map(fold)
  // Without surrogates, UTF-16 order is code point order, and the native comparison is far cheaper.
  const compare = distinct.some((text) => /[\ud800-\udfff]/.test(text)) ? compareCodePoints : compareCodeUnits
  const order = distinct
    .map((_, code) => code)
    .sort(
      (a, b) =>
        compare(folded[a] as string, folded[b] as string) ||
        compare(distinct[a] as string, distinct[b] as string),
    )
  const rank = new Int32Array(order.length)
  order.forEach((code, position) => {
    rank[code] = position
  })
  return { order, rank }
}

const compareCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Days and minutes are kept as doubles while a column is built: a minute of the year 9999 needs 33 bits. */
class IntegerBuilder implements ColumnBuilder {
  readonly #type: 'day' | 'integer'
  readonly #toJson: (value: number) => string
  readonly #values = new GrowableDoubles()

  constructor(type: 'day' | 'integer', toJson: (value: number) => string) {
    this.#type = type
    this.#toJson = toJson
  }

  append(value: FieldValue): string {
    this.push(value)
    return value === null ? 'null' : this.#toJson(value as number)
  }

  push(value: FieldValue): void {
    this.#values.push(value === null ? NULL_INTEGER : (value as number))
  }

  finish(): Data<DataType> {
    const values = this.#values.view()
    const length = values.length
    const nulls = validity(values, (v) => v !== NULL_INTEGER)
    if (!values.every((value) => value === (value | 0))) {
      const data = values.map((value) => (value === NULL_INTEGER ? Number.NaN : value))
      return makeData({ type: new Float64(), length, ...nulls, data })
    }
    const data = Int32Array.from(values)
    return this.#type === 'day'
      ? makeData({ type: new DateDay(), length, ...nulls, data })
      : makeData({ type: new Int32(), length, ...nulls, data })
  }
}

class DecimalBuilder implements ColumnBuilder {
  readonly #values = new GrowableDoubles()

  append(value: FieldValue): string {
    this.push(value)
    return value === null ? 'null' : formatScaled(value as number)
  }

  push(value: FieldValue): void {
    this.#values.push(value === null ? Number.NaN : (value as number))
  }

  finish(): Data<DataType> {
    const data = this.#values.view()
    return makeData({
      type: new Float64(),
      length: data.length,
      ...validity(data, (v) => !Number.isNaN(v)),
      data,
    })
  }
}

class BooleanBuilder implements ColumnBuilder {
  readonly #values = new GrowableInts()

  append(value: FieldValue): string {
    this.push(value)
    return value === true ? 'true' : 'false'
  }

  push(value: FieldValue): void {
    this.#values.push(value === true ? 1 : 0)
  }

  finish(): Data<DataType> {
    const values = this.#values.view()
    return makeData({
      type: new Bool(),
      length: values.length,
      nullCount: 0,
      data: bitsWhere(values, (v) => v === 1),
    })
  }
}

type NumberArray = Int32Array | Float64Array

/** Arrow's validity bitmap and null count; a column without nulls has no bitmap. */
function validity(
  values: NumberArray,
  isValid: (value: number) => boolean,
): { nullCount: number; nullBitmap?: Uint8Array } {
  let nullCount = 0
  for (let i = 0; i < values.length; i++) if (!isValid(values[i] as number)) nullCount++
  return nullCount === 0 ? { nullCount } : { nullCount, nullBitmap: bitsWhere(values, isValid) }
}

function bitsWhere(values: NumberArray, isSet: (value: number) => boolean): Uint8Array {
  const bits = new Uint8Array((values.length + 7) >> 3)
  for (let i = 0; i < values.length; i++) {
    if (isSet(values[i] as number)) bits[i >> 3] = (bits[i >> 3] as number) | (1 << (i & 7))
  }
  return bits
}

/** Texts as an Arrow Utf8 column. */
function utf8Data(texts: readonly string[]): Data<Utf8> {
  const joined = Buffer.from(texts.join(''), 'utf8')
  const valueOffsets = new Int32Array(texts.length + 1)
  texts.forEach((text, i) => {
    valueOffsets[i + 1] = (valueOffsets[i] as number) + Buffer.byteLength(text)
  })
  return makeData({ type: new Utf8(), length: texts.length, nullCount: 0, valueOffsets, data: joined })
}

/** Keeps formatted values: an extract has few days, and each of them many times. */
function remembering(format: (value: number) => string): (value: number) => string {
  const known = new Map<number, string>()
  return (value) => {
    let text = known.get(value)
    if (text === undefined) {
      text = format(value)
      known.set(value, text)
    }
    return text
  }
}
