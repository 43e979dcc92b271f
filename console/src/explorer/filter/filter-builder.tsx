/** The conditions of a filter as rows. Each change is written to the query as soon as it is complete. */
import { useDebouncedCallback } from '@mantine/hooks'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { filterTexts as texts } from '../../texts/filters.ts'
import type { ListName } from '../fields/list-fields.ts'
import type { ListAddress } from '../query/use-list-query.ts'
import classes from './filter.module.css'
import { FilterGroup } from './filter-group.tsx'
import { emptyGroup, emptyRow, type Group, textOfTree, treeOfText } from './filter-tree.ts'

/** Time to write a value before it is looked up. */
const PAUSE_MS = 350

export default function FilterBuilder({ query, change }: ListAddress): ReactNode {
  const { list, filter } = query
  const [tree, setTree] = useState(() => treeToEdit(filter, list))
  /** The filter that the tree stands for. Another one comes from elsewhere, and makes another tree. */
  const written = useRef(filter)
  useEffect(() => {
    if (written.current === filter) return
    written.current = filter
    setTree(treeToEdit(filter, list))
  }, [filter, list])
  const write = useDebouncedCallback(
    (next: Group) => {
      const text = writtenText(next)
      if (text === undefined || text === written.current) return
      written.current = text
      change({ filter: text })
    },
    { delay: PAUSE_MS, flushOnUnmount: true },
  )
  if (tree === undefined) return <p className={classes.hint}>{texts.undrawable}</p>
  const edit = (next: Group) => {
    setTree(next)
    write(next)
  }
  return (
    <div className={classes.builder}>
      <FilterGroup group={tree} scope={{ list, collection: undefined }} depth={0} onChange={edit} />
    </div>
  )
}

/** With a first row where there is no filter; undefined for a text that is no filter. */
function treeToEdit(filter: string, list: ListName): Group | undefined {
  try {
    return filter === '' ? emptyGroup([emptyRow()]) : treeOfText(filter, list)
  } catch {
    return undefined
  }
}

/** Undefined while a part of text is no condition. */
function writtenText(tree: Group): string | undefined {
  try {
    return textOfTree(tree)
  } catch {
    return undefined
  }
}
