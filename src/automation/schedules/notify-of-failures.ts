/** Tells the operators that a schedule keeps failing: once, until it has succeeded again. */
import type { Notifications } from '../../directory/notifications/notifications.ts'
import { cutToBytes } from '../../kernel/detached-string.ts'

/** How many failures in a row are told. One may have been an accident. */
const FAILURES_THAT_TELL = 3

type FailingSchedule = {
  readonly endpointId: string
  readonly endpoint: string
  readonly schedule: string
  readonly failures: number
  readonly error: string | null
}

const MOST_ERROR_BYTES = 1000

export async function notifyOfFailures(
  { endpointId, endpoint, schedule, failures, error }: FailingSchedule,
  notifications: Pick<Notifications, 'send'>,
): Promise<void> {
  if (failures !== FAILURES_THAT_TELL) return
  const reason = cutToBytes(error ?? 'no reason is known', MOST_ERROR_BYTES).text
  await notifications.send(
    {
      title: `The schedule ${schedule} keeps failing`,
      message: `The schedule ${schedule} of the endpoint '${endpoint}' (${endpointId}) has failed ${failures} times in a row, at last because: ${reason}`,
      type: 'Error',
      link: null,
      audience: null,
    },
    'service:schedules',
  )
}
