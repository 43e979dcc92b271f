/** The function CancelAction of the host. It ends the run at the call; `ended-run.ts` makes the response of what it leaves here. */
import { ScriptFailure } from '../../script/problems.ts'
import { any, define, type NativeFunction, toText } from '../../script/values.ts'
import { hostOf } from './run-host.ts'

/** In UTF-16 units. The reason is sent to the caller and kept in the history. */
const LONGEST_REASON = 4096

const cancelAction = define({
  name: 'CancelAction',
  category: 'Run',
  parameters: [any('reason')],
  returns: 'null',
  about:
    'Ends the run: the caller gets 409 with the reason as {error, executionId}, and the history shows the run as Cancelled with the reason. What the run has written stays. A reason of more than 4096 characters is cut.',
  body(context, reason) {
    const host = hostOf(context)
    // A variable without a value is no reason, and not the text "null".
    const written = reason === null ? '' : toText(reason, context.work)
    host.cancelled ??= written.slice(0, LONGEST_REASON).toWellFormed().trim() || 'The script gave no reason'
    throw new ScriptFailure('JM5003', 'The script cancelled the run')
  },
})

export const cancelFunctions: readonly NativeFunction[] = [cancelAction]
