/** What is refused while an operator holds something (DIR84x). */
import { Problem } from '../../kernel/problem.ts'
import type { Held } from './held.ts'

export const outboundIsHeld = ({ by, at, reason }: Held) =>
  new Problem(
    'DIR840',
    `Nothing was sent: the installation is quiet since ${at}, by ${by}, because: ${reason}`,
    { hint: 'End it with `tripfolio resume`, or on the overview of the console.' },
  )

export const refreshesAreHeld = ({ by, at, reason }: Held, despite: string) =>
  new Problem('DIR842', `Refreshes are held since ${at}, by ${by}, because: ${reason}`, {
    hint: `Resume them with \`tripfolio refresh resume\`. To publish this one all the same, ${despite}.`,
  })

export const badReason = (given: string, most: number) =>
  new Problem(
    'DIR841',
    `Expected a reason of 1 to ${most} characters, found ${given.trim() === '' ? 'none' : given.trim().length}`,
    { hint: 'Say why, for whoever finds it held: --reason "the extract of Friday is wrong".' },
  )
