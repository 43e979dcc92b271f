/** Puts an application into the page: theme, queries, notifications, and what is shown when a part of it fails. */
import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '@mantine/spotlight/styles.css'
import 'virtual:theme.css'
import './base.css'
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiProblem } from '../api/problem.ts'
import { PartUnreachable } from '../parts/lazy/lazy-part.tsx'
import { FailureBoundary } from './failure-boundary.tsx'
import { explainMissingParts, isMissingPart } from './missing-parts.ts'
import { returnFocus } from './return-focus.ts'
import { theme } from './theme.ts'

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The service may be reachable where the browser believes to be offline, and what is not reachable says so.
      networkMode: 'always',
      staleTime: 15_000,
      refetchOnWindowFocus: true,
      // What the server refuses it refuses again.
      retry: (count, error) => count < 2 && !(error instanceof ApiProblem && isRefusal(error.status)),
    },
  },
})

const isRefusal = (status: number): boolean => status >= 400 && status < 500 && status !== 429

/** What a boundary shows with its reason is no error of the application. */
function report(cause: unknown, { componentStack }: { readonly componentStack?: string | undefined }): void {
  if (cause instanceof PartUnreachable || isMissingPart(cause)) return
  console.error(cause, componentStack)
}

/** Of the theme only: no credential and no data is kept in the browser. */
const colorSchemes = localStorageColorSchemeManager({ key: 'tripfolio-color-scheme' })

export function startApp(content: ReactNode): void {
  explainMissingParts()
  returnFocus()
  createRoot(document.getElementById('root') as HTMLElement, { onCaughtError: report }).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        colorSchemeManager={colorSchemes}
        withCssVariables={false}
        withGlobalClasses={false}
      >
        <QueryClientProvider client={queryClient}>
          <Notifications position="bottom-right" limit={4} />
          <FailureBoundary>{content}</FailureBoundary>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}
