/**
 * Scripts that keep many values of one kind, in `Data.kept`, to compare what is counted for values with what they take in the
 * heap. `Data.n` says how many; `Data.body` is the request of the kinds that come from JSON.
 */

export type KindOfValue = {
  readonly name: string
  /** Runs `Data.n` times, with `i` as number of the round and `kept` as an array. */
  readonly each?: string
  /** Runs once, instead. */
  readonly script?: string
  /** How many times as many values are needed to tell what one takes. */
  readonly times?: number
  /** An element of the JSON array that is the body of a request. */
  readonly json?: (i: number) => string
}

const text = (units: number, filler = 'x'): string => `PadLeft(ToString(i), ${units}, "${filler}")`

/** An object of which each key occurs in no other. */
const own = (keys: number): string => `var o = {}\n${got(keys, 'k')}\nkept.add(o)`
const got = (keys: number, name = 'n'): string =>
  `for j in 0 to ${keys} do\no["${name}" + i + "x" + j] = j\nend`
const lost = (keys: number): string => `for j in 0 to ${keys} do\ndelete o["k" + i + "x" + j]\nend`

export const kindsOfValues: readonly KindOfValue[] = [
  { name: 'small integers', each: 'kept.add(i)', times: 20 },
  { name: 'numbers with fractions', each: 'kept.add(i + 0.5)', times: 5 },
  { name: 'short texts', each: `kept.add(${text(8)})` },
  { name: 'texts of 100', each: `kept.add(${text(100)})` },
  { name: 'texts of 100 with characters beyond U+00FF', each: `kept.add(${text(100, '€')})` },
  { name: 'equal texts of 100', each: 'kept.add(PadRight("a", 100, "x"))' },
  { name: 'equal texts of 10,000', each: 'if i % 10 == 0 then kept.add(PadRight("a", 10000, "€")) end' },
  { name: 'one text of 10,000 in many places', each: 'kept.add(one)', times: 20 },
  {
    name: 'slices of a long text',
    each: 'if i % 20 == 0 then kept.add(Substring(PadRight("a", 10000, "€"), 0, 1251)) end',
  },
  {
    name: 'slices of slices',
    each: 'if i % 20 == 0 then kept.add(Substring(Substring(PadRight("a", 9000, "b"), 1), 8000)) end',
  },
  { name: 'concatenated texts', each: 'kept.add("a" + i + "b" + i + "c" + i + "d" + i + "e" + i)' },
  {
    name: 'parts of a split text',
    each: 'if i % 10 == 0 then kept.add(Split("aaaaaaaaaaaaaaaaaaaa,bbbbbbbbbbbbbbbbbbbb,c", ",")) end',
  },
  {
    name: 'texts narrowed by Replace',
    each: 'if i % 10 == 0 then kept.add(Replace(PadRight("€", 1000, "x"), "€", "")) end',
  },
  { name: 'JSON written', each: 'kept.add(ToJson({"number": i, "name": "abc", "list": [i, i, i]}))' },
  {
    name: 'JSON written of characters beyond U+00FF',
    each: 'if i % 50 == 0 then kept.add(ToJson(PadLeft(ToString(i), 2000, "€"))) end',
  },
  { name: 'empty objects', each: 'kept.add({})' },
  { name: 'empty arrays', each: 'kept.add([])' },
  { name: 'arrays of one number', each: 'kept.add([i])' },
  { name: 'arrays of one added number', each: 'var a = []\na.add(i)\nkept.add(a)' },
  { name: 'arrays of five', each: 'kept.add([i, i, i, i, i])' },
  { name: 'arrays of fractions', each: 'kept.add([i + 0.5, i + 0.25])' },
  { name: 'objects of one fraction', each: 'kept.add({"a": i + 0.5})' },
  { name: 'objects of two numbers', each: 'kept.add({"a": i, "b": i + 0.5})' },
  { name: 'objects whose keys are set', each: 'var o = {}\no.a = i\no.b = i\no.c = i\nkept.add(o)' },
  { name: 'objects with keys of their own', each: 'var o = {}\no["k" + i] = i\nkept.add(o)' },
  {
    name: 'objects with three keys of their own',
    each: 'var o = {}\no["a" + i] = 1\no["b" + i] = 2\no["c" + i] = 3\nkept.add(o)',
  },
  { name: 'objects with 9 keys of their own', each: own(9) },
  { name: 'objects that lost all of their 8 keys', each: `${own(8)}\n${lost(8)}` },
  {
    name: 'objects that lost all of their 60 keys',
    each: `if i % 2 == 0 then\n${own(60)}\n${lost(60)}\nend`,
  },
  {
    name: 'objects that lost 60 keys and got 60 others',
    each: `if i % 2 == 0 then\n${own(60)}\n${lost(60)}\n${got(60)}\nend`,
  },
  { name: 'objects that lost a key', each: 'var o = {"a": i, "b": i}\ndelete o.a\nkept.add(o)' },
  { name: 'literals with a repeated key', each: 'kept.add({"a": i, "a": 2})' },
  {
    name: 'one object with many keys',
    script: 'var o = {}\nfor i in 0 to n do\n o["key" + i] = i\nend\nData.kept = o',
  },
  { name: 'clones', each: 'kept.add(Clone({"a": {"b": i}}))' },
  { name: 'merged objects', each: 'kept.add(Merge([{"a": i}, {"b": i}]))' },
  {
    name: 'groups',
    script:
      'var rows = []\nfor i in 0 to n do\n rows.add({"k": "k" + i})\nend\nData.kept = GroupBy(rows, "k")',
  },
  { name: 'mapped arrays', each: 'kept.add(Map([1, 2, 3], x => x + i))' },
  { name: 'ranges', each: 'if i % 10 == 0 then kept.add(Range(0, 20)) end' },
  { name: 'one large range', script: 'Data.kept = Range(0, 10 * n)' },
  { name: 'one large range of fractions', script: 'Data.kept = Range(0.5, 5 * n)' },
  { name: 'lambdas', each: 'kept.add(x => x)' },
  { name: 'lambdas with a captured variable', each: 'var a = i + 0.5\nkept.add(x => x + a)' },
  {
    name: 'lambdas with five captured variables',
    each: 'var a = i\nvar b = i\nvar c = i\nvar d = i\nvar e = i\nkept.add(x => x + a + b + c + d + e)',
  },
  { name: 'lambdas that capture an array', each: 'var a = [i, i, i]\nkept.add(x => a)' },
  { name: 'diffs', each: 'if i % 5 == 0 then kept.add(Diff({"a": i}, {"a": 0, "b": i})) end' },
  {
    name: 'matches',
    each: 'if i % 5 == 0 then kept.add(RegexMatchDetail("order 12345678901234567890 of " + i, "([0-9]+) of ([0-9]+)")) end',
  },
  { name: 'JSON of objects with one key', json: () => '{"k":1}' },
  { name: 'JSON of objects with keys of their own', json: (i) => `{"k${i}":1}` },
  {
    name: 'JSON of records',
    json: (i) =>
      `{"recordLocator":"AB${i}","amount":${i}.5,"description":"a text of thirty characters ${i}"}`,
  },
  { name: 'JSON of empty arrays', json: () => '[]' },
  { name: 'JSON of empty objects', json: () => '{}' },
  { name: 'JSON of arrays of fractions', json: (i) => `[${i}.5,1.5]` },
  { name: 'JSON of long texts', json: (i) => `"${String(i).padStart(60, 'x')}"` },
  {
    name: 'JSON of objects with a long key of their own',
    json: (i) => `{"${String(i).padStart(70, 'k')}":1}`,
  },
]

/** The script of a kind. */
export const scriptOf = ({ each, script, json }: KindOfValue): string => {
  if (json !== undefined) return 'Data.kept = Data.body'
  if (script !== undefined) return `var n = Data.n\n${script}`
  return `var kept = []\nvar one = PadRight("a", 10000, "b")\nfor i in 0 to Data.n do\n${each}\nend\nData.kept = kept`
}
