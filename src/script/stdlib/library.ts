/** All functions of the standard library (language reference, section 10). */
import { arrayFunctions } from './arrays.ts'
import { dateFunctions } from './dates.ts'
import type { NativeFunction } from './definition.ts'
import { lambdaFunctions } from './lambdas.ts'
import { mathematicsFunctions } from './mathematics.ts'
import { queryFunctions } from './queries.ts'
import { regexFunctions } from './regex.ts'
import { schemaFunctions } from './schemas.ts'
import { textFunctions } from './texts.ts'
import { utilityFunctions } from './utilities.ts'

export const library: readonly NativeFunction[] = [
  ...textFunctions,
  ...regexFunctions,
  ...arrayFunctions,
  ...mathematicsFunctions,
  ...dateFunctions,
  ...utilityFunctions,
  ...schemaFunctions,
  ...queryFunctions,
  ...lambdaFunctions,
]
