/**
 * Names of files in a mapping are relative to its folder. The database looks for such a name in the working folder of the
 * process before it looks anywhere else, and its lock judges the name as if it were there. So the process works in the folder
 * while a statement runs that may name a file.
 */

type Stay = { readonly folder: string; readonly left: PromiseWithResolvers<void>; users: number }
let stay: Stay | undefined

/** Work in the same folder may overlap; work in another one waits. */
export async function workingIn<T>(folder: string, work: () => Promise<T>): Promise<T> {
  while (stay !== undefined && stay.folder !== folder) await stay.left.promise
  const leave = enter(folder)
  try {
    return await work()
  } finally {
    leave()
  }
}

let before = ''

function enter(folder: string): () => void {
  if (stay === undefined) {
    before = process.cwd()
    process.chdir(folder)
    stay = { folder, left: Promise.withResolvers(), users: 0 }
  }
  const mine = stay
  mine.users++
  return () => {
    mine.users--
    if (mine.users > 0) return
    stay = undefined
    process.chdir(before)
    mine.left.resolve()
  }
}
