import { IconSitemap } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { organizationTexts as texts } from '../../texts/organizations.ts'
import type { Area } from '../area.ts'

export const organizations: Area = {
  destination: { path: '/organizations', label: texts.title, icon: IconSitemap, group: texts.group },
  right: 'listOrganizations',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/organizations',
      component: lazyRouteComponent(() => import('./organizations-page.tsx'), 'OrganizationsPage'),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/organizations/deleted',
      component: lazyRouteComponent(() => import('./deleted-page.tsx'), 'DeletedPage'),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/organizations/transfer',
      component: lazyRouteComponent(() => import('./transfer-page.tsx'), 'TransferPage'),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/organizations/$id',
      component: lazyRouteComponent(() => import('./organization-page.tsx'), 'OrganizationPage'),
    }),
  ],
}
