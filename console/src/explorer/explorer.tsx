/** Asks for a key, then shows the pages. The fragment of the address names the page and its query, so no server sees it. */

import { useQueryClient } from '@tanstack/react-query'
import { createHashHistory, createRouter, RouterProvider } from '@tanstack/react-router'
import { type ReactNode, use, useState } from 'react'
import { NotFound } from '../app/not-found.tsx'
import { textSearch } from '../app/text-search.ts'
import { explorerRoutes } from './routes.tsx'
import { type OpenedSession, type Restored, SessionProvider } from './session/session.tsx'
import { SignIn } from './session/sign-in.tsx'

/** @param restoring the session that the tab has kept; undefined when it has none */
export function Explorer({ restoring }: { readonly restoring: Promise<Restored> | undefined }): ReactNode {
  const restored = restoring && use(restoring)
  const queries = useQueryClient()
  const [opened, setOpened] = useState<OpenedSession | undefined>(restored?.opened)
  const [isExpired, setExpired] = useState(false)
  // A new router per session, which starts at the address that the page has then.
  const [router, setRouter] = useState(createExplorerRouter)
  if (opened === undefined) {
    return (
      <SignIn
        isExpired={isExpired}
        failed={restored?.failure}
        onOpen={(session) => {
          setRouter(createExplorerRouter())
          setOpened(session)
        }}
      />
    )
  }
  const end = (reason: 'signed-out' | 'expired') => {
    queries.clear()
    setExpired(reason === 'expired')
    setOpened(undefined)
  }
  return (
    <SessionProvider opened={opened} onEnd={end}>
      <RouterProvider router={router} />
    </SessionProvider>
  )
}

const createExplorerRouter = () =>
  createRouter({
    routeTree: explorerRoutes,
    history: createHashHistory(),
    defaultPreload: 'intent',
    defaultNotFoundComponent: NotFound,
    // A page of another object begins anew.
    defaultRemountDeps: ({ params }) => params,
    ...textSearch,
  })

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Nothing is kept in the history but the address. */
    readonly none?: never
  }
}
