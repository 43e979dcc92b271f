/** The areas of the console: their pages by address, and where they stand in the navigation. */
import { Text } from '@mantine/core'
import { createRootRoute, Outlet } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Frame } from '../app/frame.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { hasUnsaved } from '../parts/draft/unsaved.ts'
import { TitleCount } from '../parts/page.tsx'
import { consoleTexts as texts } from '../texts/console.ts'
import { accounts } from './accounts/area.tsx'
import { AlertSwitch } from './alerts/alert-switch.tsx'
import { useFailureAlerts } from './alerts/use-failure-alerts.tsx'
import type { Area } from './area.ts'
import { audit } from './audit/area.tsx'
import { clients } from './clients/area.tsx'
import { endpoints } from './endpoints/area.tsx'
import { executions } from './executions/area.tsx'
import { facets } from './facets/area.tsx'
import { HoldBanner } from './holds/hold-banner.tsx'
import { modules } from './modules/area.tsx'
import { notifications } from './notifications/area.tsx'
import { Bell } from './notifications/bell.tsx'
import { organizations } from './organizations/area.tsx'
import { overview } from './overview/area.tsx'
import { persons } from './persons/area.tsx'
import { schedules } from './schedules/area.tsx'
import { secrets } from './secrets/area.tsx'
import { useSession } from './session/session.tsx'
import { snapshots } from './snapshots/area.tsx'
import { system } from './system/area.tsx'
import { webhooks } from './webhooks/area.tsx'

/** In the order of the navigation. Each area has a file `area.tsx` with its routes and its destination. */
const areas: readonly Area[] = [
  overview,
  clients,
  accounts,
  snapshots,
  endpoints,
  modules,
  schedules,
  executions,
  secrets,
  organizations,
  persons,
  facets,
  webhooks,
  notifications,
  audit,
  system,
]

function ConsoleFrame(): ReactNode {
  const { me, may, signOut } = useSession()
  const alerts = useFailureAlerts()
  const [asksToSignOut, setAsksToSignOut] = useState(false)
  const destinations = areas.flatMap(({ destination, right }) => (may(right) ? [destination] : []))
  return (
    <TitleCount value={alerts.unseen}>
      <Frame
        title={texts.title}
        destinations={destinations}
        commands={alerts.commands}
        status={<Text truncate>{me.name}</Text>}
        tools={
          may('listNotifications') && (
            <Bell>
              <AlertSwitch alerts={alerts} />
            </Bell>
          )
        }
        onSignOut={() => (hasUnsaved() ? setAsksToSignOut(true) : signOut())}
      >
        <HoldBanner />
        <Outlet />
        <ConfirmDialog
          isOpen={asksToSignOut}
          title={texts.signOutTitle}
          action={texts.signOut}
          isDangerous
          onConfirm={async () => signOut()}
          onClose={() => setAsksToSignOut(false)}
        >
          <Text>{texts.signOutText}</Text>
        </ConfirmDialog>
      </Frame>
    </TitleCount>
  )
}

const root = createRootRoute({ component: ConsoleFrame })

export const consoleRoutes = root.addChildren(areas.flatMap(({ routesUnder }) => routesUnder(root)))
