/** Which union each variant belongs to. Unions are known everywhere in a script, also before their declaration. */
import type { Script, UnionDeclaration, Variant } from '../syntax/ast.ts'
import { type ProblemList, quoted } from './problem-list.ts'

/** By name of the variant. One that two unions have belongs to the first. */
export type UnionTable = ReadonlyMap<string, OwnedVariant>

type OwnedVariant = { readonly variant: Variant; readonly union: Union }

/** With the names of its variants, sorted so that messages do not depend on the order of declaration. */
type Union = { readonly name: string; readonly variants: ReadonlySet<string> }

export function unionTable({ body }: Script, clashes: ProblemList): UnionTable {
  const table = new Map<string, OwnedVariant>()
  for (const declaration of body.statements) {
    if (declaration.kind !== 'union') continue
    const union = unionOf(declaration)
    for (const variant of declaration.variants) {
      const { text, span } = variant.name
      const owner = table.get(text)?.union
      if (owner === undefined) table.set(text, { variant, union })
      // A variant that one union has twice is two constructors of one name, which linking refuses.
      if (owner === undefined || owner === union) continue
      const message = `Variant ${quoted(text)} already belongs to union ${quoted(owner.name)}`
      clashes.add('JM3601', span.start, message)
    }
  }
  return table
}

const unionOf = ({ name, variants }: UnionDeclaration): Union => ({
  name: name.text,
  variants: new Set(variants.map((variant) => variant.name.text).toSorted()),
})
