/** The problems of files that are decoded before the SQL of a mapping reads them. */
import { Problem } from '../../kernel/problem.ts'
import { maskCardNumbersIn } from '../card-numbers.ts'
import { reasonOf } from '../problems.ts'

/** @param stated what is stated for it, each with the view it is stated for */
export const encodingsDiffer = (file: string, stated: readonly string[]): Problem =>
  new Problem(
    'ING140',
    `Views of tripfolio.sql read ${maskCardNumbersIn(file)}, and the encodings stated for them differ: ${stated.join(', ')}`,
    {
      hint: 'A file has one encoding. State it for all text files, SET VARIABLE encoding = ..., or the same one for each of these tables.',
    },
  )

export const fileUndecodable = (file: string, cause: unknown): Problem =>
  new Problem(
    'ING105',
    `File ${maskCardNumbersIn(file)}, which the mapping reads, cannot be decoded as stated: ${maskCardNumbersIn(reasonOf(cause))}`,
    {
      hint: 'Correct SET VARIABLE encoding, escape or quote in tripfolio.sql. If they are right, the file is damaged: export it again.',
      cause,
    },
  )

export const paymentsShareFile = (file: string, views: readonly string[]): Problem =>
  new Problem(
    'ING140',
    `Views of tripfolio.sql read ${maskCardNumbersIn(file)} for payments and for ${views.join(', ')}, and its stated encoding is not UTF-8`,
    {
      hint: 'Such a file is decoded into a working file, in which card numbers are masked, and so would be numbers of the other tables. Export it in UTF-8, or export payments into a file of their own.',
    },
  )

/** @param variable the variable of the mapping that states a dialect */
export const dialectUnknown = (variable: string, reason: string): Problem =>
  new Problem('ING140', `The mapping states '${variable}', but ${reason}`, {
    hint: `Expected SET VARIABLE escape = '\\' (escapes everywhere), '\\"' (in quotes only) or '"' (none), and SET VARIABLE quote = '"' or '' (none); escape_bookings is that of one table.`,
  })
