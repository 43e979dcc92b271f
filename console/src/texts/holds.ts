/** Texts of what operators hold. */
export const holdTexts = {
  banner: 'What is held',
  held: {
    outbound: 'This installation is quiet: nothing runs by schedule, and nothing is sent to others.',
    schedules: 'Schedules are held: no run begins by the clock.',
    refreshes: 'Refreshes are held: the data stays as it is.',
  },
  hold: {
    outbound: 'Make it quiet',
    schedules: 'Hold all schedules',
    refreshes: 'Hold refreshes',
  },
  holdText: {
    outbound:
      'No schedule and no scheduled refresh begins, HTTP requests and mail of scripts fail, and webhooks wait, on all nodes, until somebody ends it.',
    schedules:
      'No run begins by the clock, on any node, until somebody resumes them. Runs that are under way go on.',
    refreshes:
      'No refresh begins, by schedule or on request, on any node, until somebody resumes them. One that runs goes on.',
  },
  reason: 'Why',
  reasonHint: 'For whoever finds it held.',
  by: 'By',
  since: 'since',
  because: 'because:',
  resume: {
    outbound: 'End the quiet',
    schedules: 'Resume schedules',
    refreshes: 'Resume refreshes',
  },
  resumeText: {
    outbound:
      'Scripts may send HTTP requests and mail again, waiting webhooks are sent, and schedules make up for what they missed, as each of them says. Do not do that in a copy whose original runs.',
    schedules: 'Schedules make up for what they missed, as each of them says.',
    refreshes: 'The next scheduled refresh publishes a new snapshot, as always.',
  },
  resumed: 'Resumed',
} as const
