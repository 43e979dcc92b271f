/** Where the reader is when another page comes: at its top, or where it was left when the reader goes back to it. */
import { useRouter } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'

/** @param content what scrolls */
export function usePagePlace(content: RefObject<HTMLElement | null>): void {
  const router = useRouter()
  /** By steps of the history, in pixels. */
  const tops = useRef(new Map<string | undefined, number>())
  useEffect(() => {
    const forgetLeaving = router.subscribe('onBeforeNavigate', ({ fromLocation }) => {
      tops.current.set(fromLocation?.state.__TSR_key, content.current?.scrollTop ?? 0)
    })
    const forgetComing = router.subscribe('onRendered', ({ pathChanged, toLocation }) => {
      if (content.current === null || !pathChanged) return
      content.current.scrollTop = tops.current.get(toLocation.state.__TSR_key) ?? 0
    })
    return () => {
      forgetLeaving()
      forgetComing()
    }
  }, [router, content])
}
