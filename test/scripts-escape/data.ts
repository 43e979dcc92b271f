/** Data and schemas that are deep, wide or contain themselves. */
import { ends, gives, type Payload } from './payload.ts'

const service = (payload: Payload): Payload => ({ ...payload, dialect: 'service' })

export const dataPayloads: readonly Payload[] = [
  ...[
    'ToJson(d)',
    'ToString(d)',
    'Clone(d)',
    'd == d2',
    '"" + d',
    'Join([d], "")',
    'Flatten(d)',
    'Distinct([d, d2])',
    'Contains([d], d2)',
    'Diff({a: d}, {a: d2})',
    'ToUpper(d)',
    'GroupBy([{a: d}], "a")',
    'ValidateSchema(d, {})',
    'ValidateSchema(d, {const: 1})',
    'ValidateSchema([d, d2], {uniqueItems: true})',
    'ValidateSchema(d, {"$ref": "#", items: {"$ref": "#"}})',
    'Sort([d, d2])',
    'exit d',
    'fail d',
    'Data.deep = d',
    'foreach v in d do end',
  ].flatMap((use) =>
    [
      'var d = [] var d2 = [] for i in 0 to 5000 do d = [d] d2 = [d2] end',
      'var d = {} var d2 = {} for i in 0 to 5000 do d = {a: d} d2 = {a: d2} end',
      'var d = [] d[0] = d var d2 = [] d2[0] = d2',
      'var d = {} d.d = d var d2 = {} d2.d = d2',
      'var d = [] var d2 = [d] d[0] = d2',
    ].map((made) =>
      ends(
        `${use} after ${made}`,
        `${made} ${/^(exit|fail|Data|foreach)/.test(use) ? use : `Data.r = ${use}`}`,
      ),
    ),
  ),
  { name: 'Data that contains itself', script: 'Data.self = Data', problem: 'JM5002', output: '' },
  {
    name: 'Data within a list in itself',
    script: 'Data.a = [1] Data.a[1] = Data',
    problem: 'JM5002',
    output: '',
  },
  gives('a schema within itself', 'var s = {type: "object"} s.properties = {a: s} Data.r = 1', 1),
  ends(
    'a used schema that contains itself',
    'var s = {type: "object"} s.properties = {a: s} Data.r = ValidateSchema({a: {a: {}}}, s)',
  ),
  ends('a schema that refers to itself', 'Data.r = ValidateSchema({a: 1}, {"$ref": "#"})'),
  ends(
    'a schema in a circle',
    'Data.r = ValidateSchema({a: 1}, {"$defs": {a: {"$ref": "#/$defs/b"}, b: {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"})',
  ),
  ends('a schema from elsewhere', 'Data.r = ValidateSchema({}, {"$ref": "file:///etc/passwd"})'),
  ends('a schema from the network', 'Data.r = ValidateSchema({}, {"$ref": "http://127.0.0.1/"})'),
  ends('a schema of prototypes', 'Data.r = ValidateSchema({}, {"$ref": "#/__proto__/constructor"})'),
  ends('a pattern of a schema', 'Data.r = ValidateSchema(PadLeft("b", 5000, "a"), {pattern: "^(a+)+$"})'),
  ends(
    'wide',
    'for i in 0 to 100000 do Data["k" + i] = i end delete Data.k5 Data.k100001 = 1 Data.r = Length(Data)',
  ),
  gives('an array far away', 'var a = [] a[70000] = 1 Data.r = [Length(a), a[69999], a[70000], a[70001]]', [
    70001,
    null,
    1,
    null,
  ]),
  gives('an index like a key', 'var o = {"0": "a"} Data.r = [o[0], o["0"], ["a"]["0"], "a"["0"]]', [
    null,
    'a',
    null,
    null,
  ]),
  gives(
    'order of keys like numbers',
    'Data.r = {"2": 1, "1": 2, b: 3, "-1": 4, a: 5} Data.r = Keys(Data.r)',
    ['2', '1', 'b', '-1', 'a'],
  ),
  service(
    gives('a length of its own', 'Data.r = [{length: "mine"}.length, [].length, "ab".length, (5).length]', [
      'mine',
      0,
      2,
      null,
    ]),
  ),
  service(
    gives(
      'properties are never called',
      'var o = {length: x => 1, add: x => 2} Data.r = [o.length(), [].add(o.add).length]',
      [2, 1],
    ),
  ),
  service({
    name: 'add to a value that is not an array',
    script: 'var o = {add: x => 1} o.add(1)',
    problem: 'JM5104',
  }),
]
