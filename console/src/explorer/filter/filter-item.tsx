/** One part of a group: a row, a group, elements, or a condition as text. Each can be negated and removed. */
import { ActionIcon, NativeSelect, TextInput } from '@mantine/core'
import { IconEqualNot, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { elementTexts } from '../../texts/fields.ts'
import { filterTexts as texts } from '../../texts/filters.ts'
import classes from './filter.module.css'
import { collectionText, FilterGroup } from './filter-group.tsx'
import { FilterRow } from './filter-row.tsx'
import { type Elements, filterOf, type Item, type Scope, type TextPart } from './filter-tree.ts'

type Props = {
  readonly item: Item
  readonly scope: Scope
  readonly depth: number
  /** Null removes it. */
  readonly onChange: (item: Item | null) => void
}

export const FilterItem = ({ item, scope, depth, onChange }: Props): ReactNode => (
  <div className={classes.item} data-kind={item.kind}>
    {item.kind !== 'text' && item.isNegated && (
      <span aria-hidden className={classes.negated}>
        {texts.not}
      </span>
    )}
    <div className={classes.part}>
      <Part item={item} scope={scope} depth={depth} onChange={onChange} />
    </div>
    {item.kind !== 'text' && (
      <ActionIcon
        variant={item.isNegated ? 'light' : 'subtle'}
        color={item.isNegated ? 'petrol' : 'gray'}
        className={classes.button}
        aria-pressed={item.isNegated}
        aria-label={texts.negate}
        title={texts.negate}
        onClick={() => onChange({ ...item, isNegated: !item.isNegated })}
      >
        <IconEqualNot size={16} aria-hidden />
      </ActionIcon>
    )}
    <ActionIcon
      variant="subtle"
      color="gray"
      className={classes.button}
      aria-label={texts.removeCondition}
      title={texts.removeCondition}
      onClick={() => onChange(null)}
    >
      <IconX size={16} aria-hidden />
    </ActionIcon>
  </div>
)

function Part({ item, scope, depth, onChange }: Props): ReactNode {
  switch (item.kind) {
    case 'row':
      return <FilterRow row={item} scope={scope} onChange={onChange} />
    case 'group':
      return <FilterGroup group={item} scope={scope} depth={depth + 1} onChange={onChange} />
    case 'elements':
      return <ElementsPart elements={item} scope={scope} depth={depth} onChange={onChange} />
    case 'text':
      return <TextOfCondition part={item} onChange={onChange} />
  }
}

type ElementsProps = Omit<Props, 'item'> & { readonly elements: Elements }

function ElementsPart({ elements, scope, depth, onChange }: ElementsProps): ReactNode {
  const collection = elements.collection.names[0]?.name ?? ''
  const element = elementTexts[collection] ?? collection
  return (
    <>
      <NativeSelect
        size="xs"
        w="fit-content"
        aria-label={texts.quantifier(collectionText(collection))}
        value={elements.quantifier}
        onChange={({ currentTarget }) =>
          onChange({ ...elements, quantifier: currentTarget.value === 'all' ? 'all' : 'any' })
        }
        data={[
          { value: 'any', label: texts.quantifiers.any(element) },
          { value: 'all', label: texts.quantifiers.all(element) },
        ]}
      />
      <FilterGroup
        group={elements.group}
        scope={{ ...scope, collection }}
        depth={depth + 1}
        onChange={(group) => onChange({ ...elements, group })}
      />
    </>
  )
}

type TextProps = { readonly part: TextPart; readonly onChange: (part: TextPart) => void }

function TextOfCondition({ part, onChange }: TextProps): ReactNode {
  return (
    <TextInput
      size="xs"
      aria-label={texts.textPart}
      title={texts.textPartHint}
      value={part.text}
      error={problemOf(part)}
      classNames={{ input: classes.code ?? '' }}
      onChange={({ currentTarget }) => onChange({ ...part, text: currentTarget.value })}
    />
  )
}

function problemOf(part: TextPart): string | undefined {
  try {
    filterOf(part)
    return undefined
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}
