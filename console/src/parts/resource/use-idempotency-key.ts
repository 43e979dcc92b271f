/** A key by which the API knows a repeated request: when an answer was lost, sending the same again gives the same answer. */
import { useRef } from 'react'

/** @returns a function that gives the same key for the same content, as long as the component lives */
export function useIdempotencyKey(): (content: unknown) => string {
  const last = useRef<{ readonly content: string; readonly key: string }>(null)
  return (content) => {
    const text = JSON.stringify(content) ?? ''
    if (last.current?.content !== text) last.current = { content: text, key: randomKey() }
    return last.current.key
  }
}

/** `crypto.randomUUID` exists only where the page came by https. */
const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
