/** `hold` and `resume` of refreshes and of schedules as a whole: on a data folder, its database, or a service with `--server`. */
import { Command } from 'commander'
import type { HeldSubject, HoldState } from '../../directory/holds/held.ts'
import type { Invocation } from '../invocation.ts'
import { operator } from '../operator.ts'
import { type ServiceOptions, withEndpointService, withServiceOptions } from '../remote/with-service.ts'

type Subject = Exclude<HeldSubject, 'outbound'>
type HoldOptions = ServiceOptions & { readonly reason: string }

export const holdCommand = (cli: Invocation, subject: Subject, description: string): Command =>
  withServiceOptions(new Command('hold').description(description))
    .requiredOption('--reason <text>', 'why, for the console and the audit trail')
    .action((options: HoldOptions) => hold(cli, subject, options))

export const resumeHoldCommand = (cli: Invocation, subject: Subject, description: string): Command =>
  withServiceOptions(new Command('resume').description(description)).action((options: ServiceOptions) =>
    resumeHold(cli, subject, options),
  )

const existing = { create: false } as const

const hold = (cli: Invocation, subject: Subject, { reason, ...options }: HoldOptions): Promise<void> =>
  withEndpointService(cli, options, existing, async ({ holds }) => {
    const state = await holds.hold(subject, { at: new Date().toISOString(), by: operator(), reason })
    if (options.json) cli.printJson(state)
    else cli.print(`The ${subject} are held${becauseOf(state)}\n`)
  })

export const resumeHold = (cli: Invocation, subject: Subject, options: ServiceOptions): Promise<void> =>
  withEndpointService(cli, options, existing, async ({ holds }) => {
    const before = await holds.find(subject)
    const state = await holds.resume(subject, operator(), new Date().toISOString())
    if (options.json) cli.printJson(state)
    else if (before.held === null) cli.print(`The ${subject} were not held; nothing was changed.\n`)
    else cli.print(`The ${subject} go on. They were held${becauseOf(before)}\n`)
  })

const becauseOf = ({ held }: HoldState): string =>
  held === null ? '.' : ` since ${held.at}, by ${held.by}, because: ${held.reason}`
