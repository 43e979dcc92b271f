/** Problems of modules (DIR485 to DIR489). */
import { Problem } from '../../kernel/problem.ts'

export const unknownModule = (name: string, nearest?: string) =>
  new Problem('DIR485', `Expected the name of a module, found '${name}', which no module has`, {
    hint: nearest === undefined ? 'The list of modules shows the names.' : `Did you mean '${nearest}'?`,
  })

export const unknownModuleVersion = (name: string, version: number, newest: number | null) =>
  new Problem(
    'DIR486',
    `Expected a published version of module '${name}', found ${version}, which does not exist`,
    {
      hint: newest === null ? 'No version of it has been published.' : `Versions 1 to ${newest} are kept.`,
    },
  )

export const moduleNameTaken = (name: string) =>
  new Problem('DIR487', `Expected a name that no other module has, found '${name}'`, {
    hint: 'Choose another name, or change the draft of that module.',
  })

export const moduleHasChanged = (name: string, expected: number, found: number, by: string) =>
  new Problem(
    'DIR488',
    `Expected revision ${expected} of the draft of module '${name}', found ${found}, saved by ${by}`,
    {
      hint: 'Read the draft again, merge the two changes, and save with its new revision.',
    },
  )

export const noModuleChange = (name: string, version: number) =>
  new Problem(
    'DIR489',
    `Expected a draft of module '${name}' that differs from its version ${version}, found no difference`,
    {
      hint: 'Save a change of the draft first.',
    },
  )
