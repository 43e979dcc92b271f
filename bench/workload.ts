/** The types of a workload: its inputs and its report. */

import type { Server } from './contenders/server.ts'

export type Bench = {
  readonly pace: Pace
  /** Profiles every workload that supports it, not only those that miss a target. */
  readonly profiling: boolean
  /** Both peers, loaded with the clients of the common data set; started on first need. */
  readonly peers: () => Promise<Peers>
}

export type Peers = {
  readonly servers: readonly Server[]
  /** Remarks on the peers, such as why one is missing. */
  readonly notes: readonly string[]
}

export type Pace = {
  readonly rounds: number
  /** Peers are slower and vary less between rounds. */
  readonly peerRounds: number
  readonly seconds: number
  readonly warmUpSeconds: number
  readonly repeats: number
  /** The number of connections of the account that floods the service. */
  readonly floodConnections: number
}

export const fullPace: Pace = {
  rounds: 4,
  peerRounds: 2,
  seconds: 2,
  warmUpSeconds: 1,
  repeats: 5,
  floodConnections: 1000,
}
export const quickPace: Pace = {
  rounds: 1,
  peerRounds: 1,
  seconds: 1,
  warmUpSeconds: 0.3,
  repeats: 1,
  floodConnections: 200,
}

export type Row = Readonly<Record<string, string | number>>

export type Table = { readonly title?: string; readonly rows: readonly Row[] }

export type WorkloadResult = {
  /** One sentence: what is requested, and of how much data. */
  readonly what: string
  readonly tables: readonly Table[]
  readonly notes?: readonly string[]
}

export type Workload = (bench: Bench) => Promise<WorkloadResult>
