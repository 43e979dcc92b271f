/** What scripts of this service may send to others, as its settings say. The code that sends is loaded when it is first needed. */
import type { OutboundServices } from '../automation/host/outbound/run-outbound.ts'
import { type Config, outboundLimits } from '../config/load-config.ts'
import type { SendMail } from '../outbound/send-mail.ts'
import type { SendRequest } from '../outbound/send-request.ts'
import { type TargetRules, targetRules } from '../outbound/target.ts'

export function openScriptOutbound(config: Config): OutboundServices {
  const targets = targetRules(config.trustedHosts)
  return {
    targets,
    send: lazySender(targets),
    mail: lazyMailer(config, targets),
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
