/** The state of a trial: it reads what runs have kept; what it changes itself is visible in the trial only. */
import { checkStateEntry, sumOf } from '../../directory/state/check-state.ts'
import type { ScriptState, StateEntry } from '../../directory/state/script-state.ts'
import type { DryRunWrite } from './run-states.ts'

type RunState = Pick<ScriptState, 'get' | 'set' | 'increment' | 'remove'>

export type DryRunState = RunState & { readonly writes: readonly DryRunWrite[] }

export function dryRunState(kept: RunState): DryRunState {
  /** By key; null for one that the trial has deleted. */
  const changed = new Map<string, StateEntry | null>()
  const writes: DryRunWrite[] = []
  const get = async (ownerId: string, key: string) =>
    changed.has(key) ? (changed.get(key) ?? null) : await kept.get(ownerId, key)
  const write = (key: string, before: StateEntry | null, value: string): number => {
    checkStateEntry(key, value)
    const version = (before?.version ?? 0) + 1
    changed.set(key, { value, version })
    writes.push({ action: 'state.set', subjectId: key, before: plain(before), after: JSON.parse(value) })
    return version
  }
  return {
    writes,
    get,
    set: async (ownerId, key, value, expected) => {
      const before = await get(ownerId, key)
      if (expected !== undefined && expected !== (before?.version ?? 0)) return null
      return write(key, before, value)
    },
    increment: async (ownerId, key, by) => {
      const before = await get(ownerId, key)
      const sum = sumOf(key, before?.value ?? '0', by)
      write(key, before, JSON.stringify(sum))
      return sum
    },
    remove: async (ownerId, key, expected) => {
      const before = await get(ownerId, key)
      if (before === null || (expected !== undefined && expected !== before.version)) return false
      changed.set(key, null)
      writes.push({ action: 'state.delete', subjectId: key, before: plain(before), after: null })
      return true
    },
  }
}

const plain = (entry: StateEntry | null): unknown => (entry === null ? null : JSON.parse(entry.value))
