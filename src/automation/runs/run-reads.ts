/**
 * What a run has read, for the trail and for its record: clients, secrets and functions by name. Each is noted before the script
 * gets an answer, because a run may end at any moment. Bounded, whatever a script asks for.
 */
import { cutToBytes } from '../../kernel/detached-string.ts'
import type { ReadByRun } from '../../schema/execution-shapes.ts'

export type ReadKind = 'client' | 'secret' | 'function'
export type ReadName = readonly [kind: ReadKind, name: string]

/** A script may ask for decoys first, so many names are kept. */
export const MOST_NAMES = 1000
/** The most names that are counted. */
export const MOST_COUNTED = 10_000
const MOST_NAME_BYTES = 100

export class RunReads {
  readonly #names: Readonly<Record<ReadKind, Set<string>>> = {
    client: new Set(),
    secret: new Set(),
    function: new Set(),
  }
  readonly #values: string[] = []
  readonly #told: ((read: ReadName) => void) | undefined

  /** @param told takes each name the first time */
  constructor(told?: (read: ReadName) => void) {
    this.#told = told
  }

  add(kind: ReadKind, asked: string): void {
    const names = this.#names[kind]
    if (names.has(asked) || names.size >= MOST_COUNTED) return
    const name = this.#shown(asked)
    if (names.has(name)) return
    names.add(name)
    this.#told?.([kind, name])
  }

  addSecret(name: string, value: string): void {
    this.#values.push(value)
    this.add('secret', name.toLowerCase())
  }

  get read(): ReadByRun {
    const { client, secret, function: functions } = this.#names
    return {
      clientCount: client.size,
      clientNumbers: first(client),
      secretCount: secret.size,
      secretNames: first(secret),
      functions: first(functions),
    }
  }

  /** A script may ask for the client whose number is the value of a secret. */
  #shown(name: string): string {
    if (this.#values.some((value) => value !== '' && name.includes(value))) return '[redacted]'
    return cutToBytes(name, MOST_NAME_BYTES).text
  }
}

const first = (names: ReadonlySet<string>): string[] => [...names.values().take(MOST_NAMES)]
