/** Variables of a unit: in registers, or in cells if a lambda captures them. */
import { type Identifier, type TypeName, typeNames } from '../syntax/ast.ts'
import type { Variable } from './resolve.ts'
import type { Compilation, Register, Unit } from './unit.ts'

export const typeNumber = (type: TypeName): number => typeNames.indexOf(type)

/** Begins a variable whose first value is in its register. */
export function beginVariable(unit: Unit, variable: Variable): void {
  if (variable.captured) unit.emit('CELL', unit.registerOf(variable))
}

/** Whether the variable belongs to this unit and is not a cell: its register can be used directly. */
export const isPlain = (unit: Unit, variable: Variable): boolean =>
  variable.owner === unit.owner && !variable.captured

export function readVariable(unit: Unit, variable: Variable, target: Register): void {
  if (variable.owner !== unit.owner) unit.emit('GET_CAPTURED', target, unit.captureOf(variable))
  else if (variable.captured) unit.emit('GET_CELL', target, unit.registerOf(variable))
  else unit.emit('MOVE', target, unit.registerOf(variable))
}

export function writeVariable(unit: Unit, variable: Variable, value: Register): void {
  if (variable.owner !== unit.owner) unit.emit('SET_CAPTURED', unit.captureOf(variable), value)
  else if (variable.captured) unit.emit('SET_CELL', unit.registerOf(variable), value)
  else if (unit.registerOf(variable) !== value) unit.emit('MOVE', unit.registerOf(variable), value)
}

/** Assigns the value of a register, converted to the variable's hint if it has one. */
export function assignVariable(
  { resolution }: Compilation,
  unit: Unit,
  target: Identifier,
  value: Register,
): void {
  const variable = resolution.used.get(target)!
  const hint = resolution.hints.get(target)
  if (hint === undefined) {
    writeVariable(unit, variable, value)
    return
  }
  const converted = unit.take()
  unit.site(target.span.start)
  unit.emit('COERCE', converted, value, typeNumber(hint), unit.constant(target.name))
  writeVariable(unit, variable, converted)
}
