import { IconPackage } from '@tabler/icons-react'
import { createRoute } from '@tanstack/react-router'
import { lazyPart } from '../../parts/lazy/lazy-part.tsx'
import { moduleTexts as texts } from '../../texts/scripts/modules.ts'
import type { Area } from '../area.ts'

export const modules: Area = {
  destination: { path: '/modules', label: texts.title, icon: IconPackage, group: 'Scripts' },
  right: 'listModules',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/modules',
      component: lazyPart(async () => (await import('./modules-page.tsx')).ModulesPage),
    }),
    createRoute({
      getParentRoute: () => root,
      path: '/modules/$name',
      component: lazyPart(async () => (await import('./module-page.tsx')).ModulePage),
    }),
  ],
}
