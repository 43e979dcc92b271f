/**
 * Puts a script and the modules that it imports, directly or through others, into one tree over one text, so that all later
 * stages see one script. Functions of modules come first. Refuses modules that are not there, circles, two versions of one
 * module, and modules that hold more than functions, unions and imports.
 */
import type { ScriptProblem } from '../script-problem.ts'
import { atImport, type ModuleSource, type ModuleText } from '../source-map.ts'
import type { Dialect, ImportStatement, Script, Statement } from '../syntax/ast.ts'
import { parseScript } from '../syntax/parse-script.ts'
import { type ProblemList, problemList, quoted } from './problem-list.ts'

export type Gathered = {
  readonly text: string
  readonly tree: Script
  readonly sources: readonly ModuleSource[]
  readonly problems: readonly ScriptProblem[]
}

export const importsIn = ({ body }: Script): readonly ImportStatement[] =>
  body.statements.filter((statement) => statement.kind === 'import')

/**
 * @param modules all that may be needed; of several versions of one module the newest is meant when none is named
 * @param moduleName the name of the script when it is itself a module, which nothing that it imports may import
 */
export function gatherModules(
  text: string,
  tree: Script,
  dialect: Dialect,
  modules: readonly ModuleText[],
  moduleName?: string,
): Gathered {
  if (importsIn(tree).length === 0) return { text, tree, sources: [], problems: [] }
  const gathering = new Gathering(text, dialect, modules)
  gathering.follow(tree, moduleName === undefined ? [] : [moduleName], true)
  const { statements, sources, problems } = gathering
  const body = { ...tree.body, statements: [...statements, ...tree.body.statements] }
  const all = gathering.text
  return {
    text: all,
    tree: { ...tree, body },
    sources,
    problems: problems.inTextOrder().map((problem) => atImport(problem, sources, all)),
  }
}

class Gathering {
  text: string
  readonly statements: Statement[] = []
  readonly sources: ModuleSource[] = []
  readonly problems: ProblemList = problemList()
  readonly #dialect: Dialect
  readonly #modules: readonly ModuleText[]
  readonly #versions = new Map<string, number>()
  #importedAt = 0

  constructor(text: string, dialect: Dialect, modules: readonly ModuleText[]) {
    this.text = text
    this.#dialect = dialect
    this.#modules = modules
  }

  /** @param path the names of the modules that lead here @param isOwn whether it is the script itself */
  follow(tree: Script, path: readonly string[], isOwn = false): void {
    for (const statement of importsIn(tree)) {
      if (isOwn) this.#importedAt = statement.span.start
      this.#import(statement, path)
    }
  }

  #import({ name: { text: name, span }, version }: ImportStatement, path: readonly string[]): void {
    const refuse = (code: `JM${number}`, message: string) => this.problems.add(code, span.start, message)
    if (path.includes(name)) {
      const circle = [...path.slice(path.indexOf(name)), name].join(' > ')
      refuse('JM4911', `Module ${quoted(name)} imports itself: ${circle}`)
      return
    }
    const module = this.#find(name, version)
    if (module === undefined) {
      const what = version === null ? 'is not published' : `has no published version ${version}`
      refuse('JM4910', `Module ${quoted(name)} ${what}`)
      return
    }
    const known = this.#versions.get(name)
    if (known === undefined) this.#read(module, path)
    else if (known !== module.version) {
      const message = `Module ${quoted(name)} is imported in version ${known} and in version ${module.version}; import one of them everywhere`
      refuse('JM4912', message)
    }
  }

  #find(name: string, version: number | null): ModuleText | undefined {
    const named = this.#modules.filter((module) => module.name === name)
    if (version !== null) return named.find((module) => module.version === version)
    return named.toSorted((a, b) => b.version - a.version)[0]
  }

  #read({ name, version, script }: ModuleText, path: readonly string[]): void {
    this.#versions.set(name, version)
    // The line end keeps a comment at the end of one text from hiding the next.
    const start = this.text.length + 1
    this.text += `\n${script}`
    this.sources.push({ name, version, start, end: this.text.length, importedAt: this.#importedAt })
    const own = parseScript(script, this.#dialect)
    if (own.script === null) {
      for (const { code, message, at } of own.problems) this.problems.add(code, start + (at ?? 0), message)
      return
    }
    const { script: tree } = parseScript(this.text, this.#dialect, start)
    if (tree === null) return
    refuseOtherStatements(tree, this.problems)
    this.follow(tree, [...path, name])
    this.statements.push(...tree.body.statements)
  }
}

/** A module has no `Data` to work on and nothing runs when it is imported. */
export function refuseOtherStatements({ body }: Script, problems: ProblemList): void {
  for (const { kind, span } of body.statements) {
    if (kind === 'function' || kind === 'union' || kind === 'import') continue
    problems.add('JM3911', span.start, 'A module has only functions, unions and imports at its top level')
  }
}
