/** The value or values of a condition, by the kind of its field. */
import { Autocomplete, NativeSelect, TagsInput, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Literal } from '../../../../src/query/ast.ts'
import { filterTexts as texts } from '../../texts/filters.ts'
import { mostFrequentText } from './completion-options.ts'
import type { FieldKind } from './filter-fields.ts'
import { booleanLiteral, type RowOperator } from './filter-tree.ts'
import type { KnownValues } from './use-values.ts'
import { inputTypeOf, literalOf, textOf } from './value-text.ts'

type Props = {
  readonly kind: FieldKind
  readonly operator: RowOperator
  readonly values: readonly Literal[]
  readonly known: KnownValues
  /** Is told what is being written, which narrows the known values. */
  readonly onSearch: (written: string) => void
  readonly onChange: (values: readonly Literal[]) => void
}

export function ValueInput({ kind, operator, values, known, onSearch, onChange }: Props): ReactNode {
  if (operator === 'empty' || operator === 'filled') return null
  const [value] = values
  const text = value === undefined ? '' : textOf(value)
  const write = (next: string) => onChange(literalOf(next, kind))
  const suggestions = suggestionsOf(known)
  if (operator === 'in' || operator === 'nin') {
    return (
      <TagsInput
        size="xs"
        aria-label={texts.values}
        placeholder={values.length === 0 ? texts.valuesHint : ''}
        value={values.map(textOf)}
        data={suggestions}
        splitChars={[]}
        onSearchChange={onSearch}
        onChange={(next) => onChange(next.flatMap((each) => literalOf(each, kind)))}
        limit={50}
      />
    )
  }
  if (kind === 'boolean') {
    return (
      <NativeSelect
        size="xs"
        aria-label={texts.value}
        value={text}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === '' ? [] : [booleanLiteral(currentTarget.value === 'true')])
        }
        data={[
          { value: '', label: '' },
          { value: 'true', label: texts.true },
          { value: 'false', label: texts.false },
        ]}
      />
    )
  }
  if (kind === 'text' || kind === 'label') {
    return (
      <Autocomplete
        size="xs"
        aria-label={texts.value}
        value={text}
        data={suggestions}
        onChange={(next) => {
          onSearch(next)
          write(next)
        }}
        limit={50}
      />
    )
  }
  return (
    <TextInput
      size="xs"
      aria-label={texts.value}
      type={inputTypeOf(kind, text)}
      inputMode={kind === 'decimal' || kind === 'integer' ? 'decimal' : undefined}
      key={kind}
      {...(kind === 'decimal' || kind === 'integer'
        ? { defaultValue: text, onChange: ({ currentTarget }) => write(currentTarget.value) }
        : { value: text, onChange: ({ currentTarget }) => write(currentTarget.value) })}
    />
  )
}

/** With a word on them where there are more. */
function suggestionsOf(known: KnownValues) {
  const items = known.values.map(({ value }) => value)
  const group = mostFrequentText(known)
  return group === undefined ? items : [{ group, items }]
}
