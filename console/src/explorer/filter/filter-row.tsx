/** A condition: field, operator and value. */
import { NativeSelect, Select } from '@mantine/core'
import { type ReactNode, useMemo, useState } from 'react'
import { filterTexts as texts } from '../../texts/filters.ts'
import { useLabels } from '../fields/use-labels.ts'
import classes from './filter.module.css'
import { choiceId, fieldChoices, kindOf, placeOfField, valuesPath } from './filter-fields.ts'
import { operatorsOf, pathOf, type Row, type RowOperator, type Scope } from './filter-tree.ts'
import { useValues } from './use-values.ts'
import { ValueInput } from './value-input.tsx'

type Props = { readonly row: Row; readonly scope: Scope; readonly onChange: (row: Row) => void }

export function FilterRow({ row, scope, onChange }: Props): ReactNode {
  const { field, operator, values } = row
  const place = field === null ? undefined : placeOfField(field, scope)
  const kind = field === null ? undefined : kindOf(field, scope)
  const path = place && valuesPath(place)
  const [searched, setSearched] = useState('')
  const known = useValues(scope.list, path, searched)
  const operators = kind === undefined ? [] : operatorsOf(kind)
  const choose = (id: string | null) => {
    if (id === null) return
    const next = pathOf(...(JSON.parse(id) as string[]))
    const nextKind = kindOf(next, scope)
    const keeps = nextKind === kind && nextKind !== undefined
    const nextOperator = nextKind !== undefined && operatorsOf(nextKind).includes(operator) ? operator : 'eq'
    onChange({ ...row, field: next, operator: nextOperator, values: keeps ? values : [] })
  }
  return (
    <div className={classes.row}>
      <FieldSelect scope={scope} row={row} onChoose={choose} />
      <NativeSelect
        size="xs"
        aria-label={texts.operator}
        disabled={kind === undefined}
        value={operator}
        onChange={({ currentTarget }) => onChange(withOperator(row, currentTarget.value as RowOperator))}
        data={operators.map((value) => ({ value, label: texts.operators[kind ?? 'text'][value] }))}
      />
      {kind !== undefined && (
        <ValueInput
          kind={kind}
          operator={operator}
          values={values}
          known={known}
          onSearch={setSearched}
          onChange={(next) => onChange({ ...row, values: next })}
        />
      )}
    </div>
  )
}

/** Comparisons have one value; a list may have more, which a comparison leaves out. */
function withOperator(row: Row, operator: RowOperator): Row {
  if (operator === 'in' || operator === 'nin') return { ...row, operator }
  return {
    ...row,
    operator,
    values: operator === 'empty' || operator === 'filled' ? [] : row.values.slice(0, 1),
  }
}

type FieldSelectProps = {
  readonly scope: Scope
  readonly row: Row
  readonly onChoose: (id: string | null) => void
}

function FieldSelect({ scope: { list, collection }, row: { field }, onChoose }: FieldSelectProps): ReactNode {
  const labels = useLabels(list)
  const id = field === null ? null : choiceId(field.names.map(({ name }) => name))
  const data = useMemo(() => {
    const choices = fieldChoices({ list, collection }, labels)
    // A label that none of the newest records has.
    const isListed = id === null || choices.some((choice) => choice.id === id)
    const names = id === null ? [] : (JSON.parse(id) as string[])
    const all = isListed
      ? choices
      : [...choices, { id, label: names.at(-1) ?? '', group: 'labels' as const, names }]
    return (['fields', 'labels', 'elements'] as const).flatMap((group) => {
      const items = all.filter((choice) => choice.group === group)
      if (items.length === 0) return []
      return [{ group: texts.groups[group], items: items.map(({ id: value, label }) => ({ value, label })) }]
    })
  }, [list, collection, labels, id])
  return (
    <Select
      size="xs"
      aria-label={texts.field}
      placeholder={texts.chooseField}
      searchable
      value={id}
      onChange={onChoose}
      data={data}
      maxDropdownHeight={320}
      limit={400}
    />
  )
}
