import type { Observation } from './observation.ts'

/** How each kind of observation is counted. */
export type Recorders = {
  readonly [K in Observation['kind']]: (observation: Extract<Observation, { kind: K }>) => void
}
