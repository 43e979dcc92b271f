import type { Explanations } from './kinds.ts'

/** END17x: what schedules say, and their runs. DIR47x: the schedules of the control store. */
export const scheduleExplanations = {
  END170: {
    meaning:
      'The schedules of the endpoint have faults, or it has neither a route nor a schedule, so it is not published.',
    action: 'Correct everything that `details` lists. Columns count within the text of the member.',
  },
  END171: {
    meaning:
      'The process that ran a scheduled script ended before the run did. The run is recorded as failed with this code, and is not started again.',
    action: 'Find out what the script has done. If it may do that again, run the schedule now.',
  },
  DIR470: {
    meaning: 'A definition has a method without a path, or a path without a method.',
    action: 'Give both, or neither for a script that only schedules run.',
  },
  DIR471: {
    meaning: 'The published version of the endpoint has no schedule of this name.',
    action: 'The hint names the schedules that it has. Publish the draft if the schedule is new.',
  },
  DIR472: {
    meaning: 'The schedule may not run now, because a run of it is under way or was asked for.',
    action: 'Wait for the end of the run that the message names.',
  },
  DIR473: {
    meaning: 'The schedule cannot run, because its endpoint is inactive.',
    action: 'Activate the endpoint.',
  },
} satisfies Explanations
