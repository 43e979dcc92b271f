/**
 * The values of scripts and the definition of functions that scripts call: what a host needs to hand functions and data to a
 * run, and to look at what it left. One of the three files that the outside imports.
 */
export {
  any,
  define,
  type NativeContext,
  type NativeFunction,
  object,
  optional,
  type ParameterKind,
  text,
} from './stdlib/definition.ts'
export { fromPlain } from './values/from-plain.ts'
export { JsonFault, readJson } from './values/json-read.ts'
export { isUnwritable, writeJson, writeJsonInSlices } from './values/json-write.ts'
export { kindOf } from './values/kinds.ts'
export { numberToText } from './values/number-text.ts'
export { toText } from './values/to-text.ts'
export { type JsonMaker, ScriptArray, ScriptObject, type Value } from './values/value.ts'
