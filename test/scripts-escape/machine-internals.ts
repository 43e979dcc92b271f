/** Objects that look like parts of the machine, and functions in unexpected places. */
import { gives, type Payload } from './payload.ts'

export const internalPayloads: readonly Payload[] = [
  gives(
    'an object like a frame',
    'Data.r = {code: {instructions: [50]}, pc: 0, base: 0, captured: [{value: 1}], steps: {next: 1}}',
    {
      code: { instructions: [50] },
      pc: 0,
      base: 0,
      captured: [{ value: 1 }],
      steps: { next: 1 },
    },
  ),
  ...[
    '{code: {parameterCount: 0}, captured: []}',
    '{waits: x => x}',
    '{steps: x => x}',
    '{body: 1}',
    '[x => x]',
    '"x => x"',
    'null',
    '5',
    '{parameterCount: 1}',
    '{_variant: "Lambda"}',
  ].flatMap((value) =>
    [
      'Map([1], V)',
      'Where([1], V)',
      'Each([], V)',
      'Reduce([1], V, 0)',
      'SortBy([2, 1], V)',
      'Find([], V)',
      'All([1], V)',
      'Any([1], V)',
    ].map(
      (call): Payload => ({
        name: `${call} of ${value}`,
        script: `var v = ${value} Data.r = ${call.replace('V', 'v')}`,
        problem: 'JM5105',
      }),
    ),
  ),
  gives('a function in data is a text outside', 'Data.r = {f: x => x, g: [(a, b) => a]}', {
    f: '<function>',
    g: ['<function>'],
  }),
  gives('a function in data can be handed on', 'var o = {f: x => x + 1} Data.r = Map([1], o.f)', [2]),
  gives(
    'a function has no members',
    'var f = x => x Data.r = [f.code, f["captured"], f.length, f[0], TypeOf(f), ToString(f), ToJson(f)]',
    [null, null, null, null, 'unknown', '<function>', '"\\u003Cfunction\\u003E"'],
  ),
  { name: 'a function cannot be written to', script: 'var f = x => x f.code = 1', problem: 'JM5306' },
  { name: 'a function cannot be indexed', script: 'var f = x => x f["code"] = 1', problem: 'JM5307' },
  { name: 'a function cannot be deleted from', script: 'var f = x => x delete f.code', problem: 'JM5306' },
  { name: 'a text cannot be written to', script: 'var s = "abc" s[0] = "x"', problem: 'JM5307' },
  { name: 'the length cannot be written', script: 'var a = [1] a.length = 100000000', problem: 'JM5306' },
  {
    name: 'a function equals itself only',
    script: 'var f = x => x var g = x => x Data.r = [f == f, f == g, IndexOf([f], f)]',
    output: '{"r":[true,false,-1]}',
  },
  gives('an answer like an iteration', 'Data.r = Map([1], x => {done: true, value: 9})', [
    { done: true, value: 9 },
  ]),
  gives('a thenable', 'Data.r = Map([1], x => {then: (a, b) => a})', [
    Object.fromEntries([['then', '<function>']]),
  ]),
  gives(
    'a thenable as the result',
    'Data.r = 1 var t = {then: x => x} Sleep(0) Data.r = t.then is null',
    false,
  ),
  {
    name: 'a thenable as Data',
    script: 'Data.then = (a, b) => a',
    output: '{"then":"<function>"}',
    problem: null,
  },
  {
    name: 'toJSON as Data',
    script: 'Data.toJSON = x => 1',
    output: '{"toJSON":"<function>"}',
    problem: null,
  },
  gives(
    'a lambda that calls itself through data',
    'var o = {n: 0} var f = x => o.n++ o.f = f Each([1, 2, 3], o.f) Data.r = o.n',
    3,
  ),
  {
    name: 'a lambda without end',
    script: 'var o = {} o.f = x => Map([1], o.f) Map([1], o.f)',
    problem: 'JM5902',
  },
  {
    name: 'lambdas in each other',
    script: 'var o = {} o.f = x => SortBy([1, 2], o.f) Data.r = Map([1], o.f)',
    problem: 'JM5002',
  },
]
