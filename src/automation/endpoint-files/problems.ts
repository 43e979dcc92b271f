/** What keeps a command on endpoints from doing its work (END14x): files that cannot be used, and options that do not fit. */
import { Problem } from '../../kernel/problem.ts'

export const unreadableFile = (what: string, path: string, cause: unknown) =>
  new Problem('END143', `Cannot read ${what} ${path}: ${reasonOf(cause)}`, { cause })

export const unwritableFile = (path: string, cause: unknown) =>
  new Problem('END144', `Cannot write ${path}: ${reasonOf(cause)}`, { cause })

export const noEndpointFiles = (folder: string) =>
  new Problem('END145', `Expected files such as spend-report.yaml in ${folder}, found none`, {
    hint: '`tripfolio endpoint pull FOLDER` writes those of the service.',
  })

export const noteWithoutPublication = () =>
  new Problem('END146', 'Expected --publish beside --note, found none', {
    hint: 'A note says why a version is published; drafts have none.',
  })

/** @param details what is wrong with it, each in its own words */
export const unusableJson = (what: string, path: string, details: readonly string[]) =>
  new Problem('END147', `${path} is no ${what}: ${details.join('; ')}`)

export const nothingPublishedToPull = (name: string) =>
  new Problem('END148', `Expected a published version of '${name}', found only a draft`, {
    hint: 'Without --published, drafts are pulled.',
  })

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
