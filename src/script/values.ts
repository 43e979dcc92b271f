/**
 * The values of scripts and the definition of functions that scripts call: a host needs them to give a run functions and data,
 * and to read its result. One of the three files that other folders import.
 */
export {
  any,
  define,
  type NativeContext,
  type NativeFunction,
  number,
  object,
  optional,
  type ParameterKind,
  parameterKinds,
  text,
} from './stdlib/definition.ts'
export { fromPlain } from './values/from-plain.ts'
export { JsonFault, readJson, TooManyKeys } from './values/json-read.ts'
export { isUnwritable, writeJson, writeJsonInSlices } from './values/json-write.ts'
export { kindOf } from './values/kinds.ts'
export { numberToText } from './values/number-text.ts'
export { toText } from './values/to-text.ts'
export {
  type JsonMaker,
  ScriptArray,
  ScriptObject,
  ScriptSequence,
  type SequenceReader,
  type Value,
} from './values/value.ts'
export { MOST_LEVELS } from './values/value-walk.ts'
