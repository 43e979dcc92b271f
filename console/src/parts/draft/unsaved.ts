/** What was changed in the page and not saved yet, so that signing out does not drop it without a word. */
import { useEffect } from 'react'

const holders = new Set<symbol>()

export const hasUnsaved = (): boolean => holders.size > 0

/** @param isChanged whether the component that calls it holds changes */
export function useUnsaved(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return
    const holder = Symbol('unsaved changes')
    holders.add(holder)
    return () => void holders.delete(holder)
  }, [isChanged])
}
