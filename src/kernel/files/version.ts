/**
 * The version of this program. In a checkout of the repository it has the commit as build metadata (semver.org, item 10), such as
 * `0.1.0+14082dd6f1a2`: installations are upgraded by commits, and the number alone does not tell them apart.
 */
import { readFileSync } from 'node:fs'
import packageJson from '../../../package.json' with { type: 'json' }

const COMMIT = /^[0-9a-f]{40,64}$/

/** @param git the folder `.git` of a checkout */
export function commitIn(git: URL): string | null {
  const head = lineOf(new URL('HEAD', git))
  const branch = /^ref: (refs\/\S+)$/.exec(head)?.[1]
  const commit = branch === undefined ? head : lineOf(new URL(branch, git)) || packedCommit(git, branch)
  return COMMIT.test(commit) ? commit : null
}

/** Where git has put many branches into one file. */
function packedCommit(git: URL, branch: string): string {
  const line = textOf(new URL('packed-refs', git))
    .split('\n')
    .find((each) => each.endsWith(` ${branch}`))
  return line?.split(' ')[0] ?? ''
}

const lineOf = (file: URL): string => textOf(file).trim()

function textOf(file: URL): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // An installation without the repository, such as an image of a container.
    return ''
  }
}

const commit = commitIn(new URL('../../../.git/', import.meta.url))

const SHOWN = 12

export const version: string =
  commit === null ? packageJson.version : `${packageJson.version}+${commit.slice(0, SHOWN)}`
