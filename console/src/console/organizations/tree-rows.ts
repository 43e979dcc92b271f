/** The visible rows of a tree whose children are loaded when somebody opens their parent. */

export type Node = { readonly id: string; readonly parentId: string | null }

export type TreeRow<T extends Node> = { readonly node: T; readonly level: number }

/** Depth first. `children` knows those of the parents that were opened; null stands for the top. */
export function visibleRows<T extends Node>(
  children: ReadonlyMap<string | null, readonly T[]>,
  open: ReadonlySet<string>,
): readonly TreeRow<T>[] {
  const rows: TreeRow<T>[] = []
  const add = (parent: string | null, level: number) => {
    for (const node of children.get(parent) ?? []) {
      rows.push({ node, level })
      if (open.has(node.id)) add(node.id, level + 1)
    }
  }
  add(null, 1)
  return rows
}

export type Move = { readonly focus?: number; readonly open?: string; readonly close?: string }

/** What a key does in a tree (WAI-ARIA, pattern Tree View); undefined for keys that do nothing. */
export function moveInTree<T extends Node>(
  key: string,
  rows: readonly TreeRow<T>[],
  index: number,
  open: ReadonlySet<string>,
): Move | undefined {
  const row = rows[index]
  if (row === undefined) return undefined
  const { id } = row.node
  switch (key) {
    case 'ArrowDown':
      return { focus: Math.min(index + 1, rows.length - 1) }
    case 'ArrowUp':
      return { focus: Math.max(index - 1, 0) }
    case 'Home':
      return { focus: 0 }
    case 'End':
      return { focus: rows.length - 1 }
    case 'ArrowRight':
      if (!open.has(id)) return { open: id }
      return (rows[index + 1]?.level ?? 0) > row.level ? { focus: index + 1 } : {}
    case 'ArrowLeft':
      if (open.has(id)) return { close: id }
      return {
        focus: Math.max(
          rows.findLastIndex(({ level }, at) => at < index && level < row.level),
          0,
        ),
      }
    default:
      return undefined
  }
}
