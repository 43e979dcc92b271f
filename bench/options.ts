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
  /** Measures each checkout a second time, without its request log. */
  readonly withoutLog: boolean
}

/** The names that can be given: of workloads, or with `--against` of the questions to the checkouts. */
type KnownNames = { readonly workloads: readonly string[]; readonly checkoutQuestions: readonly string[] }

export function readOptions(args: readonly string[], { workloads, checkoutQuestions }: KnownNames): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      against: { type: 'string', multiple: true, default: [] },
      'without-log': { type: 'boolean', default: false },
    },
  })
  const known = values.against.length > 0 ? checkoutQuestions : workloads
  const unknown = positionals.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new Error(`Expected names of workloads, found '${unknown}'. Known: ${known.join(', ')}`)
  }
  return {
    names: positionals,
    quick: values.quick,
    profiling: values.profile,
    list: values.list,
    against: values.against,
    withoutLog: values['without-log'],
  }
}
