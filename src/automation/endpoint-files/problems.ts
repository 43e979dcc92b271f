/** Why a command on endpoint files fails (END14x): unusable files, and options that do not go together. */
import { Problem } from '../../kernel/problem.ts'

export const unreadableFile = (what: string, path: string, cause: unknown) =>
  new Problem('END143', `Cannot read ${what} ${path}: ${reasonOf(cause)}`, { cause })

export const unwritableFile = (path: string, cause: unknown) =>
  new Problem('END144', `Cannot write ${path}: ${reasonOf(cause)}`, { cause })

export const noEndpointFiles = (folder: string) =>
  new Problem('END145', `Expected files such as spend-report.yaml in ${folder}, found none`, {
    hint: '`tripfolio endpoint pull FOLDER` writes the endpoints of the service as files.',
  })

export const noteWithoutPublication = () =>
  new Problem('END146', 'Expected --publish together with --note, found --note alone', {
    hint: 'A note says why a version is published; drafts have no notes.',
  })

/** @param details the faults of the file, one sentence part each */
export const unusableJson = (what: string, path: string, details: readonly string[]) =>
  new Problem('END147', `Cannot use ${path} as ${what}: ${details.join('; ')}`)

export const nothingPublishedToPull = (name: string) =>
  new Problem('END148', `Expected a published version of '${name}', found only a draft`, {
    hint: 'Leave --published out to pull the draft.',
  })

export const noSampleRequests = (path: string) =>
  new Problem('END209', `Expected sample requests beside ${path}, found none`, {
    hint: 'Write NAME.request.json beside NAME.yaml, and NAME.CASE.request.json for each further case; NAME.expect.json says what to expect. Or give --request.',
  })

export const oneFileForRequest = () =>
  new Problem(
    'END209',
    'Expected one YAML file together with --request, and --expect together with --update',
    {
      hint: 'Without --request, each endpoint is tested with the requests beside its file, and --update writes their expectations.',
    },
  )

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
