import { IconSitemap } from '@tabler/icons-react'
import { createRoute } from '@tanstack/react-router'
import { lazyPart } from '../../parts/lazy/lazy-part.tsx'
import { organizationTexts as texts } from '../../texts/organizations.ts'
import type { Area } from '../area.ts'

export const organizations: Area = {
  destination: { path: '/organizations', label: texts.title, icon: IconSitemap, group: texts.group },
  right: 'listOrganizations',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/organizations',
      component: lazyPart(async () => (await import('./organizations-page.tsx')).OrganizationsPage),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/organizations/deleted',
      component: lazyPart(async () => (await import('./deleted-page.tsx')).DeletedPage),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/organizations/transfer',
      component: lazyPart(async () => (await import('./transfer-page.tsx')).TransferPage),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/organizations/$id',
      component: lazyPart(async () => (await import('./organization-page.tsx')).OrganizationPage),
    }),
  ],
}
