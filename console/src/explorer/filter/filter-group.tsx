/** A group of conditions: how they are joined, the conditions, and what can be added. */
import { Button, SegmentedControl } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { fieldTexts } from '../../texts/fields.ts'
import { filterTexts as texts } from '../../texts/filters.ts'
import { listFields } from '../fields/list-fields.ts'
import classes from './filter.module.css'
import { FilterItem } from './filter-item.tsx'
import { emptyElements, emptyGroup, emptyRow, type Group, type Item, type Scope } from './filter-tree.ts'

export type GroupProps = {
  readonly group: Group
  readonly scope: Scope
  readonly depth: number
  readonly onChange: (group: Group) => void
}

const MOST_NESTED = 3

export function FilterGroup({ group, scope, depth, onChange }: GroupProps): ReactNode {
  const { items, join } = group
  const add = (item: Item) => onChange({ ...group, items: [...items, item] })
  const replace = (id: number, item: Item | null) =>
    onChange({
      ...group,
      items: items.flatMap((each) => (each.id !== id ? [each] : item === null ? [] : [item])),
    })
  return (
    <fieldset className={classes.group}>
      <legend className="visually-hidden">{texts.group}</legend>
      {items.length > 1 && (
        <SegmentedControl
          size="xs"
          aria-label={texts.join}
          value={join}
          onChange={(value) => onChange({ ...group, join: value === 'or' ? 'or' : 'and' })}
          data={[
            { value: 'and', label: texts.joins.and },
            { value: 'or', label: texts.joins.or },
          ]}
        />
      )}
      {items.length === 0 && (
        <p className={classes.hint}>
          {scope.collection === undefined ? texts.noCondition : texts.noConditionOfElements}
        </p>
      )}
      {items.map((item) => (
        <FilterItem
          key={item.id}
          item={item}
          scope={scope}
          depth={depth}
          onChange={(next) => replace(item.id, next)}
        />
      ))}
      <div className={classes.add}>
        <AddButton label={texts.addCondition} onClick={() => add(emptyRow())} />
        {depth < MOST_NESTED && (
          <AddButton
            label={texts.addGroup}
            onClick={() => add(emptyGroup([emptyRow(), emptyRow()], join === 'and' ? 'or' : 'and'))}
          />
        )}
        {scope.collection === undefined &&
          listFields[scope.list].collections.map(({ name }) => (
            <AddButton
              key={name}
              label={texts.addElements(collectionText(name))}
              onClick={() => add(emptyElements(name))}
            />
          ))}
      </div>
    </fieldset>
  )
}

/** A column of segments is called a route. */
export const collectionText = (name: string): string =>
  name === 'segments' ? (fieldTexts.segmentCount ?? name) : (fieldTexts[name] ?? name)

const AddButton = ({
  label,
  onClick,
}: {
  readonly label: string
  readonly onClick: () => void
}): ReactNode => (
  <Button
    variant="subtle"
    size="compact-xs"
    leftSection={<IconPlus size={14} aria-hidden />}
    onClick={onClick}
  >
    {label}
  </Button>
)
