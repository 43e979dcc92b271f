/**
 * Which test files share a process. Loading the product costs half a second for every process, so the files of a folder share
 * one. Those of `test/process/` have one each: they change the limits of their process, and a crash there is one file's.
 */

export type Group = { readonly name: string; readonly files: readonly string[] }

const OWN_PROCESS = 'test/process/'

/** The order is that of starting: what waits for other processes goes first, so that it is not waited for at the end. */
export function groupsOf(files: readonly string[]): readonly Group[] {
  const groups = Map.groupBy(files, groupName)
  return [...groups]
    .map(([name, files]) => ({ name, files: files.toSorted() }))
    .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))
}

function groupName(file: string): string {
  if (file.startsWith(OWN_PROCESS)) return file.slice(0, -'.test.ts'.length)
  const [top, folder = ''] = file.split('/')
  return `${top}/${folder}`
}

function rank({ name }: Group): number {
  if (name.startsWith(OWN_PROCESS)) return 0
  return name.startsWith('test/') ? 1 : 2
}
