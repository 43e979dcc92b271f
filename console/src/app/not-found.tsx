/** What is shown at an address that names no page, such as one of an old link. */
import { Button } from '@mantine/core'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Page } from '../parts/page.tsx'
import { EmptyState } from '../parts/states.tsx'
import { appTexts } from '../texts/app.ts'

export function NotFound(): ReactNode {
  const navigate = useNavigate()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  return (
    <Page title={appTexts.noSuchPage}>
      <EmptyState
        title={appTexts.noPageAt(path)}
        hint={appTexts.noPageHint}
        action={
          <Button variant="default" onClick={() => void navigate({ to: '/' })}>
            {appTexts.toStart}
          </Button>
        }
      />
    </Page>
  )
}
