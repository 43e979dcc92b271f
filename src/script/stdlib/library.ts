/** All functions of the standard library (language reference, section 10). */
import { arrayFunctions } from './arrays/arrays.ts'
import { lambdaFunctions } from './arrays/lambdas.ts'
import { queryFunctions } from './arrays/queries.ts'
import { dateFunctions } from './dates/dates.ts'
import type { NativeFunction } from './definition.ts'
import { mathematicsFunctions } from './numbers/mathematics.ts'
import { regexFunctions } from './regex/regex.ts'
import { schemaFunctions } from './schemas.ts'
import { textFunctions } from './text/texts.ts'
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
