/** Where steps are kept: in files of the data folder, in storage that several nodes share, or in a table of PostgreSQL. */
import type { Version2Stored } from '../../schema/datasets.ts'
import type { Step, StepRecords } from './step.ts'
import type { Succession } from './succession.ts'

/** An edge of the graph of versions. */
export type StepEdge = {
  /** Names of versions. */
  readonly from: string
  readonly to: string
  /** The snapshot whose refresh wrote the step. */
  readonly snapshot: string
  /**
   * @throws Problem of the kind `unavailable` when the step cannot be read at the moment
   * @throws Error with the reason when it is missing or damaged
   */
  readonly read: () => Promise<StepRecords>
}

export interface StepSource {
  /**
   * All steps between versions of one client's collection.
   *
   * @throws Problem of the kind `unavailable` when they cannot be known at the moment
   */
  edges(clientNumber: string, stored: Version2Stored): Promise<readonly StepEdge[]>
  /**
   * Which snapshots became current, in the order of their moments. As long as the succession of a snapshot is told, the steps of
   * its refresh are there: who asks for steps first, and then for successions, gets all that the successions rely on.
   *
   * @throws Problem of the kind `unavailable` when they cannot be known at the moment
   */
  successions(): Promise<readonly Succession[]>
}

/** Takes the steps of one refresh. */
export interface StepSink {
  /** May return before the step is stored. @throws Problem when this or an earlier step cannot be stored */
  add(step: Step): Promise<void>
  /** Resolves when all steps are stored durably. @throws Problem when one cannot be stored */
  stored(): Promise<void>
  /** Removes the steps again. */
  abandon(): Promise<void>
}
