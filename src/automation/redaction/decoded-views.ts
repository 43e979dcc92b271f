/**
 * Decodes a text the way its readers do: undoes the escapes of JSON and the percent-encoding of addresses, also when nested.
 * Each view knows where in the text its bytes come from. The bytes are UTF-8, because encodings encode UTF-8.
 */

export type View = {
  readonly bytes: Uint8Array
  /** For each byte its position in the text's own bytes, and one more entry for the end. Undefined for the text itself. */
  readonly origin: Uint32Array | undefined
}

/** Three layers are, for instance, JSON in a parameter of an address in JSON. */
const MOST_LAYERS = 3

/** Yields the text itself and every view after undoing up to three layers. Lazily, because views may be long. */
export function viewsOf(bytes: Uint8Array): Iterable<View> {
  return viewsFrom({ bytes, origin: undefined }, MOST_LAYERS)
}

function* viewsFrom(view: View, layers: number): Iterable<View> {
  yield view
  if (layers === 0) return
  for (const [sign, read] of [
    [BACKSLASH, readEscape],
    [PERCENT, readPercent],
  ] as const) {
    const decoded = decode(view, sign, read)
    if (decoded !== undefined) yield* viewsFrom(decoded, layers - 1)
  }
}

const BACKSLASH = 0x5c
const PERCENT = 0x25

/** Decodes one encoded character at `at` into `to` at `end`. Returns undefined when nothing is encoded there. */
type Read = (bytes: Uint8Array, at: number, to: Uint8Array, end: number) => Decoded | undefined
/** The number of bytes that were read and written. */
type Decoded = { readonly read: number; readonly made: number }

/** Undefined when there is nothing to decode. */
function decode({ bytes, origin }: View, sign: number, read: Read): View | undefined {
  let at = bytes.indexOf(sign)
  if (at < 0) return undefined
  const to = new Uint8Array(bytes.length)
  const from = new Uint32Array(bytes.length + 1)
  let end = 0
  let copied = 0
  let found = false
  const place = (index: number) => (origin === undefined ? index : origin[index]!)
  const copy = (until: number) => {
    for (; copied < until; copied++) {
      to[end] = bytes[copied]!
      from[end++] = place(copied)
    }
  }
  while (at >= 0) {
    const decoded = read(bytes, at, to, end + at - copied)
    if (decoded !== undefined) {
      copy(at)
      for (let made = 0; made < decoded.made; made++) from[end++] = place(at)
      copied = at + decoded.read
      found = true
    }
    at = bytes.indexOf(sign, at + (decoded?.read ?? 1))
  }
  if (!found) return undefined
  copy(bytes.length)
  from[end] = place(bytes.length)
  return { bytes: to.subarray(0, end), origin: from.subarray(0, end + 1) }
}

function readPercent(bytes: Uint8Array, at: number, to: Uint8Array, end: number): Decoded | undefined {
  const byte = readHex(bytes, at + 1, 2)
  if (byte === undefined) return undefined
  to[end] = byte
  return { read: 3, made: 1 }
}

/** The characters that may follow a backslash, except `u`. */
const ESCAPES: ReadonlyMap<number, number> = new Map(
  [...'"\\/bfnrt'].map((letter, nth) => [letter.charCodeAt(0), '"\\/\b\f\n\r\t'.charCodeAt(nth)]),
)

function readEscape(bytes: Uint8Array, at: number, to: Uint8Array, end: number): Decoded | undefined {
  const letter = bytes[at + 1]
  const plain = ESCAPES.get(letter ?? 0)
  if (plain !== undefined) {
    to[end] = plain
    return { read: 2, made: 1 }
  }
  const unit = readUnit(bytes, at)
  if (unit === undefined) return undefined
  const second = (unit & 0xfc00) === 0xd800 ? readUnit(bytes, at + 6) : undefined
  const isPair = second !== undefined && (second & 0xfc00) === 0xdc00
  const text = isPair ? String.fromCharCode(unit, second) : String.fromCharCode(unit)
  return { read: isPair ? 12 : 6, made: encoder.encodeInto(text, to.subarray(end)).written }
}

const encoder = new TextEncoder()

/** The four digits of `\u00e9`. */
const readUnit = (bytes: Uint8Array, at: number): number | undefined =>
  bytes[at] === BACKSLASH && bytes[at + 1] === 0x75 ? readHex(bytes, at + 2, 4) : undefined

function readHex(bytes: Uint8Array, at: number, digits: number): number | undefined {
  let value = 0
  for (let nth = 0; nth < digits; nth++) {
    const digit = hexDigit(bytes[at + nth] ?? 0)
    if (digit < 0) return undefined
    value = value * 16 + digit
  }
  return value
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
