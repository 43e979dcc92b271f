/**
 * The stores that a run works on: those of the service. A trial works on a copy from its first write on: it reads what it wrote,
 * and no other run does.
 */
import type { DirectoryCopy } from '../../directory/copy-directory.ts'
import type { History } from '../../directory/history/history.ts'
import type { NotificationDraft, Notifications } from '../../directory/notifications/notifications.ts'
import { TRIAL } from '../../schema/execution-shapes.ts'
import type { Directory, RunHost } from '../host/run-host.ts'
import { dryRunNotepads } from './dry-run-notepads.ts'
import { dryRunState } from './dry-run-state.ts'
import type { DryRunWrite, RunJob } from './run-states.ts'

/** The stores of the service. */
export type ServiceStores = {
  /** The part of the control store that runs write. */
  readonly store: Directory & {
    readonly notifications: Pick<Notifications, 'send'>
    readonly scriptState: RunHost['state']
    readonly copyForTrial: () => Promise<DirectoryCopy>
  }
  readonly notepads: History['notepads']
}

export type RunStores = Pick<
  RunHost,
  'directory' | 'directoryToChange' | 'notepads' | 'notifications' | 'state'
> & {
  /** The writes that a trial held back; empty for other runs. */
  readonly dryRunWrites: () => Promise<readonly DryRunWrite[]>
  readonly close: () => Promise<void>
}

export function openRunStores({ type }: Pick<RunJob, 'type'>, { store, notepads }: ServiceStores): RunStores {
  if (type === TRIAL) return trialStores(store, notepads)
  return {
    directory: () => store,
    directoryToChange: async () => store,
    notepads,
    notifications: store.notifications,
    state: store.scriptState,
    dryRunWrites: async () => [],
    close: async () => undefined,
  }
}

function trialStores(store: ServiceStores['store'], kept: ServiceStores['notepads']): RunStores {
  const notepads = dryRunNotepads(kept)
  const state = dryRunState(store.scriptState)
  /** Whole notifications by id, because the audit trail of the copy leaves out their text. */
  const sent = new Map<string, NotificationDraft>()
  let copying: Promise<DirectoryCopy> | null = null
  let copy: DirectoryCopy | null = null
  const copied = async (): Promise<DirectoryCopy> => {
    copying ??= store.copyForTrial()
    copy = await copying
    return copy
  }
  return {
    directory: () => copy ?? store,
    directoryToChange: copied,
    notepads,
    state,
    notifications: {
      send: async (draft, by) => {
        const notification = await (await copied()).notifications.send(draft, by)
        sent.set(notification.id, draft)
        return notification
      },
    },
    dryRunWrites: async () => {
      const changes = (await (copy as DirectoryCopy | null)?.changes()) ?? []
      return [
        ...changes.map(({ action, subjectId, before, after }) => ({
          action,
          subjectId,
          before,
          after: sent.get(subjectId) ?? after,
        })),
        ...notepads.writes,
        ...state.writes,
      ]
    },
    close: async () => {
      // A run may end while the copy is being made. A copy that could not be made needs no closing.
      const made = await copying?.catch(() => null)
      await made?.close()
    },
  }
}
