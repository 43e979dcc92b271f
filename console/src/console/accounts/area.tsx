import { IconKey } from '@tabler/icons-react'
import { createRoute } from '@tanstack/react-router'
import { lazyPart } from '../../parts/lazy/lazy-part.tsx'
import { accountTexts as texts } from '../../texts/accounts.ts'
import type { Area } from '../area.ts'

export const accounts: Area = {
  destination: { path: '/accounts', label: texts.title, icon: IconKey, group: texts.group },
  right: 'listAccounts',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/accounts',
      component: lazyPart(async () => (await import('./accounts-page.tsx')).AccountsPage),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/accounts/$id',
      component: lazyPart(async () => (await import('./account-page.tsx')).AccountPage),
    }),
  ],
}
