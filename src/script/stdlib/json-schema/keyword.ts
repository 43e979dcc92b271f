/** Defines keywords: the drafts that have one, its argument, and its check of a value. */
import type { Kind } from '../../values/kinds.ts'
import type { ScriptArray, ScriptObject, Value } from '../../values/value.ts'
import type { ArgumentReader, Reading } from './arguments.ts'
import type { Draft } from './draft.ts'
import type { Check, Frame } from './schema.ts'

export type Keyword = {
  readonly name: string
  readonly since: Draft
  readonly until: Draft
  /** Null for keywords that other keywords read, or that only contain schemas to refer to. */
  readonly read: (argument: Value, reading: Reading) => Check | null
}

type Lifetime = { readonly since?: Draft; readonly until?: Draft }

type ValuesByKind = {
  readonly Number: number
  readonly String: string
  readonly Array: ScriptArray
  readonly Object: ScriptObject
}

export const keyword = (
  name: string,
  read: Keyword['read'],
  { since = 4, until = 2020 }: Lifetime = {},
): Keyword => ({ name, since, until, read })

/** A keyword for values of every kind. */
export const forAll = <Argument>(
  name: string,
  reader: ArgumentReader<Argument>,
  check: (frame: Frame, argument: Argument) => void,
  lifetime?: Lifetime,
): Keyword =>
  keyword(
    name,
    (value, reading) => {
      const argument = reader(value, reading)
      return (frame) => check(frame, argument)
    },
    lifetime,
  )

/** A keyword for values of one kind; it accepts all others. */
export const forKind = <K extends keyof ValuesByKind & Kind, Argument>(
  kind: K,
  name: string,
  reader: ArgumentReader<Argument>,
  check: (frame: Frame, value: ValuesByKind[K], argument: Argument) => void,
  lifetime?: Lifetime,
): Keyword =>
  keyword(
    name,
    (value, reading) => {
      const argument = reader(value, reading)
      return (frame) => {
        if (frame.kind === kind) check(frame, frame.value as ValuesByKind[K], argument)
      }
    },
    lifetime,
  )

/** A keyword that another keyword reads. */
export const companion = (name: string, reader: ArgumentReader<unknown>, lifetime?: Lifetime): Keyword =>
  keyword(
    name,
    (value, reading) => {
      reader(value, reading)
      return null
    },
    lifetime,
  )
