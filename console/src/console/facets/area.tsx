import { IconTags } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { facetTexts as texts } from '../../texts/facets.ts'
import type { Area } from '../area.ts'

export const facets: Area = {
  destination: { path: '/facets', label: texts.title, icon: IconTags, group: texts.group },
  right: 'listFacetDefinitions',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/facets',
      component: lazyRouteComponent(() => import('./facets-page.tsx'), 'FacetsPage'),
    }),
  ],
}
