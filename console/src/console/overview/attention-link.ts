/** Where what needs attention is mended. */
import type { System } from '../system/system-query.ts'

export type Attention = System['needsAttention'][number]

type Place = { readonly path: string; readonly right: string }

const places: Readonly<Record<Attention['kind'], (id: string | null) => Place>> = {
  'refresh-refused': () => ({ path: '/snapshots', right: 'listSnapshots' }),
  'refresh-failed': () => ({ path: '/snapshots', right: 'listSnapshots' }),
  'endpoint-failing': (id) => ({ path: `/endpoints/${id}`, right: 'getEndpoint' }),
  'schedule-failing': (id) => ({ path: `/endpoints/${id}`, right: 'getEndpoint' }),
  'account-altered': (id) => ({ path: `/accounts/${id}`, right: 'getAccount' }),
  'account-expires': (id) => ({ path: `/accounts/${id}`, right: 'getAccount' }),
  'account-unused': (id) => ({ path: `/accounts/${id}`, right: 'getAccount' }),
  'webhook-paused': (id) => ({ path: `/webhooks/${id}`, right: 'getWebhook' }),
  'secret-expires': () => ({ path: '/secrets', right: 'listSecrets' }),
  'secrets-sealed': () => ({ path: '/secrets', right: 'listSecrets' }),
}

/** @returns undefined for what the caller may not look at */
export function attentionLink(
  kind: Attention['kind'],
  id: string | null,
  may: (right: string) => boolean,
): string | undefined {
  const { path, right } = places[kind](id)
  return may(right) ? path : undefined
}
