/** Which row the keys of a table lead to. */

export type GridPlace = { readonly row: number; readonly rowCount: number; readonly rowsPerPage: number }

/** Undefined for keys that do not move between rows. */
export function rowAfterKey(key: string, { row, rowCount, rowsPerPage }: GridPlace): number | undefined {
  const last = rowCount - 1
  const to = (target: number) => Math.max(0, Math.min(target, last))
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return to(row + 1)
    case 'ArrowUp':
    case 'k':
      return to(row - 1)
    case 'PageDown':
      return to(row + rowsPerPage)
    case 'PageUp':
      return to(row - rowsPerPage)
    case 'Home':
      return 0
    case 'End':
      return to(last)
    default:
      return undefined
  }
}
