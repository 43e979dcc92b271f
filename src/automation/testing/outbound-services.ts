/** What runs of tests may send to others: requests to this machine, with the limits that the settings have by default. */
import { loadConfig, outboundLimits } from '../../config/load-config.ts'
import { openSender } from '../../outbound/send-request.ts'
import { targetRules } from '../../outbound/target.ts'
import type { OutboundServices } from '../host/outbound/run-outbound.ts'

export function outboundServices(members: Partial<OutboundServices> = {}): OutboundServices {
  const targets = targetRules('127.0.0.1')
  return {
    targets,
    send: openSender(targets),
    mail: null,
    mailDomains: undefined,
    limits: outboundLimits(loadConfig({ env: {}, flags: { data: '/nowhere' } })),
    random: () => 0,
    ...members,
  }
}
