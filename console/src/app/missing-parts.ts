/**
 * Parts of the application that are loaded later and are not there any more: an upgrade of the service has replaced them while
 * the page was open. Only a reload helps. It is left to the reader, who has to sign in again after it.
 */
import { appTexts } from '../texts/app.ts'

const missing = new WeakSet<Error>()

/** Gives the failures of such parts a message that says what to do. The router would reload the page by itself otherwise. */
export function explainMissingParts(): void {
  window.addEventListener('vite:preloadError', ({ payload }) => {
    missing.add(payload)
    payload.message = appTexts.partMissing
  })
}

export const isMissingPart = (failure: unknown): boolean => failure instanceof Error && missing.has(failure)
