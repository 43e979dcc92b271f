/** Compiles calls: functions of the script, constructors of variants, native functions, and `.add`. */
import type { CallTarget } from '../check/checked-script.ts'
import type { Expression } from '../syntax/ast.ts'
import type { Code } from './code.ts'
import { type Compilation, Label, type Register, type Unit } from './unit.ts'

/** Evaluating it neither fails nor calls anything, so it makes no difference whether the call has begun before. */
export const isSimple = (expression: Expression | null): boolean =>
  expression === null ||
  expression.kind === 'literal' ||
  expression.kind === 'identifier' ||
  expression.kind === 'lambda' ||
  (expression.kind === 'property' && isSimple(expression.object))

type Emitted = {
  /** The offset of the called name, and the arguments. */
  readonly at: number
  readonly args: readonly (Expression | null)[]
  readonly target: Register
  readonly first: Register
  readonly count: number
  readonly enters: 0 | 1
}

export function emitCall(compilation: Compilation, unit: Unit, called: CallTarget, emitted: Emitted): void {
  const { at, args, target, first, count, enters } = emitted
  const site = (given: readonly (Expression | null)[]) =>
    unit.site(at, ...given.flatMap((arg, i) => (arg === null ? [] : [[first + i, arg] as const])))
  switch (called.kind) {
    case 'user': {
      const code = compilation.functions.get(called.declaration) as Code
      site(args)
      unit.emit('CALL', target, unit.code(code), first, count, enters)
      return
    }
    case 'native':
      site(args)
      unit.emit('CALL_NATIVE', target, unit.native(called.native), first, count, enters)
      return
    case 'variant': {
      const { name, fields } = called.variant
      const template = unit.template(
        fields.map((field) => field.name.text),
        name.text,
      )
      unit.emit('CONSTRUCT', target, template, first, enters)
      return
    }
    case 'add': {
      const end = new Label()
      unit.emit('APPEND', target, first, enters, end)
      if (called.otherwise !== null) emitCall(compilation, unit, called.otherwise, { ...emitted, enters: 0 })
      else {
        site(args.slice(0, 1))
        unit.emit('NO_ARRAY', first)
      }
      unit.place(end)
      return
    }
  }
}
