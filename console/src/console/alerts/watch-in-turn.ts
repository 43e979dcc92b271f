/**
 * Of the hidden tabs of a browser one watches: each keeps a connection open, and a browser opens six to a server without
 * HTTP/2. One that is hidden first goes on; the next takes its turn when the one before is shown or closed.
 *
 * @param signal ends the turn, or the wait for it
 * @param onTurn is told whether this tab watches
 */
export async function watchInTurn(signal: AbortSignal, onTurn: (isTurn: boolean) => void): Promise<void> {
  // Browsers have locks only where the page came by https or from the own machine.
  const { locks } = navigator as Partial<Navigator>
  if (locks === undefined) return onTurn(false)
  const hold = () => {
    onTurn(true)
    return aborted(signal)
  }
  await locks.request(LOCK, { ifAvailable: true }, (lock) => (lock === null ? onTurn(false) : hold()))
  if (signal.aborted) return
  await locks.request(LOCK, { signal }, hold).catch((cause: unknown) => {
    if (!signal.aborted) throw cause
  })
}

const LOCK = 'tripfolio-console-watch'

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
