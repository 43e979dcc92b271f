/** What the log of the service learns of a run that is over: what the script logged, and why it failed. Tests are silent. */
import type { Observe } from '../../observe/observation.ts'
import type { Execution } from '../../schema/execution-shapes.ts'

/** @param execution without anything secret */
export function reportRun(execution: Execution, defects: readonly unknown[], observe: Observe): void {
  const { id, type, endpointName, log, error } = execution
  const run = { executionId: id, endpoint: endpointName }
  if (type !== 'Test') {
    for (const { time, level, message } of log) {
      observe({ kind: 'script-logged', ...run, level, message, loggedAt: time })
    }
    if (error !== null) {
      const { code, message, line } = error
      observe({ kind: 'script-failed', ...run, code, message, line })
    }
  }
  // What went wrong inside of the service is told of tests, too.
  for (const cause of defects) observe({ kind: 'script-defect', ...run, cause })
}
