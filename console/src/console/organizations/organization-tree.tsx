/** All organizations below each other. Children are loaded when their parent is opened. */
import { Anchor, Button } from '@mantine/core'
import { IconChevronRight } from '@tabler/icons-react'
import { useQueries } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { formatCount } from '../../format/numbers.ts'
import { EmptyState, ErrorState, LoadingState } from '../../parts/states.tsx'
import { organizationTexts as texts } from '../../texts/organizations.ts'
import { useSession } from '../session/session.tsx'
import { type Organization, organizationsKey, titleOf } from './organization-queries.ts'
import classes from './organization-tree.module.css'
import { moveInTree, type Node, visibleRows } from './tree-rows.ts'

const PAGE = 500

type TreeNode = Node & { readonly organization: Organization }

export function OrganizationTree({ add }: { readonly add: ReactNode }): ReactNode {
  const { api } = useSession()
  const navigate = useNavigate()
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [focused, setFocused] = useState(0)
  const [pages, setPages] = useState<ReadonlyMap<string, number>>(new Map())
  const tree = useRef<HTMLDivElement>(null)
  const parents = [null, ...open]
  const loaded = useQueries({
    queries: parents.map((parent) => ({
      queryKey: [...organizationsKey, 'children', parent, pages.get(parent ?? '') ?? 1],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => readChildren(parent, signal),
    })),
  })

  async function readChildren(parent: string | null, signal: AbortSignal) {
    const items: Organization[] = []
    let after: string | undefined
    let total = 0
    for (let page = pages.get(parent ?? '') ?? 1; page > 0; page--) {
      const query = { parentId: parent ?? 'none', limit: PAGE, ...(after !== undefined && { after }) }
      const answer = await dataOf(api.GET('/api/admin/v1/organizations', { params: { query }, signal }))
      items.push(...answer.items)
      total = answer.total
      if (answer.next === null) break
      after = answer.next
    }
    return { items, total }
  }

  const [top] = loaded
  if (top?.error && top.data === undefined)
    return <ErrorState title={texts.failed} error={top.error} onRetry={() => void top.refetch()} />
  if (top?.data === undefined) return <LoadingState />
  if (top.data.items.length === 0) {
    return <EmptyState title={texts.emptyTitle} hint={texts.emptyHint} action={add} />
  }

  const children = new Map<string | null, readonly TreeNode[]>()
  const missing: { readonly parent: string | null; readonly count: number }[] = []
  for (const [index, { data }] of loaded.entries()) {
    const parent = parents[index] as string | null
    if (data === undefined) continue
    children.set(
      parent,
      data.items.map((organization) => ({
        id: organization.id,
        parentId: organization.parentOrganizationId,
        organization,
      })),
    )
    if (data.total > data.items.length) missing.push({ parent, count: data.total - data.items.length })
  }
  const failed = loaded.find(({ error }) => error !== null)
  const rows = visibleRows(children, open)

  const toggle = (id: string, isOpen: boolean) =>
    setOpen((before) => {
      const after = new Set(before)
      if (isOpen) after.add(id)
      else after.delete(id)
      return after
    })
  const show = (id: string) => void navigate({ to: `/organizations/${id}` })

  function answerKey(event: KeyboardEvent): void {
    if (event.key === 'Enter') {
      const id = rows[focused]?.node.id
      if (id !== undefined) show(id)
      return
    }
    const move = moveInTree(event.key, rows, focused, open)
    if (move === undefined) return
    event.preventDefault()
    if (move.open !== undefined) toggle(move.open, true)
    if (move.close !== undefined) toggle(move.close, false)
    if (move.focus === undefined) return
    setFocused(move.focus)
    tree.current?.querySelectorAll<HTMLElement>('[role=treeitem]')[move.focus]?.focus()
  }

  return (
    <>
      <div role="tree" aria-label={texts.tree} ref={tree} className={classes.tree} onKeyDown={answerKey}>
        {rows.map(({ node, level }, index) => {
          const isOpen = open.has(node.id)
          const isLeaf = isOpen && children.get(node.id)?.length === 0
          return (
            <div
              key={node.id}
              role="treeitem"
              aria-level={level}
              {...(!isLeaf && { 'aria-expanded': isOpen })}
              tabIndex={index === Math.min(focused, rows.length - 1) ? 0 : -1}
              className={classes.row}
              style={{ paddingInlineStart: `${1.4 * (level - 1)}rem` }}
              onFocus={() => setFocused(index)}
            >
              <IconChevronRight
                size={16}
                aria-hidden
                className={classes.mark}
                data-open={isOpen || undefined}
                data-leaf={isLeaf || undefined}
                onClick={() => toggle(node.id, !isOpen)}
              />
              <Anchor component="span" inherit onClick={() => show(node.id)}>
                {titleOf(node.organization)}
              </Anchor>
              {!node.organization.isActive && <span className={classes.note}>{texts.inactive}</span>}
            </div>
          )
        })}
      </div>
      {failed?.error && (
        <ErrorState title={texts.failed} error={failed.error} onRetry={() => void failed.refetch()} />
      )}
      {missing.map(({ parent, count }) => (
        <Button
          key={parent ?? ''}
          variant="default"
          size="xs"
          mt="sm"
          onClick={() =>
            setPages((before) => new Map(before).set(parent ?? '', (before.get(parent ?? '') ?? 1) + 1))
          }
        >
          {texts.more(formatCount(count))}
        </Button>
      ))}
    </>
  )
}
