/**
 * `tripfolio webhook ...`: the operator's commands for outgoing webhooks. They work on the control store directly, whether the
 * service is running or not; the service delivers. A secret is printed once, never again.
 */
import { Command } from 'commander'
import type { ControlStore } from '../../directory/control-store.ts'
import { openControlStore, showStores } from '../../directory/open-stores.ts'
import { secretKey } from '../../directory/secrets/secret-key.ts'
import { webhookUnknown } from '../../directory/webhooks/problems.ts'
import type { Webhooks } from '../../directory/webhooks/webhooks.ts'
import { checkedWebhooks } from '../../events/checked-webhooks.ts'
import { targetRules } from '../../outbound/target.ts'
import type {
  Webhook,
  WebhookDelivery,
  WebhookDraft,
  WebhookWithSecret,
} from '../../schema/webhook-shapes.ts'
import { secretNotWritten } from '../failures/problems.ts'
import type { Invocation } from '../invocation.ts'
import { operator } from '../operator.ts'
import { type StoreOptions as Options, withStoreOptions } from '../with-store.ts'
import { byIdOrBeginning } from './by-beginning.ts'
import { confirm } from './confirm.ts'

type DraftOptions = Options & {
  readonly url?: string
  readonly lists?: string
  readonly description?: string
  readonly pause?: boolean
  readonly resume?: boolean
}

export function webhookCommands(cli: Invocation): Command {
  const command = new Command('webhook').description("Tell others when a client's data changed")
  subcommand(command, 'create', 'Register a webhook and print its secret (shown only once)')
    .requiredOption('--account <account>', 'id or name of the account that the webhook belongs to')
    .requiredOption('--url <url>', 'where to send: https, unless the setting trustedHosts names the host')
    .option('--lists <lists>', 'only changes of these lists, e.g. bookings,invoices (default: all)')
    .option('--description <text>', 'what the webhook is for')
    .action((options: DraftOptions & { account: string }) => create(cli, options))
  subcommand(command, 'list', 'List all webhooks').action((options: Options) => list(cli, options))
  ofOneWebhook(command, 'change', 'Change, pause or resume a webhook')
    .option('--url <url>', 'where to send')
    .option('--lists <lists>', 'only changes of these lists; "all" for all of them')
    .option('--description <text>', 'what the webhook is for')
    .option('--pause', 'send nothing until it is resumed')
    .option('--resume', 'send again, also after an automatic pause')
    .action((id: string, options: DraftOptions) => change(cli, id, options))
  ofOneWebhook(command, 'rotate-secret', 'Replace the secret and print the new one (shown only once)').action(
    (id: string, options: Options) =>
      withWebhooks(cli, options, async ({ webhooks }) =>
        printSecret(
          cli,
          known(await webhooks.rotateSecret(await idOf(webhooks, id), operator()), id),
          options,
        ),
      ),
  )
  ofOneWebhook(command, 'test', 'Send a test message').action((id: string, options: Options) =>
    withWebhooks(cli, options, async ({ webhooks }) =>
      printDeliveries(
        cli,
        [known(await webhooks.sendTest(await idOf(webhooks, id), operator()), id)],
        options,
      ),
    ),
  )
  ofOneWebhook(command, 'deliveries', 'List the newest deliveries of a webhook').action(
    (id: string, options: Options) =>
      withWebhooks(cli, options, async ({ webhooks }) => {
        printDeliveries(cli, await webhooks.deliveries(await idOf(webhooks, id)), options)
      }),
  )
  ofOneWebhook(command, 'resend', 'Send a delivery again')
    .argument('<delivery>', 'id of the delivery, or its first characters')
    .action((id: string, delivery: string, options: Options) =>
      withWebhooks(cli, options, async ({ webhooks }) => {
        const webhook = await idOf(webhooks, id)
        // Of an older one, which the list does not have, the whole id is needed.
        const { id: found } = byIdOrBeginning(await webhooks.deliveries(webhook), delivery) ?? {
          id: delivery,
        }
        printDeliveries(cli, [known(await webhooks.resend(webhook, found, operator()), delivery)], options)
      }),
    )
  ofOneWebhook(command, 'delete', 'Remove a webhook and its deliveries for good')
    .option('--yes', 'do not ask')
    .action((id: string, options: Options & { readonly yes?: boolean }) => remove(cli, id, options))
  return command
}

const subcommand = (parent: Command, verb: string, description: string): Command =>
  withStoreOptions(parent.command(verb).description(description)).option('--json', 'print JSON')

const ofOneWebhook = (parent: Command, verb: string, description: string): Command =>
  subcommand(parent, verb, description).argument('<webhook>', 'id of the webhook, or its first characters')

type Opened = { readonly webhooks: Webhooks; readonly store: ControlStore }

/** Unlike accounts, webhooks have secrets, so the store is opened with the key that seals them. */
async function withWebhooks(
  cli: Invocation,
  { data, store: url, json = false }: Options,
  work: (opened: Opened) => Promise<void>,
): Promise<void> {
  const config = cli.config({ data, store: url })
  if (config.store !== undefined && !json)
    cli.printError(`tripfolio: on the database ${showStores(config)}\n`)
  const store = await openControlStore(config, { create: false, secretKey: () => secretKey(config) })
  try {
    await work({ store, webhooks: checkedWebhooks(store.webhooks, targetRules(config.trustedHosts)) })
  } finally {
    await store.close()
  }
}

const create = (cli: Invocation, options: DraftOptions & { account: string }): Promise<void> =>
  withWebhooks(cli, options, async ({ store, webhooks }) => {
    const account = await store.accounts.find(options.account)
    printSecret(cli, await webhooks.create(account, draftOf(options), operator()), options)
  })

const list = (cli: Invocation, options: Options): Promise<void> =>
  withWebhooks(cli, options, async ({ webhooks }) => printWebhooks(cli, await webhooks.list(), options))

const change = (cli: Invocation, id: string, options: DraftOptions): Promise<void> =>
  withWebhooks(cli, options, async ({ webhooks }) =>
    printWebhooks(
      cli,
      [known(await webhooks.change(await idOf(webhooks, id), draftOf(options), operator()), id)],
      options,
    ),
  )

const remove = (cli: Invocation, id: string, options: Options & { readonly yes?: boolean }): Promise<void> =>
  withWebhooks(cli, options, async ({ webhooks }) => {
    const webhook = known(byIdOrBeginning(await webhooks.list(), id), id)
    await confirm(cli, `Remove the webhook to ${webhook.url} and its deliveries for good?`, options)
    await webhooks.remove(webhook.id, operator())
    if (options.json) cli.printJson({ ...webhook, deleted: true })
    else cli.print(`Webhook ${webhook.id} is removed.\n`)
  })

function draftOf({ url, lists, description, pause, resume }: DraftOptions): WebhookDraft {
  return {
    ...(url !== undefined && { url }),
    ...(lists !== undefined && { lists: listsIn(lists) }),
    ...(description !== undefined && { description }),
    ...((pause || resume) && { isActive: resume === true }),
  }
}

function listsIn(text: string): NonNullable<WebhookDraft['lists']> | null {
  if (text.trim() === 'all') return null
  // The store refuses names of other lists.
  return text.split(',').map((part) => part.trim()) as NonNullable<WebhookDraft['lists']>
}

/** @throws Problem DIR653, DIR659 */
const idOf = async (webhooks: Webhooks, reference: string): Promise<string> =>
  known(byIdOrBeginning(await webhooks.list(), reference), reference).id

/** @throws Problem DIR653 */
function known<T>(found: T | null, id: string): T {
  if (found === null) throw webhookUnknown(id)
  return found
}

function printSecret(cli: Invocation, issued: WebhookWithSecret, { json }: Options): void {
  const { webhook, secret } = issued
  cli.printsOnce((reason) =>
    secretNotWritten(
      `Webhook ${webhook.id} was saved`,
      'secret',
      reason,
      `\`tripfolio webhook rotate-secret ${webhook.id}\` issues another one.`,
    ),
  )
  if (json) cli.printJson(issued)
  else
    cli.print(
      `Webhook ${webhook.id} to ${webhook.url}\n\n  secret: ${secret}\n\nThe secret cannot be shown again: store it now.\n`,
    )
}

const printWebhooks = (cli: Invocation, webhooks: readonly Webhook[], { json }: Options): void => {
  const rows = json ? webhooks : webhooks.map(rowOf)
  cli.printRows(rows, { json, empty: 'There is no webhook yet. `tripfolio webhook create` registers one.' })
}

const rowOf = (webhook: Webhook) => ({
  id: webhook.id,
  client: webhook.clientNumber,
  url: webhook.url,
  lists: webhook.lists?.join(',') ?? 'all',
  state: webhook.isActive ? (webhook.failingSince === null ? 'active' : 'failing') : 'paused',
  since: webhook.failingSince ?? '',
})

const printDeliveries = (cli: Invocation, found: readonly WebhookDelivery[], { json }: Options): void => {
  const rows = json ? found : found.map(deliveryRowOf)
  cli.printRows(rows, { json, empty: 'There is no delivery yet.' })
}

const deliveryRowOf = ({ id, state, message, attempts, nextAttemptAt, createdAt }: WebhookDelivery) => ({
  id,
  created: createdAt,
  type: message.type,
  state,
  attempts: String(attempts.length),
  last: attempts.at(-1)?.error ?? String(attempts.at(-1)?.status ?? ''),
  next: nextAttemptAt ?? '',
})
