/**
 * The text of a program with modules is the script followed by the modules, so one offset says where something is. This finds
 * the module of an offset. Problems in modules are told at the import of the script, because authors have the script in front
 * of them; the message names the module and the place in it.
 */
import { placeAt, type ScriptProblem } from './script-problem.ts'

export type ModuleText = {
  readonly name: string
  readonly version: number
  readonly script: string
}

/** Where a module is in the text of the program, and the import of the script that led to it. */
export type ModuleSource = Pick<ModuleText, 'name' | 'version'> & {
  readonly start: number
  readonly end: number
  readonly importedAt: number
}

export const moduleAt = (sources: readonly ModuleSource[], at: number): ModuleSource | undefined =>
  sources.find(({ start, end }) => at >= start && at <= end)

/** `Module 'fees' version 3, line 2, column 5: …` */
export function messageInModule(
  { name, version, start, end }: ModuleSource,
  text: string,
  at: number,
  message: string,
): string {
  const { line, column } = placeAt(text.slice(start, end), at - start)
  return `Module '${name}' version ${version}, line ${line}, column ${column}: ${message}`
}

/** Moves a problem that is in a module to the import of the script. */
export function atImport(
  problem: ScriptProblem,
  sources: readonly ModuleSource[],
  text: string,
): ScriptProblem {
  const source = problem.at === null ? undefined : moduleAt(sources, problem.at)
  if (problem.at === null || source === undefined) return problem
  const message = messageInModule(source, text, problem.at, problem.message)
  return { code: problem.code, message, at: source.importedAt }
}
