/** Asks before something that cannot be undone. Without a terminal there is nobody to ask, so the command needs `--yes`. */
import { Problem } from '../../kernel/problem.ts'
import type { Invocation } from '../invocation.ts'
import { ask, isTerminal } from './ask.ts'

/** @throws Problem DIR451 unless the answer is yes */
export async function confirm(
  cli: Invocation,
  question: string,
  { yes }: { readonly yes?: boolean },
): Promise<void> {
  if (yes) return
  if (!isTerminal(cli.io.stdin)) throw notConfirmed('there is no terminal to ask')
  const answer = await ask(cli.io, `${question} [y/N] `)
  if (!/^\s*y(?:es)?\s*$/i.test(answer ?? '')) throw notConfirmed('the answer was not yes')
}

const notConfirmed = (why: string): Problem =>
  new Problem('DIR451', `Nothing was changed, because ${why}`, {
    hint: 'Answer with y, or give --yes where there is no terminal.',
  })
