/** Random programs for tests, which mostly run: loops, lambdas, recursion, unions, and changes of variables between uses. */
import { randomNumbers } from './arbitrary-script.ts'

/** The visible variables of a script, by the kind of their values. */
type Scope = {
  readonly numbers: string[]
  readonly lists: string[]
  readonly objects: string[]
  /** Functions that may be called. */
  readonly calls: readonly string[]
  readonly isLoop: boolean
}

/** The program of a seed: statements whose types mostly fit, and a few that fail. */
export function randomProgram(seed: number): string {
  const random = randomNumbers(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T
  let names = 0
  const fresh = (): string => `v${names++}`
  const inner = (scope: Scope, isLoop = scope.isLoop): Scope => ({
    numbers: [...scope.numbers],
    lists: [...scope.lists],
    objects: [...scope.objects],
    calls: scope.calls,
    isLoop,
  })
  const lambda = (
    scope: Scope,
    depth: number,
    parameters: number,
    body: (scope: Scope, depth: number) => string,
  ) => {
    const own = Array.from({ length: parameters }, fresh)
    const inside = inner(scope)
    inside.numbers.push(...own)
    return `(${own.join(', ')}) => ${body(inside, depth)}`
  }

  function number(scope: Scope, depth: number): string {
    if (random() < 0.01) return pick(['null', '"t"', '[]', '{}', 'true'])
    if (depth <= 0) return scope.numbers.length > 0 && random() < 0.7 ? pick(scope.numbers) : String(below(5))
    const n = (): string => number(scope, depth - 1)
    const l = (): string => list(scope, depth - 1)
    const variable = scope.numbers.length > 0 ? pick(scope.numbers) : null
    const of = (parameters: number): string => lambda(scope, depth - 1, parameters, number)
    const ways: readonly (() => string)[] = [
      () => n(),
      () => `(${n()} ${pick(['+', '-', '*', '+', '-'])} ${n()})`,
      () => `(${n()} % ${1 + below(7)})`,
      () => `(${n()} / ${1 + below(3)})`,
      () => `(${truth(scope, depth - 1)} ? ${n()} : ${n()})`,
      () => `(${n()} ${pick(['and', 'or', '??'])} ${n()})`,
      () =>
        variable === null ? n() : pick([`${variable}++`, `++${variable}`, `${variable}--`, `--${variable}`]),
      () => `(${l()}[${n()} % 5] or ${n()})`,
      () => `Length(${l()})`,
      () => `Sum(${l()})`,
      () => `Reduce(${l()}, ${of(2)}, ${n()})`,
      () => `(Find(${l()}, ${lambda(scope, depth - 1, 1, truth)}) or ${n()})`,
      () => `(${object(scope, depth - 1)}.${pick(['a', 'b', 'length'])} or ${n()})`,
      () => `Ask(${n()})`,
      () => (scope.calls.length > 0 ? `${pick(scope.calls)}(${n()}, ${l()})` : n()),
      () => (scope.calls.length > 0 ? `f(b: ${l()}, a: ${n()})` : n()),
      () => {
        const [one, two, three] = [fresh(), fresh(), fresh()]
        const first = inner(scope)
        const second = inner(scope)
        first.numbers.push(one)
        second.numbers.push(two, three)
        const arms = `case A(${one}) then ${number(first, depth - 1)} case B(${two}, ${three}) then ${number(second, depth - 1)}`
        return `((match ${object(scope, depth - 1)} do ${arms} end) or ${n()})`
      },
    ]
    return pick(ways)()
  }

  function truth(scope: Scope, depth: number): string {
    const n = (): string => number(scope, depth - 1)
    return pick(
      [
        () => `${n()} ${pick(['<', '<=', '>', '>=', '==', '!='])} ${n()}`,
        () => `not (${truth(scope, depth - 1)})`,
        () => `(${truth(scope, depth - 1)} ${pick(['and', 'or'])} ${n()})`,
        () => `${list(scope, depth - 1)} == ${list(scope, depth - 1)}`,
        () => `${n()} is ${pick(['number', 'string', 'null'])}`,
        () =>
          `${pick(['Any', 'All'])}(${list(scope, depth - 1)}, ${lambda(scope, depth - 1, 1, depth > 0 ? truth : number)})`,
      ].slice(0, depth > 0 ? 6 : 1),
    )()
  }

  function list(scope: Scope, depth: number): string {
    if (depth <= 0)
      return scope.lists.length > 0 && random() < 0.8 ? pick(scope.lists) : `[${below(5)}, ${below(5)}]`
    const l = (): string => list(scope, depth - 1)
    return pick([
      l,
      () => `[${number(scope, depth - 1)}, ${number(scope, depth - 1)}, ${number(scope, depth - 1)}]`,
      () => `${pick(['Map', 'SortBy', 'Map'])}(${l()}, ${lambda(scope, depth - 1, 1, number)})`,
      () => `Where(${l()}, ${lambda(scope, depth - 1, 1, truth)})`,
      () => `(${l()} + ${l()})`,
      () => `${l()}.add(${number(scope, depth - 1)})`,
      () => `Range(${below(3)}, ${below(6)})`,
      () => `Slice(${l()}, 0, 4)`,
      () => `Sort(${l()})`,
    ])()
  }

  function object(scope: Scope, depth: number): string {
    if (scope.objects.length > 0 && random() < 0.5) return pick(scope.objects)
    const n = (): string => number(scope, depth - 1)
    return pick([
      () => `{a: ${n()}, b: ${n()}}`,
      () => `A(${n()})`,
      () => `B(${n()}, ${n()})`,
      () => `{b: ${n()}}`,
    ])()
  }

  function block(scope: Scope, depth: number, isLoop = scope.isLoop): string {
    const inside = inner(scope, isLoop)
    return Array.from({ length: 1 + below(4) }, () => statement(inside, depth)).join('\n')
  }

  function statement(scope: Scope, depth: number): string {
    const n = (): string => number(scope, 3)
    // A statement that begins with '(' would continue the one before.
    const bare = (): string => `Sum([${n()}])`
    const place = (): string => {
      const kind = below(3)
      if (kind === 0 && scope.lists.length > 0) return `${pick(scope.lists)}[${number(scope, 1)} % 4]`
      if (kind === 1 && scope.objects.length > 0) return `${pick(scope.objects)}.${pick(['a', 'b', 'c'])}`
      return scope.numbers.length > 0 ? pick(scope.numbers) : fresh()
    }
    const declare = (into: string[], value: string, hint = ''): string => {
      const name = fresh()
      into.push(name)
      return `var ${name}${hint} = ${value}`
    }
    const simple: readonly (() => string)[] = [
      () => declare(scope.numbers, n(), pick(['', '', ': number'])),
      () => declare(scope.lists, list(scope, 3)),
      () => declare(scope.objects, object(scope, 3)),
      () =>
        scope.numbers.length > 0 ? `${pick(scope.numbers)} ${pick(['=', '+=', '-=', '='])} ${n()}` : bare(),
      () =>
        scope.numbers.length + scope.lists.length > 0
          ? `${place().replace(/^v\d+$/, () => (scope.numbers.length > 0 ? pick(scope.numbers) : pick(scope.lists)))} = ${n()}`
          : bare(),
      () =>
        scope.lists.length > 0 ? `${pick(scope.lists)}[${n()} % 3] ${pick(['+=', '-='])} ${n()}` : bare(),
      () => (scope.objects.length > 0 ? `delete ${pick(scope.objects)}.${pick(['a', 'b', 'c'])}` : bare()),
      () => `Each(${list(scope, 2)}, ${lambda(scope, 3, 1, number)})`,
      () => (scope.isLoop ? `if ${truth(scope, 1)} then ${pick(['break', 'continue'])} end` : bare()),
      () => (random() < 0.1 ? `if ${truth(scope, 1)} then ${pick(['exit', 'fail'])} ${n()} end` : bare()),
    ]
    if (depth <= 0 || random() < 0.6) return `\n${pick(simple)()}`
    const body = (isLoop = scope.isLoop): string => block(scope, depth - 1, isLoop)
    const looping = (name: string): string => {
      const inside = inner(scope, true)
      inside.numbers.push(name)
      return block(inside, depth - 1)
    }
    const name = fresh()
    return `\n${pick([
      () =>
        `if ${truth(scope, 2)} then ${body()} elseif ${truth(scope, 1)} then ${body()} else ${body()} end`,
      () => `while ${truth(scope, 2)} do ${body(true)} end`,
      () => `for ${name} in ${n()} ${pick(['to', 'to', 'downto'])} ${below(8)} do ${looping(name)} end`,
      () => `foreach ${name} in ${list(scope, 2)} do ${looping(name)} end`,
      () => `switch ${n()} do case ${n()}, ${n()} then ${body()} default then ${body()} end`,
      () =>
        `match ${object(scope, 2)} do case A(${name}) then ${body()} case B(${name}, ${fresh()}) then ${body()} end`,
    ])()}`
  }

  const script = (): string => {
    const calls: string[] = []
    const functions = ['f', 'g'].map((name) => {
      const own = (): Scope => ({
        numbers: ['a'],
        lists: ['b'],
        objects: [],
        calls: [...calls],
        isLoop: false,
      })
      const body = `${block(own(), 1)}\nreturn ${number(own(), 2)}`
      calls.push(name)
      const again = `if a > 5 then return ${name}(a / 2, b) + 1 end`
      return `func ${name}(a: number, b = null) b = b ?? [1]\n${again}\n${body} end`
    })
    const scope: Scope = { numbers: [], lists: [], objects: [], calls, isLoop: false }
    const start = ['var n = 1 var m = 2 var l = [3, 1, 2] var o = {a: 1, b: 2}']
    scope.numbers.push('n', 'm')
    scope.lists.push('l')
    scope.objects.push('o')
    const statements = Array.from(
      { length: 3 + below(6) },
      () => `${statement(scope, 2)}\nData.n = n Data.l = l Data.o = o`,
    )
    return ['union U A(a) B(a, b) end', ...functions, ...start, ...statements].join('\n')
  }
  return script()
}
