/** Finds the union of each variant. Unions are visible everywhere in a script, also before their declaration. */
import type { Script, UnionDeclaration, Variant } from '../syntax/ast.ts'
import { type ProblemList, quoted } from './problem-list.ts'

/** Keyed by the name of the variant. A variant declared by two unions belongs to the first. */
export type UnionTable = ReadonlyMap<string, OwnedVariant>

type OwnedVariant = { readonly variant: Variant; readonly union: Union }

/** A union and the names of its variants, sorted so that messages do not depend on the order of declaration. */
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
      // A variant declared twice in one union makes two constructors of one name, which linking refuses.
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
