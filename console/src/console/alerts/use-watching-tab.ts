import { useEffect, useState } from 'react'
import { watchInTurn } from './watch-in-turn.ts'

/** Whether this tab is to keep a stream open: every visible one, and one of those that are hidden. */
export function useWatchingTab(): boolean {
  const [isWatching, setWatching] = useState(true)
  useEffect(() => {
    const leaving = new AbortController()
    let shown = new AbortController()
    const follow = () => {
      shown.abort()
      shown = new AbortController()
      if (document.visibilityState === 'visible') setWatching(true)
      else void watchInTurn(shown.signal, setWatching)
    }
    follow()
    document.addEventListener('visibilitychange', follow, { signal: leaving.signal })
    return () => {
      leaving.abort()
      shown.abort()
    }
  }, [])
  return isWatching
}
