/** The types of a schema that has been read, and of the evaluation of one value by one schema. */
import type { Kind } from '../../values/kinds.ts'
import type { ScriptObject, Value } from '../../values/value.ts'
import type { NativeContext } from '../definition.ts'
import type { Draft } from './draft.ts'

/** `true` matches everything, `false` nothing. */
export type Schema = boolean | SchemaNode

export type SchemaNode = {
  readonly resource: Resource
  /** One check for each keyword, in the order in which they run. */
  readonly checks: readonly Check[]
}

/** Checks the value of the frame and adds its faults to the frame. */
export type Check = (frame: Frame) => void

/** A schema with its own URI, and all inner schemas without one. */
export type Resource = {
  readonly uri: string
  readonly draft: Draft
  readonly root: ScriptObject
  /** The schemas read so far, including the roots of inner resources. */
  readonly nodes: Map<ScriptObject, SchemaNode>
  readonly anchors: Map<string, SchemaNode>
  readonly dynamicAnchors: Map<string, SchemaNode>
}

/** A schema as given, together with all resources inside it. */
export type SchemaDocument = {
  readonly root: Schema
  readonly resources: ReadonlyMap<string, Resource>
  /** Whether evaluated members and elements need to be remembered at all. */
  readonly hasUnevaluated: boolean
  /** Reads the schema at the target of a reference; refuses any other value. */
  readonly read: (value: Value, resource: Resource) => Schema
}

/** The resources entered on the way to a value, the innermost first. */
export type DynamicScope = { readonly resource: Resource; readonly outer: DynamicScope } | null

/** A place in the value: a JSON pointer whose last token comes first. */
export type Path = { readonly token: string; readonly outer: Path } | null

/** Entries of the result: those of one value and one schema, then those of its inner schemas. */
export type Faults = { readonly own: Value[]; readonly nested: Faults[] }

/** Members and elements that some keyword has evaluated, which `unevaluated...` ignores. */
export type Evaluated = {
  allProperties: boolean
  readonly properties: Set<string>
  allItems: boolean
  /** All elements before this index. */
  itemsBefore: number
  readonly items: Set<number>
}

export type Outcome = {
  readonly valid: boolean
  readonly faults: Faults | null
  readonly evaluated: Evaluated | null
}

/** State that a schema passes to its inner schemas. */
export type Surroundings = {
  readonly context: NativeContext
  readonly document: SchemaDocument
  readonly scope: DynamicScope
  readonly level: number
  /** Whether faults are collected; otherwise only the outcome matters. */
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
