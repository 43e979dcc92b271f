/** The schedules of all published endpoints. */
import { Checkbox, NativeSelect } from '@mantine/core'
import type { ReactNode } from 'react'
import { FilterRow } from '../../parts/filters/filter-row.tsx'
import { Page } from '../../parts/page.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { scheduleTexts as texts } from '../../texts/scripts/schedules.ts'
import { HoldButton } from '../holds/hold-button.tsx'
import { ScheduleList } from './schedule-list.tsx'

export function SchedulesPage(): ReactNode {
  const [address, change] = useAddress()
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <HoldButton subject="schedules" />
          <SearchField label={texts.search} value={address.text} onChange={(text) => change({ text })} />
        </>
      }
    >
      <FilterRow>
        <NativeSelect
          size="xs"
          aria-label={texts.state}
          value={address.state ?? ''}
          data={[
            { value: '', label: `${texts.state}: ${texts.all}` },
            ...Object.entries(texts.states).map(([value, label]) => ({ value, label })),
          ]}
          onChange={(event) => change({ state: event.currentTarget.value })}
        />
        <Checkbox
          size="xs"
          label={texts.failing}
          checked={address.failing === 'true'}
          onChange={(event) => change({ failing: event.currentTarget.checked ? 'true' : undefined })}
        />
      </FilterRow>
      <ScheduleList
        text={address.text}
        state={address.state}
        isFailing={address.failing === 'true'}
        sort={address.sort}
        onSort={(sort) => change({ sort })}
      />
    </Page>
  )
}
