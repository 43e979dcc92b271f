/** Filters, sorts and searches of a page, kept in its address, so that a link shows the same and Back goes back. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

export type AddressParameters = Readonly<Record<string, string | undefined>>

/** `push` makes the change a step that Back undoes. */
export type ChangeAddress = (changes: AddressParameters, step?: 'replace' | 'push') => void

/** @returns the parameters, and a function that changes some of them; undefined and empty texts leave the address */
export function useAddress(): readonly [AddressParameters, ChangeAddress] {
  const search = useSearch({ strict: false }) as Readonly<Record<string, unknown>>
  const navigate = useNavigate()
  const parameters: Record<string, string> = {}
  for (const [name, value] of Object.entries(search)) parameters[name] = String(value)
  const change = useCallback(
    (changes: AddressParameters, step: 'replace' | 'push' = 'replace') =>
      void navigate({
        to: '.',
        replace: step === 'replace',
        search: ((before: Readonly<Record<string, unknown>>) =>
          Object.fromEntries(
            Object.entries({ ...before, ...changes }).filter(
              ([, value]) => value !== undefined && value !== '',
            ),
          )) as never,
      }),
    [navigate],
  )
  return [parameters, change]
}
