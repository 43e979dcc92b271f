import type { Explanations } from './kinds.ts'

/** END17x: what schedules say, and their runs. DIR47x: the schedules of the control store. DIR84x: what operators hold. */
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
  DIR840: {
    meaning:
      'Nothing was sent, because the installation is quiet: it was restored from a backup, or an operator or the setting quiet keeps it quiet. For a script this is the error of a request or message; the run goes on.',
    action: 'When it may send again, run `tripfolio resume`, or end it on the overview of the console.',
  },
  DIR841: {
    meaning: 'Whoever holds something says why, and there was no reason or a very long one.',
    action: 'Give a reason in a sentence.',
  },
  DIR842: {
    meaning: 'Refreshes are held: an operator holds them, or a rollback did, so that no refresh undoes it.',
    action:
      'When the extract is right again, run `tripfolio refresh resume`. To publish one refresh all the same, use the option that the hint names.',
  },
  DIR843: {
    meaning: 'Admin API: the snapshot cannot become current, because it is damaged or of another format.',
    action: 'Choose another one. Nothing was changed.',
  },
} satisfies Explanations
