/** What the pages of webhooks read, and the names under which it is kept. */
import type { paths } from '../../../generated/api.d.ts'

export type Webhook =
  paths['/api/admin/v1/webhooks/{id}']['get']['responses'][200]['content']['application/json']
export type Delivery =
  paths['/api/admin/v1/webhooks/{id}/deliveries']['get']['responses'][200]['content']['application/json']['items'][number]

export const webhooksKey = ['webhooks'] as const
export const webhookKey = (id: string) => ['webhook', id] as const
export const deliveriesKey = (id: string) => ['webhook-deliveries', id] as const
