/** Prints what follows an operand: `.name`, `.name(…)`, `[i]`, `++`. Chains of several method calls break before the dots. */
import type { Expression, IndexAccess, MethodCall, PropertyAccess, Update } from '../syntax/ast.ts'
import { type Doc, group, indent, softLine } from './doc.ts'
import { printArguments } from './print-arguments.ts'
import { breakHere, type Source, take, takeAny } from './source.ts'

type Postfix = PropertyAccess | IndexAccess | MethodCall | (Update & { readonly prefix: false })

type Print = (source: Source, expression: Expression) => Doc

export const isPostfix = (expression: Expression): expression is Postfix =>
  expression.kind === 'property' ||
  expression.kind === 'index' ||
  expression.kind === 'method' ||
  (expression.kind === 'update' && !expression.prefix)

export function printPostfix(
  source: Source,
  chain: Postfix,
  printBase: (base: Expression) => Doc,
  print: Print,
): Doc {
  const { base, links } = unchained(chain)
  const breaksAtDots = links.filter(({ kind }) => kind === 'method').length > 1
  const head: Doc[] = [printBase(base)]
  const rest: Doc[] = []
  let commented = false
  links.forEach((link, i) => {
    if (i === 0 && endsBeforeDot(base, link)) head.push(' ', printLink(source, link, print))
    else if (breaksAtDots && link.kind === 'method') {
      const commentsTaken = source.comment
      rest.push(breakHere(source, softLine))
      if (source.comment > commentsTaken) commented = true
      rest.push(printLink(source, link, print))
    } else (rest.length === 0 ? head : rest).push(printLink(source, link, print))
  })
  return breaksAtDots ? group([head, indent(rest)], commented) : [head, rest]
}

function unchained(chain: Postfix): { base: Expression; links: readonly Postfix[] } {
  const links: Postfix[] = []
  let base: Expression = chain
  while (isPostfix(base)) {
    links.push(base)
    base = below(base)
  }
  return { base, links: links.reverse() }
}

function below(link: Postfix): Expression {
  if (link.kind === 'method') return link.receiver
  return link.kind === 'update' ? link.target : link.object
}

/** A dot that touches a number would be its decimal point, so it is printed apart: `5 .name`. */
const endsBeforeDot = (base: Expression, { kind }: Postfix): boolean =>
  base.kind === 'literal' && typeof base.value === 'number' && (kind === 'property' || kind === 'method')

function printLink(source: Source, link: Postfix, print: Print): Doc {
  switch (link.kind) {
    case 'property':
      return [take(source, '.'), takeAny(source)]
    case 'method': {
      const name = [take(source, '.'), takeAny(source)]
      return [name, printArguments(source, link.arguments, print)]
    }
    case 'index':
      return [take(source, '['), print(source, link.index), take(source, ']')]
    case 'update':
      return take(source, link.operator)
  }
}
