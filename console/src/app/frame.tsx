/**
 * The frame of every page: a bar with the brand, the navigation, and the page. Wide screens show the navigation beside the
 * page, narrow ones in a drawer.
 */
import { ActionIcon, Button, Drawer, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { spotlight } from '@mantine/spotlight'
import { IconLogout, IconMenu2, IconMoon, IconSearch, IconSun } from '@tabler/icons-react'
import { Link, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { appTexts } from '../texts/app.ts'
import { dialogTexts } from '../texts/dialogs.ts'
import { type Command, Palette } from './command-palette.tsx'
import type { Destination } from './destination.ts'
import { FailureBoundary } from './failure-boundary.tsx'
import classes from './frame.module.css'
import { usePagePlace } from './use-page-place.ts'

type FrameProps = {
  readonly title: string
  readonly destinations: readonly Destination[]
  readonly commands?: readonly Command[]
  /** Beside the buttons of the bar, such as who is signed in; above the navigation of narrow screens. */
  readonly status?: ReactNode
  /** Further buttons of the bar, such as the bell. */
  readonly tools?: ReactNode
  readonly onSignOut?: () => void
  readonly children: ReactNode
}

export function Frame({
  title,
  destinations,
  commands = [],
  status,
  tools,
  onSignOut,
  children,
}: FrameProps): ReactNode {
  const [isOpen, { open, close }] = useDisclosure()
  const content = useRef<HTMLElement>(null)
  usePagePlace(content)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  return (
    <div className={classes.frame}>
      <button type="button" className={classes.skip} onClick={focusContent}>
        {appTexts.skipToContent}
      </button>
      <header className={classes.bar}>
        <ActionIcon
          className={classes.menu}
          variant="subtle"
          color="gray"
          aria-label={appTexts.menu}
          onClick={open}
        >
          <IconMenu2 size={20} aria-hidden />
        </ActionIcon>
        <Link to="/" className={classes.brand}>
          {title}
        </Link>
        <div className={classes.tools}>
          {status !== undefined && <div className={classes.status}>{status}</div>}
          <Button
            className={classes.palette}
            variant="default"
            size="xs"
            onClick={spotlight.open}
            leftSection={<IconSearch size={14} aria-hidden />}
            rightSection={<kbd className={classes.key}>{appTexts.paletteHint}</kbd>}
          >
            {appTexts.palette}
          </Button>
          {tools}
          <ColorSchemeButton />
          {onSignOut !== undefined && (
            <ActionIcon variant="subtle" color="gray" aria-label={appTexts.signOut} onClick={onSignOut}>
              <IconLogout size={18} aria-hidden />
            </ActionIcon>
          )}
        </div>
      </header>
      <nav className={classes.side} aria-label={appTexts.mainNavigation}>
        <Destinations destinations={destinations} />
      </nav>
      <main ref={content} className={classes.page} id="content" tabIndex={-1}>
        <FailureBoundary page={path}>{children}</FailureBoundary>
      </main>
      <Drawer
        opened={isOpen}
        onClose={close}
        title={title}
        size="17rem"
        closeButtonProps={{ 'aria-label': dialogTexts.close }}
        classNames={{ body: classes.drawer }}
      >
        {status !== undefined && <div className={classes.status}>{status}</div>}
        <nav aria-label={appTexts.mainNavigation}>
          <Destinations destinations={destinations} onFollow={close} />
        </nav>
      </Drawer>
      <Palette destinations={destinations} commands={commands} />
    </div>
  )
}

/** A link to the content would change the fragment, which names the page. */
function focusContent(): void {
  document.getElementById('content')?.focus()
}

type DestinationsProps = { readonly destinations: readonly Destination[]; readonly onFollow?: () => void }

function Destinations({ destinations, onFollow }: DestinationsProps): ReactNode {
  const groups = Map.groupBy(destinations, ({ group }) => group)
  return [...groups].map(([group, entries]) => (
    <div key={group ?? ''} className={classes.group}>
      {group !== undefined && <p className={classes.heading}>{group}</p>}
      <ul>
        {entries.map(({ path, label, icon: Icon }) => (
          <li key={path}>
            <Link
              to={path}
              className={classes.link}
              activeOptions={{ exact: path === '/', includeSearch: false }}
              activeProps={{ 'aria-current': 'page' }}
              onClick={onFollow}
            >
              <Icon size={18} stroke={1.6} aria-hidden />
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  ))
}

function ColorSchemeButton(): ReactNode {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false })
  const isDark = scheme === 'dark'
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={appTexts.colorScheme}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      {isDark ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />}
    </ActionIcon>
  )
}
