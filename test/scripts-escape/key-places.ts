/** Payloads for each hostile key in every place of a key. */
import { hostileKeys, isIdentifier, isName } from './hostile-keys.ts'
import { gives, json, type Payload, quoted } from './payload.ts'

type Place = readonly [what: string, script: (q: string) => string, result: (key: string) => unknown]

/** An object with one key; in a literal `__proto__` would have another meaning. */
const one = (key: string, value: unknown): unknown => Object.fromEntries([[key, value]])

const anyKey: readonly Place[] = [
  ['a literal', (q) => `Data.r = {${q}: 1}`, (k) => one(k, 1)],
  ['a literal twice', (q) => `Data.r = {${q}: 1, b: 2, ${q}: 3}`, (k) => ({ [k]: 3, b: 2 })],
  ['a literal within', (q) => `Data.r = {${q}: {${q}: 1}}`, (k) => one(k, one(k, 1))],
  ['a read', (q) => `Data.r = Data[${q}]`, () => null],
  [
    'a read of any kind',
    (q) => `Data.r = [[1][${q}], "a"[${q}], (5)[${q}], true[${q}], (null)[${q}], (x => x)[${q}], {}[${q}]]`,
    () => [null, null, null, null, null, null, null],
  ],
  ['a chain', (q) => `Data.r = {}[${q}][${q}][${q}]`, () => null],
  ['a write', (q) => `Data.r = {} Data.r[${q}] = 1`, (k) => one(k, 1)],
  [
    'a write of an object',
    (q) => `var o = {} o[${q}] = {p: 1} Data.r = [o, {}, {}.p]`,
    (k) => [one(k, { p: 1 }), {}, null],
  ],
  [
    'a write of itself',
    (q) => `var o = {} o[${q}] = [] o[${q}][0] = o[${q}] is array Data.r = o`,
    (k) => one(k, [true]),
  ],
  ['a write into an array', (q) => `var a = [1] a[${q}] = 2 Data.r = a`, () => [1]],
  ['a sum', (q) => `var o = {${q}: 1} o[${q}] += 2 o[${q}]++ Data.r = o`, (k) => one(k, 4)],
  [
    'delete',
    (q) => `var o = {${q}: 1, b: 2} delete o[${q}] delete o[${q}] Data.r = o`,
    (k) => (k === 'b' ? {} : { b: 2 }),
  ],
  [
    'delete and again',
    (q) => `var o = {} delete o[${q}] o[${q}] = 1 delete o[${q}] o[${q}] = 2 Data.r = o`,
    (k) => one(k, 2),
  ],
  ['foreach', (q) => `Data.r = [] foreach v in {${q}: 7} do Data.r = Append(Data.r, v) end`, () => [7]],
  [
    'foreach over keys',
    (q) => `Data.r = {} foreach k in Keys({${q}: 7}) do Data.r[k] = k end`,
    (k) => one(k, k),
  ],
  ['Keys', (q) => `Data.r = [Keys({${q}: 1}), Keys({})]`, (k) => [[k], []]],
  ['Values', (q) => `Data.r = Values({${q}: 1})`, () => [1]],
  [
    'HasProperty',
    (q) => `Data.r = [HasProperty({}, ${q}), HasProperty({${q}: null}, ${q})]`,
    () => [false, true],
  ],
  ['Length', (q) => `Data.r = Length({${q}: 1})`, () => 1],
  ['Merge', (q) => `Data.r = Merge([{${q}: 1}, {}, 5, {${q}: 2}])`, (k) => one(k, 2)],
  ['Clone', (q) => `Data.r = Clone({${q}: {${q}: 1}})`, (k) => one(k, one(k, 1))],
  [
    'Diff, added',
    (q) => `Data.r = Diff({}, {${q}: 1})`,
    (k) => ({ added: one(k, 1), removed: {}, changed: {} }),
  ],
  [
    'Diff, removed',
    (q) => `Data.r = Diff({${q}: 1}, {})`,
    (k) => ({ added: {}, removed: one(k, 1), changed: {} }),
  ],
  [
    'Diff, changed',
    (q) => `Data.r = Diff({${q}: 1}, {${q}: 2})`,
    (k) => ({ added: {}, removed: {}, changed: one(k, { from: 1, to: 2 }) }),
  ],
  ['Omit', (q) => `Data.r = Omit([{${q}: 1, b: 2}], [${q}])`, () => [{ b: 2 }]],
  ['Omit of nothing', (q) => `Data.r = Omit([{b: 2}], [${q}])`, () => [{ b: 2 }]],
  ['GroupBy by value', (q) => `Data.r = GroupBy([{k: ${q}}], "k")`, (k) => one(k, [{ k }])],
  [
    'equality',
    (q) => `Data.r = [{${q}: 1} == {${q}: 1}, {${q}: 1} == {}, {${q}: 1} == {${q}: 2}]`,
    () => [true, false, false],
  ],
  [
    'equality of texts',
    (q) => `Data.r = [${q} == ${q}, ${q} + "" == ${q}, ${q} != ${q}]`,
    () => [true, true, false],
  ],
  ['switch', (q) => `switch ${q} do case "x y z", ${q} then Data.r = 1 default then Data.r = 2 end`, () => 1],
  ['ToString', (q) => `Data.r = ToString({${q}: ${q}})`, (k) => `{${k}: ${k}}`],
  ['JSON and back', (q) => `Data.r = FromJson(ToJson({${q}: ${q}}))`, (k) => one(k, k)],
  [
    'ValidateRequired',
    (q) => `Data.r = ValidateRequired({}, [${q}])`,
    (k) => ({ valid: false, errors: [`Missing required field: ${k}`] }),
  ],
  ['ValidateSchema: required', (q) => `Data.r = Length(ValidateSchema({}, {required: [${q}]}))`, () => 1],
  [
    'ValidateSchema: properties',
    (q) => `Data.r = Length(ValidateSchema({${q}: 1}, {properties: {${q}: {type: "string"}}}))`,
    () => 1,
  ],
  [
    'ValidateSchema: no property',
    (q) =>
      `Data.r = ValidateSchema({}, {properties: {${q}: {type: "string"}}, dependentRequired: {${q}: ["a"]}})`,
    () => [],
  ],
  [
    'ValidateSchema: const',
    (q) =>
      `Data.r = [ValidateSchema({${q}: 1}, {const: {${q}: 1}}), Length(ValidateSchema({}, {enum: [{${q}: 1}, ${q}]}))]`,
    () => [[], 1],
  ],
  ['ValidateSchema: type', (q) => `Data.r = 1 ValidateSchema({}, {type: ${q}})`, () => 1],
  ['ValidateSchema: $ref', (q) => `Data.r = 1 ValidateSchema({}, {"$ref": "#/" + ${q}})`, () => 1],
  [
    'ValidateSchema: $schema',
    (q) => `Data.r = 1 ValidateSchema({}, {"$schema": ${q}, "$id": ${q}, "$anchor": ${q}})`,
    () => 1,
  ],
  ['Replace', (q) => `Data.r = Replace("x", "x", ${q})`, (k) => k],
  ['Join', (q) => `Data.r = Join([${q}, ${q}], ", ")`, (k) => `${k}, ${k}`],
  ['Distinct', (q) => `Data.r = Distinct([${q}, ${q}, {${q}: 1}, {${q}: 1}])`, (k) => [k, one(k, 1)]],
  ['IndexOf', (q) => `Data.r = IndexOf([1, {${q}: 1}, ${q}], ${q})`, () => 2],
  ['Map', (q) => `Data.r = Map([{${q}: 3}], x => x[${q}])`, () => [3]],
  [
    'Reduce',
    (q) => `Data.r = Reduce([${q}], (o, k) => Merge([o, FromJson("{" + ToJson(k) + ":1}")]), {})`,
    (k) => one(k, 1),
  ],
  ['a unit of date', (q) => `Data.r = 1 Data.x = DateAdd("2024-01-01", 1, ${q})`, () => 1],
  ['a difference of dates', (q) => `Data.r = 1 Data.x = DateDiff("2024-01-01", "2024-01-01", ${q})`, () => 1],
  ['a part of a date', (q) => `Data.r = 1 Data.x = DatePart("2024-01-01", ${q})`, () => 1],
  ['a date', (q) => `Data.r = 1 Data.x = ParseDate(${q})`, () => 1],
  ['a way of rounding', (q) => `Data.r = 1 Data.x = Round(1.5, 0, ${q})`, () => 1],
  ['an operator', (q) => `Data.r = 1 Data.x = AnyByField([{a: 1}], "a", ${q}, 1)`, () => 1],
  ['a pattern', (q) => `Data.r = 1 var p = ${q} RegexMatchDetail(p, p)`, () => 1],
  ['base 64', (q) => `Data.r = 1 Base64Decode(${q})`, () => 1],
  ['base 64 and back', (q) => `Data.r = Base64Decode(Base64Encode(${q}))`, (k) => Buffer.from(k).toString()],
]

/** Problems for unknown names, instead of a result. */
const refusals: ReadonlyMap<string, `JM${number}`> = new Map([
  ['a unit of date', 'JM5804'],
  ['a difference of dates', 'JM5804'],
  ['a part of a date', 'JM5805'],
  ['a date', 'JM5800'],
  ['a way of rounding', 'JM5909'],
  ['an operator', 'JM5906'],
])

/** Places where both a problem and a result are allowed. */
const open = new Set([
  'a pattern',
  'base 64',
  'ValidateSchema: type',
  'ValidateSchema: $ref',
  'ValidateSchema: $schema',
])

/** Dots separate the segments of paths, so these keys have none. */
const inPaths: readonly Place[] = [
  ['Project', (q) => `Data.r = Project([{${q}: 1, b: 2}, {}], [${q}])`, (k) => [one(k, 1), one(k, null)]],
  ['Project of a path', (q) => `Data.r = Project([{a: {${q}: 1}}], ["a." + ${q}])`, (k) => [one(k, 1)]],
  [
    'Select',
    (q) => `Data.r = Select([{${q}: 1}, {}, [], "a", 5, null, x => x], ${q})`,
    () => [1, null, null, null, null, null, null],
  ],
  ['Select of a path', (q) => `Data.r = Select([{a: {${q}: 1}}, {}], ${q} + "." + ${q})`, () => [null, null]],
  ['SelectMany', (q) => `Data.r = SelectMany([{${q}: [1]}, {}, []], ${q})`, () => [1]],
  [
    'SortByField',
    (q) => `Data.r = SortByField([{${q}: 2}, {${q}: 1}], ${q}, ${q})`,
    (k) => [one(k, 1), one(k, 2)],
  ],
  ['GroupBy', (q) => `Data.r = Keys(GroupBy([{${q}: "x"}, {}], ${q}))`, () => ['x', 'null']],
  ['WhereByField', (q) => `Data.r = WhereByField([{${q}: 1}, {}], ${q}, "==", 1)`, (k) => [one(k, 1)]],
  ['FindByField', (q) => `Data.r = FindByField([{}, [], "a"], ${q}, "!=", 1)`, () => ({})],
  ['CountIf', (q) => `Data.r = CountIf([{}, {${q}: 5}], ${q}, ">", 1)`, () => 1],
  ['AllByField', (q) => `Data.r = AllByField([{${q}: 1}], ${q}, "==", 1)`, () => true],
]

const asName: readonly Place[] = [
  ['a name in a literal', (n) => `Data.r = {${n}: 1}`, (k) => one(k, 1)],
  ['a name that is read', (n) => `Data.r = Data.${n}`, () => null],
  [
    'a name of any kind',
    (n) => `Data.r = [[1].${n}, "a".${n}, (5).${n}, (x => x).${n}, (null).${n}]`,
    () => [null, null, null, null, null],
  ],
  ['a chain of names', (n) => `Data.r = "".${n}.${n}.${n}`, () => null],
  [
    'a name that is written',
    (n) => `Data.r = {} Data.r.${n} = {} Data.r.${n}.${n} = 1`,
    (k) => one(k, one(k, 1)),
  ],
  ['a name that is added to', (n) => `Data.r = {${n}: 1} Data.r.${n} += 1 Data.r.${n}--`, (k) => one(k, 1)],
  ['a name that is deleted', (n) => `Data.r = {${n}: 1} delete Data.r.${n}`, () => ({})],
  [
    'a name of a group',
    (n) => `Data.r = RegexMatchDetail("ab", "(?<${n}>a)(b)")`,
    () => ({ match: 'ab', index: 0, groups: ['b', 'a'] }),
  ],
]

const asIdentifier: readonly Place[] = [
  ['a variable', (n) => `var ${n} = 1 ${n} += 1 ${n}++ Data.r = ${n}`, () => 3],
  [
    'a loop',
    (n) => `for ${n} in 0 to 3 do Data.r = ${n} end foreach ${n} in [9] do Data.r += ${n} end`,
    () => 11,
  ],
  ['a function', (n) => `func ${n}(${n}, b = 2) return [${n}, b] end Data.r = ${n}(${n}: 5)`, () => [5, 2]],
  ['a lambda', (n) => `var f = ${n} => [${n}] Data.r = Map([1], f)`, () => [[1]]],
  ['a captured one', (n) => `var ${n} = 1 var f = x => ${n}++ Each([1, 2], f) Data.r = ${n}`, () => 3],
  [
    'a variant',
    (n) => `union ${n} ${n}(${n}) end Data.r = match ${n}(${n}: 7) do case ${n}(${n}) then ${n} end`,
    () => 7,
  ],
  ['a made variant', (n) => `union U ${n}(a) end Data.r = ${n}(7)`, (k) => ({ _variant: k, a: 7 })],
  ['a field', (n) => `union U A(${n}) end Data.r = A(7)`, (k) => ({ _variant: 'A', [k]: 7 })],
  [
    'a match of data',
    (n) =>
      `union U ${n}(a) end var o = {_variant: "${n}"} Data.r = [match {} do case ${n}(a) then 1 end, match o do case ${n}(a) then a is null end]`,
    () => [null, true],
  ],
]

const payloadsOf = (
  places: readonly Place[],
  keys: readonly string[],
  write: (key: string) => string,
): readonly Payload[] =>
  places.flatMap(([what, script, result]) =>
    keys.map((key): Payload => {
      const name = `${what}: ${json(key).slice(0, 60)}`
      const problem = refusals.get(what)
      if (problem !== undefined) return { name, script: script(write(key)), problem, output: '{"r":1}' }
      if (open.has(what)) return { name, script: script(write(key)), output: '{"r":1}' }
      return gives(name, script(write(key)), result(key))
    }),
  )

const paths = hostileKeys.filter((key) => !key.includes('.'))

export const keyPayloads: readonly Payload[] = [
  ...payloadsOf(anyKey, hostileKeys, quoted),
  ...payloadsOf(inPaths, paths, quoted),
  ...payloadsOf(
    asName,
    hostileKeys.filter((key) => isName(key) && key.length < 1000),
    (name) => name,
  ),
  ...payloadsOf(asIdentifier, hostileKeys.filter(isIdentifier), (name) => name),
  ...hostileKeys.map((key): Payload => {
    const text = `{${json(key)}:{${json(key)}:[1,{${json(key)}:null}]}}`
    return { name: `input: ${json(key).slice(0, 60)}`, script: '', input: text, output: text, problem: null }
  }),
  ...hostileKeys.map(
    (key): Payload => ({
      name: `exit: ${json(key).slice(0, 60)}`,
      script: `exit ${quoted(key)}`,
      message: key,
      output: '{}',
    }),
  ),
  ...hostileKeys.map(
    (key): Payload => ({
      name: `fail: ${json(key).slice(0, 60)}`,
      script: `fail {m: ${quoted(key)}}`,
      message: `{m: ${key}}`,
      problem: 'JM5004',
    }),
  ),
]
