/** The filter of a list: as text, and below it as conditions when they are asked for. Both always show the same filter. */
import { Button } from '@mantine/core'
import { IconFilter, IconX } from '@tabler/icons-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import { LoadingState } from '../../parts/states.tsx'
import { filterTexts as texts } from '../../texts/filters.ts'
import type { ListAddress } from '../query/use-list-query.ts'
import classes from './filter.module.css'
import { FilterText } from './filter-text.tsx'

const FilterBuilder = lazy(() => import('./filter-builder.tsx'))

type Props = ListAddress & {
  /** Of the list; shown here when the filter is the reason. */
  readonly error: Error | null
}

export default function FilterBar({ query, change, error }: Props): ReactNode {
  const [isBuilding, setBuilding] = useState(false)
  const [draft, setDraft] = useState<string>()
  const apply = (filter: string) => {
    setDraft(undefined)
    if (filter.trim() !== query.filter) change({ filter: filter.trim() })
  }
  const isChanged = draft !== undefined && draft.trim() !== query.filter
  const refusal = error instanceof ApiProblem && error.parameter === '$filter' ? error : undefined
  return (
    <search aria-label={texts.filter} className={classes.search}>
      <div className={classes.bar}>
        <Button
          variant={isBuilding ? 'light' : 'default'}
          size="sm"
          aria-expanded={isBuilding}
          title={texts.conditionsHint}
          leftSection={<IconFilter size={16} aria-hidden />}
          onClick={() => setBuilding(!isBuilding)}
        >
          {texts.conditions}
        </Button>
        <FilterText
          query={query}
          refusal={isChanged ? undefined : refusal}
          draft={draft}
          onDraft={setDraft}
          onApply={apply}
        />
        {isChanged && <Button onClick={() => apply(draft)}>{texts.apply}</Button>}
        {query.filter !== '' && !isChanged && (
          <Button
            variant="subtle"
            color="gray"
            aria-label={texts.clear}
            title={texts.clear}
            px="xs"
            onClick={() => apply('')}
          >
            <IconX size={16} aria-hidden />
          </Button>
        )}
      </div>
      {isBuilding && (
        <Suspense fallback={<LoadingState />}>
          <FilterBuilder query={query} change={change} />
        </Suspense>
      )}
    </search>
  )
}
