import { IconKey } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountTexts as texts } from '../../texts/accounts.ts'
import type { Area } from '../area.ts'

export const accounts: Area = {
  destination: { path: '/accounts', label: texts.title, icon: IconKey, group: texts.group },
  right: 'listAccounts',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/accounts',
      component: lazyRouteComponent(() => import('./accounts-page.tsx'), 'AccountsPage'),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/accounts/$id',
      component: lazyRouteComponent(() => import('./account-page.tsx'), 'AccountPage'),
    }),
  ],
}
