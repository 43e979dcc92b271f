/**
 * The instructions of the machine. In a program each is its number followed by its operands, all 32-bit integers. The number
 * is the place in this list; the test beside this file writes the numbers into the switch of `run/machine.ts`.
 */

export type InstructionName = keyof typeof instructions

/**
 * By name, one letter for each operand: `r` a register of the frame, `n` a number, `k` a place in the constants, `t` the
 * place of an instruction.
 */
export const instructions = {
  /** A statement begins. */
  STEP: '',
  /** A round of a loop begins. */
  ROUND: '',
  MOVE: 'rr',
  DATA: 'r',
  ADD: 'rrr',
  SUBTRACT: 'rrr',
  MULTIPLY: 'rrr',
  DIVIDE: 'rrr',
  MODULO: 'rrr',
  EQUAL: 'rrr',
  UNEQUAL: 'rrr',
  LESS: 'rrr',
  LESS_OR_EQUAL: 'rrr',
  GREATER: 'rrr',
  GREATER_OR_EQUAL: 'rrr',
  NEGATE: 'rr',
  NOT: 'rr',
  COALESCE: 'rrr',
  /** Operands: target, value, type, 1 when negated. */
  IS: 'rrnn',
  JUMP: 't',
  JUMP_UNLESS: 'rt',
  JUMP_IF: 'rt',
  JUMP_UNLESS_EQUAL: 'rrt',
  JUMP_UNLESS_UNEQUAL: 'rrt',
  JUMP_UNLESS_LESS: 'rrt',
  JUMP_UNLESS_LESS_OR_EQUAL: 'rrt',
  JUMP_UNLESS_GREATER: 'rrt',
  JUMP_UNLESS_GREATER_OR_EQUAL: 'rrt',
  /** Equality as in `switch`: lambdas are never equal. */
  JUMP_UNLESS_CASE: 'rrt',
  /** Operands: target, object, name, place of the inline cache. */
  GET_PROPERTY: 'rrkn',
  /** Operands: object, name, value, place of the inline cache. */
  SET_PROPERTY: 'rkrn',
  GET_INDEX: 'rrr',
  /** Operands: container, index, value. */
  SET_INDEX: 'rrr',
  DELETE_PROPERTY: 'rk',
  DELETE_INDEX: 'rr',
  /** `.length` of the service dialect. Operands: target, value. */
  LENGTH: 'rr',
  /** Operands: target, first of the registers with the elements, how many. */
  ARRAY: 'rnn',
  /** Operands: target, template, first of the registers with the values. */
  OBJECT: 'rnn',
  /** Puts the register's value into a cell, because a lambda captures the variable. */
  CELL: 'r',
  GET_CELL: 'rr',
  SET_CELL: 'rr',
  /** Operands: target, place in the captured cells. */
  GET_CAPTURED: 'rn',
  SET_CAPTURED: 'nr',
  /** Operands: target, place of its code. */
  LAMBDA: 'rn',
  /** A call begins before its arguments are evaluated. */
  ENTER: '',
  /** Operands: target, place of the code, first of the argument registers, how many, 1 when no ENTER came before. */
  CALL: 'rnnnn',
  /** The same operands as CALL. */
  CALL_NATIVE: 'rnnnn',
  /** Operands: target, template, first of the argument registers, 1 when no ENTER came before. */
  CONSTRUCT: 'rnnn',
  /** `receiver.add(value)`. Operands: target, first of two registers, 1 without an ENTER before, where to go after appending. */
  APPEND: 'rnnt',
  RETURN: 'r',
  /** Operands: message, 1 when there is one. */
  EXIT: 'rn',
  FAIL: 'rn',
  /** Converts a value to the type of a hint. Operands: target, value, type, name of the variable. */
  COERCE: 'rrnk',
  /** Checks a step. Operands: step. */
  CHECK_STEP: 'r',
  /** Operands: variable, limit, 1 when counting down, where to go when there is no round. */
  FIRST_ROUND: 'rrnt',
  /** Operands: variable, step, limit, 1 when counting down, where the body begins. */
  NEXT_ROUND: 'rrrnt',
  /** Operands: iterator, collection. */
  ITERATE: 'rr',
  /** Operands: iterator, variable, where to go at the end. */
  NEXT_ITEM: 'rrt',
  /** Reads the next part of a sequence. Operands: iterator, register for the part, where to go when there is none. */
  NEXT_PART: 'rrt',
  /** Goes on with the part that was read. Operands: iterator, part, where to go with it; null is the end. */
  TAKE_PART: 'rrt',
  /** The loop is left: releases what reads a sequence. */
  END_ITEMS: 'r',
  /** Reads the variant's name of a value as text. */
  TAG: 'rr',
  /** Operands: tag, name of a variant, where to go when it is another. */
  JUMP_UNLESS_TAG: 'rkt',
  /** A variable is read before it has its first value. */
  UNSET: 'k',
  /** Gives a parameter its default value if it has no value or null. Operands: parameter, default value. */
  STANDARD: 'rr',
  /** The receiver of `.add` is not an array, and there is no function of that name. */
  NO_ARRAY: 'r',
  /** Makes the cell of a variable that has no value yet. */
  UNSET_CELL: 'r',
} as const satisfies Readonly<Record<string, string>>

/** The names by number. */
export const instructionNames = Object.keys(instructions) as readonly InstructionName[]

export const instructionNumbers = Object.fromEntries(
  instructionNames.map((name, number) => [name, number]),
) as { readonly [N in InstructionName]: number }
