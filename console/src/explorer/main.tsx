/** The explorer: a client's own records, read with an API key. */
import { Suspense } from 'react'
import { startApp } from '../app/start-app.tsx'
import { LoadingState } from '../parts/states.tsx'
import { Explorer } from './explorer.tsx'
import { restoreSession } from './session/session.tsx'

startApp(
  <Suspense fallback={<LoadingState />}>
    <Explorer restoring={restoreSession()} />
  </Suspense>,
)
