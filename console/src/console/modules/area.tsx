import { IconPackage } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { moduleTexts as texts } from '../../texts/scripts/modules.ts'
import type { Area } from '../area.ts'

export const modules: Area = {
  destination: { path: '/modules', label: texts.title, icon: IconPackage, group: 'Scripts' },
  right: 'listModules',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/modules',
      component: lazyRouteComponent(() => import('./modules-page.tsx'), 'ModulesPage'),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/modules/$name',
      component: lazyRouteComponent(() => import('./module-page.tsx'), 'ModulePage'),
    }),
  ],
}
