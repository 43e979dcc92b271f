import { IconHistory } from '@tabler/icons-react'
import { createRoute } from '@tanstack/react-router'
import { lazyPart } from '../../parts/lazy/lazy-part.tsx'
import { auditTexts as texts } from '../../texts/audit.ts'
import type { Area } from '../area.ts'

export const audit: Area = {
  destination: { path: '/audit', label: texts.title, icon: IconHistory, group: texts.group },
  right: 'listAudit',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/audit',
      component: lazyPart(async () => (await import('./audit-page.tsx')).AuditPage),
    }),
  ],
}
