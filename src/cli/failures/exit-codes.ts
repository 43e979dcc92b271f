/** The exit codes of all commands, and the only place where kinds of problems become exit codes. docs/reference/exit-codes.md is generated from it. */
import { isNotWritable } from '../../directory/problems.ts'
import type { ProblemKind } from '../../kernel/problems/kinds.ts'

export const exitCodes = {
  done: 0,
  refused: 1,
  usage: 2,
  /** Only `serve`. */
  cutOff: 3,
  unavailable: 4,
  storage: 5,
  /** That of `EX_SOFTWARE` in sysexits.h, far from the codes with which Node.js itself ends. */
  defect: 70,
} as const

export type Outcome = keyof typeof exitCodes

/** For docs/reference/exit-codes.md. */
export const outcomes: { readonly [Name in Outcome]: { readonly meaning: string; readonly action: string } } =
  {
    done: { meaning: 'The command did what it was asked to do.', action: 'Nothing.' },
    refused: {
      meaning:
        'The command was refused for what it was given or found: an extract (also one that is missing or cannot be read), a script, an account that does not exist. Or a check (`snapshot verify`, `store verify`, `script check`, `endpoint test`) found something. What was there before stays.',
      action: 'Read the message, and correct what it names. The same call again has the same result.',
    },
    usage: {
      meaning: 'The command line, a setting or a value in them is wrong. Nothing was begun.',
      action: 'Correct the call; the message names the help to read.',
    },
    cutOff: {
      meaning: 'Only `serve`: it has ended, but requests were cut off, or closing took 10 s too long.',
      action: 'Raise `stopSeconds` if it happens often.',
    },
    unavailable: {
      meaning:
        'It is not possible at the moment: another process is doing the same, or the work was ended before it was done.',
      action: 'Repeat the call later. This is the only code for which a repetition without a change helps.',
    },
    storage: {
      meaning: 'A file, a folder, the disk or stored data cannot be used.',
      action: 'Look at what the message names: rights, free space, damage.',
    },
    defect: {
      meaning: 'Tripfolio itself failed.',
      action: 'Report it, with what was written to standard error.',
    },
  }

export const outcomeOfKind: { readonly [Kind in ProblemKind]: Outcome } = {
  invalid: 'usage',
  unauthenticated: 'refused',
  forbidden: 'refused',
  'not-found': 'refused',
  'method-not-allowed': 'refused',
  'not-acceptable': 'refused',
  'timed-out': 'unavailable',
  conflict: 'refused',
  gone: 'refused',
  'precondition-failed': 'refused',
  'too-large': 'refused',
  'uri-too-long': 'refused',
  'unsupported-media-type': 'refused',
  'expectation-failed': 'refused',
  unprocessable: 'refused',
  'precondition-required': 'refused',
  limited: 'unavailable',
  'headers-too-large': 'refused',
  'loop-detected': 'refused',
  unavailable: 'unavailable',
  'storage-failure': 'storage',
  damaged: 'storage',
  defect: 'defect',
  settings: 'usage',
  usage: 'usage',
  'file-access': 'storage',
  'extract-refused': 'refused',
  unreadable: 'refused',
  locked: 'unavailable',
  interrupted: 'unavailable',
  script: 'refused',
}

/** To callers of the service, a store that cannot be written is unavailable; for a command, repeating the call does not help. */
export const exitCodeOf = (problem: { readonly kind: ProblemKind }): number =>
  exitCodes[isNotWritable(problem) ? 'storage' : outcomeOfKind[problem.kind]]
