/** The host function for mail. A message is sent once: what happens to it afterwards is in the hands of the mail server. */
import { Problem } from '../../../kernel/problem.ts'
import type { MailMessage, SentMail } from '../../../outbound/send-mail.ts'
import { any, define, fromPlain, type NativeContext, type NativeFunction } from '../../../script/values.ts'
import { hostOf, type RunHost } from '../run-host.ts'
import { mailBytes, mailMessage, recipientsOf } from './mail-options.ts'
import { noMailServer, tooMuchMail } from './problems.ts'
import { count, timeLeftMs, whileWaited } from './run-outbound.ts'

const sendMail = define({
  name: 'SendMail',
  category: 'Requests and mail',
  parameters: [any('message')],
  returns: 'object',
  about:
    'Sends mail through the mail server of the service and returns {sent, messageId, refused, error}. The message is {to, cc, bcc, replyTo, subject, text, html, attachments}; addresses are texts or arrays of texts, attachments are {filename, content, contentBase64, contentType}. When the server is away or refuses the message, or an address is malformed or not allowed, sent is false and error is {code, message}. refused lists recipients that the server did not take. A message is sent at most once. A trial sends nothing.',
  async waits(context, argument) {
    const host = hostOf(context)
    const outcome = await sendForRun(context, argument, host)
    if (outcome.kind === 'sent') {
      return fromPlain({ sent: true, ...outcome.mail, error: null }, context)
    }
    const { code, message } = outcome.problem
    host.log.add('Warning', host.redaction.message(`SendMail: ${message}`))
    return fromPlain({ sent: false, messageId: null, refused: [], error: { code, message } }, context)
  },
})

export const mailFunctions: readonly NativeFunction[] = [sendMail]

type Outcome =
  | { readonly kind: 'sent'; readonly mail: SentMail }
  | { readonly kind: 'failed'; readonly problem: Problem }

async function sendForRun(
  context: NativeContext,
  argument: Parameters<typeof mailMessage>[0],
  host: RunHost,
): Promise<Outcome> {
  const { outbound } = host
  const rules = { domains: outbound.mailDomains, mostRecipients: outbound.limits.mailRecipients }
  const read = outcomeOf(() => mailMessage(argument, rules))
  if ('kind' in read) return read
  const { message } = read
  const recipients = recipientsOf(message).length
  const bytes = mailBytes(message)
  refuseOverLimit(host, recipients, bytes)
  if (outbound.mail === null) throw noMailServer()
  const { mail } = outbound
  outbound.sent.mails++
  outbound.sent.mailRecipients += recipients
  outbound.mailBytes.sent += bytes
  const began = performance.now()
  try {
    const sent = await whileWaited(context, (signal) => mail(message, timeLeftMs(outbound), signal))
    count(outbound.outcomes.mail, 'sent')
    const milliseconds = Math.round(performance.now() - began)
    const held = outbound.held === null ? '' : ', held back'
    host.log.add('Debug', `SendMail to ${recipients} recipients: sent in ${milliseconds} ms${held}`)
    return { kind: 'sent', mail: sent }
  } catch (cause) {
    count(outbound.outcomes.mail, 'failed')
    if (cause instanceof Problem) return { kind: 'failed', problem: cause }
    throw cause
  }
}

/** An address that mail cannot go to often comes from data, so it is an outcome and not the end of the run. */
function outcomeOf(read: () => MailMessage): { readonly message: MailMessage } | Outcome {
  try {
    return { message: read() }
  } catch (cause) {
    if (cause instanceof Problem) return { kind: 'failed', problem: cause }
    throw cause
  }
}

function refuseOverLimit({ outbound }: RunHost, recipients: number, bytes: number): void {
  const { limits, sent, mailBytes } = outbound
  if (sent.mailRecipients + recipients > limits.mailRecipients) {
    throw tooMuchMail(limits.mailRecipients, 'recipients')
  }
  if (mailBytes.sent + bytes > limits.mailBytes) throw tooMuchMail(limits.mailBytes, 'bytes')
}
