import type { Explanations } from './kinds.ts'

/** SCR2xx: `tripfolio script`. Errors in a script itself have JM codes, which belong to the language. */
export const scriptExplanations = {
  SCR201: {
    meaning: 'A script or its input cannot be read.',
    action: 'Check that the file exists and that you may read it.',
  },
  SCR202: {
    meaning: 'The input of a script is not valid JSON.',
    action: 'Correct the input at the place that the message names.',
  },
  SCR203: {
    meaning: 'A formatted script cannot be written.',
    action: 'Check that you may write the file and that the disk has space.',
  },
  SCR204: {
    meaning: 'The command names standard input for both the script and its input.',
    action: 'Name a file for one of the two.',
  },
} satisfies Explanations
