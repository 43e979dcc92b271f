/** The webhooks of the store, with URLs that requests may be sent to. */
import type { Webhooks } from '../directory/webhooks/webhooks.ts'
import { readTarget, type TargetRules } from '../outbound/target.ts'
import type { WebhookDraft } from '../schema/webhook-shapes.ts'

/** `create` and `change` also throw Problem OUT101 and OUT102 for the URL. */
export function checkedWebhooks(webhooks: Webhooks, rules: TargetRules): Webhooks {
  const check = ({ url }: WebhookDraft) => {
    // Names are checked when a delivery is sent: what they mean may change.
    if (typeof url === 'string') readTarget(url.trim(), rules)
  }
  return {
    ...webhooks,
    create: async (account, draft, by) => {
      check(draft)
      return webhooks.create(account, draft, by)
    },
    change: async (id, draft, by) => {
      check(draft)
      return webhooks.change(id, draft, by)
    },
  }
}
