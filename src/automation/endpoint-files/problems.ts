/** Why a command on endpoint files fails (END14x): unusable files, and options that do not go together. */
import { Problem } from '../../kernel/problem.ts'
import type { Comparison } from '../operations/compare-definitions.ts'

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

type Edited = {
  readonly name: string
  readonly files: readonly string[]
  readonly edited: Comparison | null
}

/** Names each endpoint with the diff between its files and what would be pulled. */
export const editsWouldBeLost = (endpoints: readonly Edited[]) =>
  new Problem(
    'END208',
    [
      `Expected files without edits of your own, found edits in ${endpoints.map(({ files }) => files.join(' and ')).join('; ')}; nothing was written`,
      ...endpoints.map(({ edited }) => differenceText(edited)),
    ].join('\n'),
    {
      hint: 'Push the edits, or keep them elsewhere; --force overwrites them.',
    },
  )

const differenceText = (edited: Comparison | null): string =>
  [
    ...(edited?.changes ?? []).map(
      ({ path, before, after }) =>
        `${path.slice(1)}: ${JSON.stringify(before)} would be ${JSON.stringify(after)}`,
    ),
    edited?.script ?? '',
  ]
    .join('\n')
    .trim()

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
