/** Reads the command line of the bench. Refuses unknown workloads and names the known ones. */
import { parseArgs } from 'node:util'

export type Options = {
  /** The workloads to run; empty for all. */
  readonly names: readonly string[]
  readonly quick: boolean
  readonly profiling: boolean
  readonly list: boolean
  /** Folders of other checkouts of the project, to compare this one with. */
  readonly against: readonly string[]
}

/** @param known the names that may be given: of workloads, and of the questions for checkouts */
export function readOptions(
  args: readonly string[],
  known: { readonly workloads: readonly string[]; readonly questions: readonly string[] },
): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      against: { type: 'string', multiple: true, default: [] },
    },
  })
  const names = values.against.length > 0 ? known.questions : known.workloads
  const unknown = positionals.find((name) => !names.includes(name))
  if (unknown !== undefined) {
    throw new Error(`Expected names of workloads, found '${unknown}'. Known: ${names.join(', ')}`)
  }
  return {
    names: positionals,
    quick: values.quick,
    profiling: values.profile,
    list: values.list,
    against: values.against,
  }
}
