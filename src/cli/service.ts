/** The service that the composition root starts for `serve`, which must not know the engine. */
import type { Config } from '../config/load-config.ts'
import type { ControlStore } from '../directory/control-store.ts'
import type { Refreshes } from '../ingest/refresh/refreshes.ts'
import type { Observe } from '../observe/observation.ts'

export type Service = {
  /** Where the service listens, e.g. `http://127.0.0.1:8080`. */
  readonly address: string
  /** Where operators have an address of their own; null where they have none. */
  readonly operatorAddress: string | null
  /** Whether there is a snapshot to answer from. */
  readonly hasSnapshot: () => boolean
  readonly store: ControlStore
  readonly observe: Observe
  readonly refreshes: Refreshes
  /** Makes a demo on an empty data folder. @returns null when there is something to serve already */
  readonly firstRun: (onStep: (step: FirstRunStep) => void, signal: AbortSignal) => Promise<DemoKey | null>
  /** Refreshes on schedule, and announces what other processes publish. @returns a function that ends both */
  readonly keepFresh: (onFailure: (cause: unknown) => void) => () => void
  /**
   * Stops accepting requests, lets those in flight finish, and closes the stores.
   *
   * @param reason why the service stops, for the log
   */
  readonly close: (reason?: string) => Promise<{ readonly requestsCutOff: number }>
}

export type DemoKey = {
  readonly apiKey: string
  readonly clientNumber: string
  /** The day around which the trips of the demo lie. */
  readonly today: number
}

export type FirstRunStep =
  /** Another process is making the demo. */
  | { readonly kind: 'waiting'; readonly place: string }
  | { readonly kind: 'extracting'; readonly bookings: number; readonly source: string }
  | { readonly kind: 'ingesting' }

/** @throws Problem when the port is taken, the data folder unusable or the control store unreadable */
export type StartService = (config: Config) => Promise<Service>
