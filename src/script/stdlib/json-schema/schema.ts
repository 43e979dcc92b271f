/** What a schema is once it has been read, and what one look at one value knows. */
import type { Kind } from '../../values/kinds.ts'
import type { ScriptObject, Value } from '../../values/value.ts'
import type { NativeContext } from '../definition.ts'
import type { Draft } from './draft.ts'

/** `true` matches everything, `false` nothing. */
export type Schema = boolean | SchemaNode

export type SchemaNode = {
  readonly resource: Resource
  /** One for each keyword, in the order in which they are looked at. */
  readonly checks: readonly Check[]
}

/** Looks at the value of the frame and adds to the frame what is wrong with it. */
export type Check = (frame: Frame) => void

/** A schema with a URI of its own, and everything in it that has none. */
export type Resource = {
  readonly uri: string
  readonly draft: Draft
  readonly root: ScriptObject
  /** What was read so far, roots of resources inside of this one included. */
  readonly nodes: Map<ScriptObject, SchemaNode>
  readonly anchors: Map<string, SchemaNode>
  readonly dynamicAnchors: Map<string, SchemaNode>
}

/** A schema as it was handed in, together with all resources inside of it. */
export type SchemaDocument = {
  readonly root: Schema
  readonly resources: ReadonlyMap<string, Resource>
  /** Only then has anybody to remember which elements were looked at. */
  readonly hasUnevaluated: boolean
  /** The schema at a place that a reference leads to; what is no schema is refused. */
  readonly read: (value: Value, resource: Resource) => Schema
}

/** Resources that were entered on the way to a value, the innermost first. */
export type DynamicScope = { readonly resource: Resource; readonly outer: DynamicScope } | null

/** Where in the value: a JSON pointer whose last token comes first. */
export type Path = { readonly token: string; readonly outer: Path } | null

/** Ready entries of the result: those of one value and one schema, then those of the schemas inside of it. */
export type Faults = { readonly own: Value[]; readonly nested: Faults[] }

/** Members and elements that some keyword has looked at: what `unevaluated...` leaves alone. */
export type Evaluated = {
  allProperties: boolean
  readonly properties: Set<string>
  allItems: boolean
  /** All before this index. */
  itemsBefore: number
  readonly items: Set<number>
}

export type Outcome = {
  readonly valid: boolean
  readonly faults: Faults | null
  readonly evaluated: Evaluated | null
}

/** What stays the same from a schema to those inside of it. */
export type Surroundings = {
  readonly context: NativeContext
  readonly document: SchemaDocument
  readonly scope: DynamicScope
  readonly level: number
  /** Whether somebody wants to know what is wrong, and not only that something is. */
  readonly reports: boolean
}

export type Frame = Surroundings & {
  readonly value: Value
  readonly kind: Kind
  readonly path: Path
  readonly evaluated: Evaluated | null
  valid: boolean
  faults: Faults | null
}
