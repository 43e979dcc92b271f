/** Compiles the arms of `match`, for statements and for expressions. */
import type { MatchArm } from '../syntax/ast.ts'
import { type Compilation, Label, type Register, type Unit } from './unit.ts'
import { beginVariable } from './variables.ts'

/** Each arm ends with a jump to `end`; a value without an arm continues behind the last one. */
export function bindVariants<Arm extends MatchArm>(
  compilation: Compilation,
  unit: Unit,
  value: Register,
  arms: readonly Arm[],
  end: Label,
  compileArm: (arm: Arm) => void,
): void {
  const tag = unit.take()
  unit.emit('TAG', tag, value)
  for (const arm of arms) {
    const taken = unit.taken
    const next = new Label()
    unit.emit('JUMP_UNLESS_TAG', tag, unit.constant(arm.variant.text), next)
    for (const [place, binding] of arm.bindings.entries()) {
      const variable = compilation.resolution.declared.get(binding)!
      const register = unit.take()
      unit.bind(variable, register)
      // Bound by position; the checker has compared the counts.
      const field = compilation.variants.get(arm.variant.text)?.fields[place]?.name.text ?? ''
      unit.emit('GET_PROPERTY', register, value, unit.constant(field), unit.cache())
      beginVariable(unit, variable)
    }
    compileArm(arm)
    unit.emit('JUMP', end)
    unit.place(next)
    unit.release(taken)
  }
}
