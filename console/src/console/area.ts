/** An area of the console: a line of the navigation and the pages behind it. */
import type { AnyRoute } from '@tanstack/react-router'
import type { Destination } from '../app/destination.ts'

export type Area = {
  readonly destination: Destination
  /** The operation without which the area is not offered. */
  readonly right: string
  readonly routesUnder: (root: AnyRoute) => readonly AnyRoute[]
}
