/** What a workload gets and what it gives back. */

import type { Server } from './contenders/server.ts'

export type Bench = {
  readonly pace: Pace
  /** Profiles every workload that can be, not only those that miss a target. */
  readonly profiling: boolean
  /** Both peers, loaded with the clients of the data set that most workloads ask; started on first need. */
  readonly peers: () => Promise<Peers>
}

export type Peers = {
  readonly servers: readonly Server[]
  /** Why a peer is missing, or what to know of it. */
  readonly notes: readonly string[]
}

export type Pace = {
  readonly rounds: number
  /** Peers are slower and vary less between rounds. */
  readonly peerRounds: number
  readonly seconds: number
  readonly warmUpSeconds: number
  readonly repeats: number
  /** Of the account that floods the service. */
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
  /** One sentence: what is asked, of how much. */
  readonly what: string
  readonly tables: readonly Table[]
  readonly notes?: readonly string[]
}

export type Workload = (bench: Bench) => Promise<WorkloadResult>
