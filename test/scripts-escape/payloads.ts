/** All payloads, by kind. */
import { dataPayloads } from './data.ts'
import { keyPayloads } from './key-places.ts'
import { internalPayloads } from './machine-internals.ts'
import { namePayloads } from './names.ts'
import type { Payload } from './payload.ts'
import { programPayloads } from './programs.ts'
import { textPayloads } from './texts.ts'

export const payloads: readonly (readonly [kind: string, payloads: readonly Payload[]])[] = [
  ['keys in every place', keyPayloads],
  ['calls of names that are not functions', namePayloads],
  ['values that look like parts of the machine', internalPayloads],
  ['texts', textPayloads],
  ['data', dataPayloads],
  ['programs', programPayloads],
]
