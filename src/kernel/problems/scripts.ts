import type { Explanations } from './kinds.ts'

/** SCR2xx: `tripfolio script`. What is wrong with a script itself has JM codes, which are those of the language. */
export const scriptExplanations = {
  SCR201: {
    meaning: 'A script or its input cannot be read.',
    action: 'See that the file exists and that you may read it.',
  },
  SCR202: {
    meaning: 'The input of a script is not valid JSON.',
    action: 'Correct the input at the place that the message names.',
  },
  SCR203: {
    meaning: 'A formatted script cannot be written.',
    action: 'See that you may write the file and that the disk has space.',
  },
  SCR204: {
    meaning: 'The script and its input are both to come from standard input.',
    action: 'Name a file for one of the two.',
  },
} satisfies Explanations
