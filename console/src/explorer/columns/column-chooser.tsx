/** Chooses the columns of a table: which, in which order, how wide, and which stay in view. */
import { ActionIcon, Button, NumberInput, TextInput } from '@mantine/core'
import {
  IconArrowLeft,
  IconArrowRight,
  IconPin,
  IconPinnedFilled,
  IconPlus,
  IconX,
} from '@tabler/icons-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { recordTexts } from '../../texts/records.ts'
import { labelOf } from '../fields/field-label.ts'
import { labelPath, placeOf } from '../fields/paths.ts'
import { useLabels } from '../fields/use-labels.ts'
import { type Column, columnsOf } from '../list/columns.ts'
import { defaultsOf, type ListQuery } from '../query/list-query.ts'
import type { ListAddress } from '../query/use-list-query.ts'
import { moved, offeredPaths, pinned, removed, shownToo } from './arrange-columns.ts'
import classes from './column-chooser.module.css'

const texts = recordTexts.columns

export default function ColumnChooser({ query, change }: ListAddress): ReactNode {
  const columns = columnsOf(query)
  return (
    <div className={classes.chooser}>
      <h3 className={classes.heading}>{texts.shown}</h3>
      <ol className={classes.list}>
        {columns.map((column, index) => (
          <ShownColumn key={column.path} {...{ query, change, column, index }} />
        ))}
      </ol>
      <Button
        variant="default"
        size="xs"
        onClick={() => change({ ...defaultsOf[query.list], sort: query.sort, widths: {} })}
      >
        {texts.reset}
      </Button>
      <h3 className={classes.heading}>{texts.others}</h3>
      <OtherColumns query={query} onAdd={(path) => change(shownToo(query, path))} />
    </div>
  )
}

type ShownProps = ListAddress & { readonly column: Column; readonly index: number }

function ShownColumn({ query, change, column: { path, header, widthPx }, index }: ShownProps): ReactNode {
  const isPinned = index < query.pinnedCount
  return (
    <li className={classes.line}>
      <span className={classes.name}>{header}</span>
      <NumberInput
        aria-label={texts.width(header)}
        value={widthPx}
        onChange={(width) =>
          Number(width) >= 48 && change({ widths: { ...query.widths, [path]: Number(width) } })
        }
        min={48}
        max={1200}
        step={16}
        size="xs"
        w="5rem"
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={texts.earlier(header)}
        disabled={index === 0}
        onClick={() => change(moved(query, path, -1))}
      >
        <IconArrowLeft size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={texts.later(header)}
        disabled={index === query.columns.length - 1}
        onClick={() => change(moved(query, path, 1))}
      >
        <IconArrowRight size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={isPinned ? texts.unpin(header) : texts.pin(header)}
        onClick={() => change(pinned(query, path, !isPinned))}
      >
        {isPinned ? <IconPinnedFilled size={16} aria-hidden /> : <IconPin size={16} aria-hidden />}
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={texts.remove(header)}
        disabled={query.columns.length === 1}
        onClick={() => change(removed(query, path))}
      >
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </li>
  )
}

/** Clients have thousands of labels; those that are looked for are found by the search. */
const MOST_OFFERED = 300

type OthersProps = { readonly query: ListQuery; readonly onAdd: (path: string) => void }

function OtherColumns({ query, onAdd }: OthersProps): ReactNode {
  const labels = useLabels(query.list)
  const [search, setSearch] = useState('')
  const [unlisted, setUnlisted] = useState('')
  const wanted = search.trim().toLowerCase()
  const offered = offeredPaths(query.list, labels)
    .filter((path) => !query.columns.includes(path))
    .flatMap((path) => {
      const place = placeOf(query.list, path)
      return place === undefined ? [] : [{ path, kind: place.kind, name: labelOf(place) }]
    })
    .filter(({ path, name }) => `${name} ${path}`.toLowerCase().includes(wanted))
    .slice(0, MOST_OFFERED)
  const showUnlisted = (event: FormEvent) => {
    event.preventDefault()
    onAdd(labelPath(unlisted))
    setUnlisted('')
  }
  return (
    <>
      <TextInput
        aria-label={texts.search}
        placeholder={texts.search}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        size="xs"
        w="100%"
      />
      <ul className={classes.list}>
        {offered.map(({ path, kind, name }) => (
          <li key={path}>
            <button
              type="button"
              className={classes.offered}
              aria-label={texts.add(name)}
              onClick={() => onAdd(path)}
            >
              <IconPlus size={14} aria-hidden />
              <span className={classes.name}>{name}</span>
              {kind === 'label' && <span className={classes.kind}>{texts.label}</span>}
            </button>
          </li>
        ))}
        {offered.length === 0 && <li>{texts.nothing}</li>}
      </ul>
      <form onSubmit={showUnlisted} className={classes.unlisted}>
        <TextInput
          label={texts.unlisted}
          description={texts.unlistedHint}
          value={unlisted}
          onChange={(event) => setUnlisted(event.currentTarget.value)}
          size="xs"
        />
        <Button type="submit" variant="default" size="xs" disabled={unlisted === ''}>
          {texts.show}
        </Button>
      </form>
    </>
  )
}
