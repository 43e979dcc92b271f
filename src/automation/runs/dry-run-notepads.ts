/** Notepads of a trial: it reads those of other runs; what it creates or deletes itself is visible in the trial only. */
import type { History } from '../../directory/history/history.ts'
import type { Notepad } from '../../schema/execution-shapes.ts'
import type { DryRunWrite } from './run-states.ts'

type Notepads = History['notepads']

export type DryRunNotepads = Notepads & { readonly writes: readonly DryRunWrite[] }

export function dryRunNotepads(kept: Notepads): DryRunNotepads {
  const created = new Map<string, Notepad>()
  const removed = new Set<string>()
  const writes: DryRunWrite[] = []
  const find = async (id: string) => (removed.has(id) ? null : (created.get(id) ?? (await kept.find(id))))
  return {
    writes,
    find,
    create: async (notepad) => {
      created.set(notepad.id, notepad)
      writes.push({ action: 'notepad.create', subjectId: notepad.id, before: null, after: notepad.content })
    },
    list: async (filter) => {
      const own = [...created.values()].filter(
        ({ executionId, sourceId }) =>
          executionId === (filter.executionId ?? executionId) && sourceId === (filter.sourceId ?? sourceId),
      )
      return [...(await kept.list(filter)), ...own].filter(({ id }) => !removed.has(id))
    },
    remove: async (id) => {
      const found = await find(id)
      if (found === null) return false
      removed.add(id)
      writes.push({ action: 'notepad.delete', subjectId: id, before: found.content, after: null })
      return true
    },
  }
}
