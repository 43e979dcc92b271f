/** A line of the navigation. */
import type { ComponentType } from 'react'

export type Destination = {
  readonly path: string
  readonly label: string
  readonly icon: ComponentType<{
    readonly size?: number
    readonly stroke?: number
    readonly 'aria-hidden'?: boolean
  }>
  /** Destinations with one heading stand together. */
  readonly group?: string
}
