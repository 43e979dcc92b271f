import { useRef } from 'react'

/** The first value that there was: what a form began with, although its object may be loaded again while it is open. */
export function useFirst<T>(value: T | undefined): T | undefined {
  const first = useRef(value)
  first.current ??= value
  return first.current
}
