/** The pages of the explorer by address, and where each stands in the navigation. */

import { IconDelta, IconKey, IconReceipt2, IconRoute, IconTicket } from '@tabler/icons-react'
import {
  createRootRoute,
  createRoute,
  lazyRouteComponent,
  Outlet,
  redirect,
  useNavigate,
  useRouterState,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Command } from '../app/command-palette.tsx'
import type { Destination } from '../app/destination.ts'
import { Frame } from '../app/frame.tsx'
import { changesTexts } from '../texts/changes.ts'
import { explorerTexts as texts } from '../texts/explorer.ts'
import { recordTexts } from '../texts/records.ts'
import { rotationTexts } from '../texts/rotation.ts'
import { listNames } from './fields/list-fields.ts'
import { ListPage } from './list/list-page.tsx'
import { toolbar } from './query/toolbar.ts'
import { useSession } from './session/session.tsx'

const icons = { bookings: IconTicket, itineraries: IconRoute, invoices: IconReceipt2 }

const destinations: readonly Destination[] = [
  ...listNames.map((list) => ({ path: `/${list}`, label: recordTexts.lists[list], icon: icons[list] })),
  { path: '/changes', label: changesTexts.title, icon: IconDelta },
  { path: '/key', label: rotationTexts.title, icon: IconKey },
]

function ExplorerFrame(): ReactNode {
  const { clientNumber, signOut } = useSession()
  const commands = useListCommands()
  return (
    <Frame
      title={texts.title}
      destinations={destinations}
      commands={commands}
      status={texts.client(clientNumber)}
      onSignOut={signOut}
    >
      <Outlet />
    </Frame>
  )
}

/** The tools of the list that is shown, for the palette. */
function useListCommands(): readonly Command[] {
  const navigate = useNavigate()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  if (!listNames.some((name) => path === `/${name}`)) return []
  return toolbar.map(({ id, label, icon }) => ({
    ...{ id, label, icon },
    run: () =>
      void navigate({
        to: path,
        replace: true,
        search: ((before: Readonly<Record<string, unknown>>) => ({ ...before, tool: id })) as never,
      }),
  }))
}

const root = createRootRoute({ component: ExplorerFrame })

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/bookings' })
  },
})

const lists = listNames.map((list) =>
  createRoute({ getParentRoute: () => root, path: `/${list}`, component: ListPage }),
)

const changes = createRoute({
  getParentRoute: () => root,
  path: '/changes',
  component: lazyRouteComponent(() => import('./changes/changes-page.tsx'), 'ChangesPage'),
})

const key = createRoute({
  getParentRoute: () => root,
  path: '/key',
  component: lazyRouteComponent(() => import('./rotation/rotation-page.tsx'), 'RotationPage'),
})

export const explorerRoutes = root.addChildren([start, ...lists, changes, key])
