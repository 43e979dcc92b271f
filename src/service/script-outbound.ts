/** What scripts of this service may send to others, as its settings say. The code that sends is loaded when it is first needed. */
import type { OutboundServices } from '../automation/host/outbound/run-outbound.ts'
import { type Config, outboundLimits } from '../config/load-config.ts'
import type { Holds } from '../directory/holds/holds.ts'
import { refuseWhileQuiet } from '../directory/holds/quiet.ts'
import type { SendMail } from '../outbound/send-mail.ts'
import type { SendRequest } from '../outbound/send-request.ts'
import { type TargetRules, targetRules } from '../outbound/target.ts'

export function openScriptOutbound(config: Config, holds: Holds): OutboundServices {
  const targets = targetRules(config.trustedHosts)
  const unlessQuiet = () => refuseWhileQuiet({ holds, startedQuiet: config.startedQuiet ?? null })
  const [send, mail] = [lazySender(targets), lazyMailer(config, targets)]
  return {
    targets,
    send: async (request, signal) => {
      await unlessQuiet()
      return send(request, signal)
    },
    mail:
      mail &&
      (async (message, timeoutMs, signal) => {
        await unlessQuiet()
        return mail(message, timeoutMs, signal)
      }),
    mailDomains: config.mailDomains,
    limits: outboundLimits(config),
  }
}

function lazySender(targets: TargetRules): SendRequest {
  let opened: Promise<SendRequest> | undefined
  const open = async () => (await import('../outbound/send-request.ts')).openSender(targets)
  return async (request, signal) => (await (opened ??= open()))(request, signal)
}

function lazyMailer({ smtpUrl, smtpPassword, smtpFrom }: Config, rules: TargetRules): SendMail | null {
  if (smtpUrl === undefined || smtpFrom === undefined) return null
  let opened: Promise<SendMail> | undefined
  const open = async () => {
    const { openMailer } = await import('../outbound/send-mail.ts')
    return openMailer({ url: smtpUrl, password: smtpPassword, from: smtpFrom, rules })
  }
  return async (message, timeoutMs, signal) => (await (opened ??= open()))(message, timeoutMs, signal)
}
