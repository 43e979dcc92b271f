import { IconTags } from '@tabler/icons-react'
import { createRoute } from '@tanstack/react-router'
import { lazyPart } from '../../parts/lazy/lazy-part.tsx'
import { facetTexts as texts } from '../../texts/facets.ts'
import type { Area } from '../area.ts'

export const facets: Area = {
  destination: { path: '/facets', label: texts.title, icon: IconTags, group: texts.group },
  right: 'listFacetDefinitions',
  routesUnder: (root) => [
    createRoute({
      getParentRoute: () => root,
      path: '/facets',
      component: lazyPart(async () => (await import('./facets-page.tsx')).FacetsPage),
    }),
  ],
}
