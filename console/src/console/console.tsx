/** Asks who it is, then shows the pages that the caller's roles may use. */
import { useQueryClient } from '@tanstack/react-query'
import { createHashHistory, createRouter, RouterProvider } from '@tanstack/react-router'
import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { NotFound } from '../app/not-found.tsx'
import { textSearch } from '../app/text-search.ts'
import { consoleRoutes } from './routes.tsx'
import { type EndReason, type OpenedSession, SessionProvider } from './session/session.tsx'
import { SignIn } from './session/sign-in.tsx'
import { SignInAgain } from './session/sign-in-again.tsx'

/** @param answer the address by which an identity provider has sent the browser back */
export function Console({ answer }: { readonly answer: string | undefined }): ReactNode {
  const queries = useQueryClient()
  const [opened, setOpened] = useState<OpenedSession>()
  const [endReason, setEndReason] = useState<EndReason>()
  const [router] = useState(createConsoleRouter)
  const end = useCallback(
    (reason: EndReason) => {
      setEndReason(reason)
      if (reason === 'expired') return
      queries.clear()
      setOpened(undefined)
    },
    [queries],
  )
  useEffect(() => {
    // What was refused while nobody was signed in is asked for again.
    if (opened !== undefined) void queries.invalidateQueries(undefined, { cancelRefetch: false })
  }, [opened, queries])
  if (opened === undefined) {
    const isFirst = endReason === undefined
    return <SignIn endReason={endReason} answer={isFirst ? answer : undefined} onOpen={setOpened} />
  }
  const reopen = (next: OpenedSession) => {
    if (next.me.principalId !== opened.me.principalId) queries.clear()
    setEndReason(undefined)
    setOpened(next)
  }
  return (
    <>
      {/* Another person sees nothing of what was typed before. */}
      <SessionProvider key={opened.me.principalId} opened={opened} onEnd={end}>
        <RouterProvider router={router} />
      </SessionProvider>
      {endReason === 'expired' && <SignInAgain onOpen={reopen} />}
    </>
  )
}

const createConsoleRouter = () =>
  createRouter({
    routeTree: consoleRoutes,
    history: createHashHistory(),
    defaultPreload: 'intent',
    defaultNotFoundComponent: NotFound,
    // A page of another object begins anew.
    defaultRemountDeps: ({ params }) => params,
    ...textSearch,
  })
