/**
 * The keys of objects: `<installation>/<snapshot>/<sha256>`, below the prefix. The snapshot is the one whose refresh wrote the
 * object; later ones use it as well while the client does not change. So no key is ever written by two refreshes, and an
 * object that nothing needs at one time is never needed again. The installation is the id of the control store: stores that
 * share a bucket by mistake never see the objects of each other.
 */

export const keyOf = (installation: string, snapshot: string, sha256: string): string =>
  `${installation}/${snapshot}/${sha256}`

export const prefixOf = (installation: string): string => `${installation}/`

/** The id of the snapshot whose refresh wrote the object, and the checksum of its content. */
export function partsOf(key: string): { readonly snapshot: string; readonly sha256: string } {
  const [, snapshot = '', sha256 = ''] = key.split('/')
  return { snapshot, sha256 }
}
