import { IconWebhook } from '@tabler/icons-react'
import { createRoute } from '@tanstack/react-router'
import { lazyPart } from '../../parts/lazy/lazy-part.tsx'
import { webhookTexts as texts } from '../../texts/webhooks.ts'
import type { Area } from '../area.ts'

export const webhooks: Area = {
  destination: { path: '/webhooks', label: texts.title, icon: IconWebhook, group: texts.group },
  right: 'listWebhooks',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/webhooks',
      component: lazyPart(async () => (await import('./webhooks-page.tsx')).WebhooksPage),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/webhooks/$id',
      component: lazyPart(async () => (await import('./webhook-page.tsx')).WebhookPage),
    }),
  ],
}
