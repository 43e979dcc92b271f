/** Checks where functions and unions are declared, and their parameters (language reference, 7.1 and 7.3). */
import type { FunctionDeclaration, Parameter, UnionDeclaration } from '../syntax/ast.ts'
import { quoted } from './problem-list.ts'
import { ROOT, type Surroundings, scopeIn, type Validation } from './validation.ts'

/** Returns the surroundings of the function's statements. */
export function checkFunction(
  declaration: FunctionDeclaration,
  around: Surroundings,
  validation: Validation,
): Surroundings {
  checkName(declaration, around, validation)
  checkParameters(declaration, validation)
  const scope = scopeIn(
    null,
    declaration.parameters.map(({ name }) => name.text),
  )
  return { scope, declaration, inLoop: false, inBlock: false }
}

function checkName(
  { name, span }: FunctionDeclaration,
  { declaration, inBlock }: Surroundings,
  { functions, problems }: Validation,
): void {
  const { text } = name
  if (declaration !== null) {
    const message = `Function ${quoted(text)} is declared inside function ${quoted(declaration.name.text)}`
    problems.add('JM3501', span.start, message)
  } else if (inBlock) {
    const message = `Function ${quoted(text)} is not declared at the top level of the script`
    problems.add('JM3500', span.start, message)
  } else if (text === ROOT || functions.has(text)) {
    const taken = text === ROOT ? 'means the value of the script' : 'is already the name of a function'
    problems.add('JM3101', name.span.start, `${quoted(text)} ${taken}`)
  } else {
    functions.add(text)
  }
}

function checkParameters({ name, parameters }: FunctionDeclaration, { problems }: Validation): void {
  const what = `Function ${quoted(name.text)}`
  const seen = new Set<string>()
  let optional: Parameter | null = null
  for (const parameter of parameters) {
    const { text, span } = parameter.name
    if (seen.has(text)) problems.add('JM3502', span.start, `${what} declares parameter ${quoted(text)} twice`)
    seen.add(text)
    if (text === ROOT) problems.add('JM3503', span.start, `${what} cannot have a parameter '${ROOT}'`)
    if (parameter.standard === null) {
      if (optional === null) continue
      const message = `${what} requires ${quoted(text)} after ${quoted(optional.name.text)}, which is optional`
      problems.add('JM3506', span.start, message)
    } else {
      optional = parameter
      if (parameter.standard.kind !== 'literal') {
        const wanted = 'not an unsigned number, a text, true, false or null'
        problems.add('JM3507', span.start, `${what} has a default for ${quoted(text)} that is ${wanted}`)
      }
    }
  }
}

/** Inside a block of a function, both problems are reported. */
export function checkUnion(
  { name, span }: UnionDeclaration,
  { declaration, inBlock }: Surroundings,
  { problems }: Validation,
): void {
  const what = `Union ${quoted(name.text)}`
  if (inBlock) problems.add('JM3600', span.start, `${what} is not declared at the top level of the script`)
  if (declaration === null) return
  problems.add('JM3605', span.start, `${what} is declared inside function ${quoted(declaration.name.text)}`)
}
