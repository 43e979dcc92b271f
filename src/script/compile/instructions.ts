/**
 * The instructions of the machine. Each is its number followed by its operands, all 32-bit integers. The format of an
 * operand says what it is: `r` a register of the frame, `n` a number, `k` a place in the constants, `t` the place of an
 * instruction. The machine's switch carries these numbers as literals, because only those become a jump table.
 */

export type InstructionName = keyof typeof instructions

export const instructions = {
  /** A statement begins. */
  STEP: { code: 0, operands: '' },
  /** A round of a loop begins. */
  ROUND: { code: 1, operands: '' },
  MOVE: { code: 2, operands: 'rr' },
  DATA: { code: 3, operands: 'r' },
  ADD: { code: 4, operands: 'rrr' },
  SUBTRACT: { code: 5, operands: 'rrr' },
  MULTIPLY: { code: 6, operands: 'rrr' },
  DIVIDE: { code: 7, operands: 'rrr' },
  MODULO: { code: 8, operands: 'rrr' },
  EQUAL: { code: 9, operands: 'rrr' },
  UNEQUAL: { code: 10, operands: 'rrr' },
  LESS: { code: 11, operands: 'rrr' },
  LESS_OR_EQUAL: { code: 12, operands: 'rrr' },
  GREATER: { code: 13, operands: 'rrr' },
  GREATER_OR_EQUAL: { code: 14, operands: 'rrr' },
  NEGATE: { code: 15, operands: 'rr' },
  NOT: { code: 16, operands: 'rr' },
  COALESCE: { code: 17, operands: 'rrr' },
  /** Operands: target, value, type, 1 when negated. */
  IS: { code: 18, operands: 'rrnn' },
  JUMP: { code: 19, operands: 't' },
  JUMP_UNLESS: { code: 20, operands: 'rt' },
  JUMP_IF: { code: 21, operands: 'rt' },
  JUMP_UNLESS_EQUAL: { code: 22, operands: 'rrt' },
  JUMP_UNLESS_UNEQUAL: { code: 23, operands: 'rrt' },
  JUMP_UNLESS_LESS: { code: 24, operands: 'rrt' },
  JUMP_UNLESS_LESS_OR_EQUAL: { code: 25, operands: 'rrt' },
  JUMP_UNLESS_GREATER: { code: 26, operands: 'rrt' },
  JUMP_UNLESS_GREATER_OR_EQUAL: { code: 27, operands: 'rrt' },
  /** Equality as `switch` has it: lambdas are never equal. */
  JUMP_UNLESS_CASE: { code: 28, operands: 'rrt' },
  /** Operands: target, object, name, place of the inline cache. */
  GET_PROPERTY: { code: 29, operands: 'rrkn' },
  /** Operands: object, name, value, place of the inline cache. */
  SET_PROPERTY: { code: 30, operands: 'rkrn' },
  GET_INDEX: { code: 31, operands: 'rrr' },
  /** Operands: container, index, value. */
  SET_INDEX: { code: 32, operands: 'rrr' },
  DELETE_PROPERTY: { code: 33, operands: 'rk' },
  DELETE_INDEX: { code: 34, operands: 'rr' },
  /** `.length` of the service dialect. Operands: target, value. */
  LENGTH: { code: 35, operands: 'rr' },
  /** Operands: target, first of the registers with the elements, how many. */
  ARRAY: { code: 36, operands: 'rnn' },
  /** Operands: target, template, first of the registers with the values. */
  OBJECT: { code: 37, operands: 'rnn' },
  /** Puts the register's value into a cell, since a lambda holds on to the variable. */
  CELL: { code: 38, operands: 'r' },
  GET_CELL: { code: 39, operands: 'rr' },
  SET_CELL: { code: 40, operands: 'rr' },
  /** Operands: target, place in the captured cells. */
  GET_CAPTURED: { code: 41, operands: 'rn' },
  SET_CAPTURED: { code: 42, operands: 'nr' },
  /** Operands: target, place of its code. */
  LAMBDA: { code: 43, operands: 'rn' },
  /** A call is in progress from here on, although its arguments are still to come. */
  ENTER: { code: 44, operands: '' },
  /** Operands: target, place of the code, first of the argument registers, how many, 1 when it enters by itself. */
  CALL: { code: 45, operands: 'rnnnn' },
  /** Operands as those of CALL. */
  CALL_NATIVE: { code: 46, operands: 'rnnnn' },
  /** Operands: target, template, first of the argument registers, 1 when it enters by itself. */
  CONSTRUCT: { code: 47, operands: 'rnnn' },
  /** `receiver.add(value)`. Operands: target, first of the two registers, 1 when it enters by itself, the target when it appends. */
  APPEND: { code: 48, operands: 'rnnt' },
  RETURN: { code: 49, operands: 'r' },
  /** Operands: message, 1 when there is one. */
  EXIT: { code: 50, operands: 'rn' },
  FAIL: { code: 51, operands: 'rn' },
  /** Converts a value to what a hint says. Operands: target, value, type, name of the variable. */
  COERCE: { code: 52, operands: 'rrnk' },
  /** Checks a step. Operands: step. */
  CHECK_STEP: { code: 53, operands: 'r' },
  /** Operands: variable, limit, 1 when counting down, where to go when there is no round. */
  FIRST_ROUND: { code: 54, operands: 'rrnt' },
  /** Operands: variable, step, limit, 1 when counting down, where the body begins. */
  NEXT_ROUND: { code: 55, operands: 'rrrnt' },
  /** Operands: iterator, collection. */
  ITERATE: { code: 56, operands: 'rr' },
  /** Operands: iterator, variable, where to go at the end. */
  NEXT_ITEM: { code: 57, operands: 'rrt' },
  /** The variant's name of a value as text. */
  TAG: { code: 58, operands: 'rr' },
  /** Operands: tag, name of a variant, where to go when it is another. */
  JUMP_UNLESS_TAG: { code: 59, operands: 'rkt' },
  /** A variable is read before it has its first value. */
  UNSET: { code: 60, operands: 'k' },
  /** A parameter that was given nothing or null takes its standard value. Operands: parameter, standard value. */
  STANDARD: { code: 61, operands: 'rr' },
  /** The receiver of `.add` is no array, and there is no function of that name. */
  NO_ARRAY: { code: 62, operands: 'r' },
  /** The cell of a variable that has no value yet. */
  UNSET_CELL: { code: 63, operands: 'r' },
} as const satisfies Readonly<Record<string, { readonly code: number; readonly operands: string }>>

/** By number. */
export const instructionNames = Object.keys(instructions) as readonly InstructionName[]
