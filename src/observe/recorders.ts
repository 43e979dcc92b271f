import type { Observation } from './observation.ts'

/** What is done with each kind of observation. */
export type Recorders = {
  readonly [K in Observation['kind']]: (observation: Extract<Observation, { kind: K }>) => void
}
