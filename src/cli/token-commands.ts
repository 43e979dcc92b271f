/**
 * `tripfolio token issue`: issues a bearer token for development, signed with the key in the data folder or the shared secret
 * of the settings. Standard output gets only the token, so that a shell can assign it to a variable.
 */
import { Command } from 'commander'
import { issueToken } from '../auth/tokens/issuer.ts'
import { tokenRules } from '../auth/tokens/rules.ts'
import { readTimeToLive } from '../auth/tokens/time-to-live.ts'
import { refuseMissingFolder } from '../snapshot/stored-snapshots.ts'
import { refuseOtherFolder } from './failures/installation.ts'
import { secretNotWritten } from './failures/problems.ts'
import type { Invocation } from './invocation.ts'
import { operatorName } from './operator.ts'

type Options = {
  readonly role: readonly string[]
  readonly name?: string
  readonly email?: string
  readonly ttl: string
  readonly data?: string
  readonly json?: boolean
}

export function tokenCommands(cli: Invocation): Command {
  const command = new Command('token').description('Issue bearer tokens for endpoints and administration')
  command
    .command('issue')
    .description(
      'Sign a token with the shared secret, or with the key of the data folder if there is none, and print it',
    )
    .option('--role <role>', 'role of the holder; repeat the option for several roles', append, [])
    .option('--name <name>', 'name of the holder (default: the user who runs the command)')
    .option('--email <address>', 'email address of the holder')
    .option('--ttl <time>', 'how long the token is valid: 30m, 1h, 7d', '1h')
    .option('--data <folder>', 'data folder (default: ./data)')
    .option('--json', 'print JSON')
    .action((options: Options) => issue(cli, options))
  return command
}

const append = (one: string, others: readonly string[]): string[] => [...others, one]

async function issue(
  cli: Invocation,
  { role: roles, name = operatorName(), email, ttl, data, json }: Options,
): Promise<void> {
  const config = cli.config({ data })
  const rules = tokenRules(config)
  if (rules.keys.kind === 'local') {
    // The key is made with the first token: in another folder it would sign for no service.
    refuseOtherFolder(config)
    refuseMissingFolder(config.data)
  }
  const issued = await issueToken(rules, { name, email, roles }, readTimeToLive(ttl))
  cli.printsOnce((reason) => secretNotWritten('A token was issued', 'token', reason, 'Issue another one.'))
  if (json) cli.printJson({ ...issued, name, email, roles })
  else cli.print(`${issued.token}\n`)
}
