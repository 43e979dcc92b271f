/** The filters of the history. Those in use are in the address; a field takes effect with Enter or when it is left. */
import { Button, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { dataOf } from '../../api/client.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { FilterField } from '../../parts/filters/filter-field.tsx'
import type { AddressParameters } from '../../parts/use-address.ts'
import { executionTexts as texts } from '../../texts/executions.ts'
import { useSession } from '../session/session.tsx'
import { filterNames, presets } from './execution-queries.ts'
import classes from './executions.module.css'

type Props = {
  readonly address: AddressParameters
  readonly onChange: (changes: AddressParameters) => void
}

const choicesOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }))

const fields = [
  ['responseStatus', texts.httpStatus, texts.httpStatusHint],
  ['from', texts.from, '2026-01-31T12:00'],
  ['to', texts.to, '2026-02-01'],
  ['principalId', texts.caller, texts.callerHint],
  ['version', texts.version, ''],
  ['minExecutionTimeMs', texts.minDuration, ''],
  ['maxExecutionTimeMs', texts.maxDuration, ''],
  ['requestId', texts.requestId, ''],
  ['executionId', texts.executionId, ''],
  ['content', texts.content, texts.contentHint],
] as const

const none: AddressParameters = Object.fromEntries(filterNames.map((name) => [name, undefined]))

export function ExecutionFilters({ address, onChange }: Props): ReactNode {
  const { may } = useSession()
  const isFiltered = filterNames.some((name) => address[name] !== undefined)
  return (
    <section aria-label={texts.filters}>
      <div className={classes.presets}>
        {Object.entries(presets()).map(([name, filter]) => (
          <Button key={name} size="xs" variant="default" onClick={() => onChange({ ...none, ...filter })}>
            {texts.preset[name as keyof typeof texts.preset]}
          </Button>
        ))}
        {isFiltered && (
          <Button size="xs" variant="subtle" onClick={() => onChange(none)}>
            {texts.clear}
          </Button>
        )}
        <CopyButton text={location.href} label={texts.copyLink} />
      </div>
      <div className={classes.filters}>
        <EndpointFilter value={address.endpointId} onChange={(endpointId) => onChange({ endpointId })} />
        <Choice
          label={texts.status}
          names={texts.statuses}
          value={address.status}
          onChange={(status) => onChange({ status })}
        />
        <Choice
          label={texts.type}
          names={texts.types}
          value={address.type}
          onChange={(type) => onChange({ type })}
        />
        {fields
          // Looking for contents is for those who may see them.
          .filter(([name]) => name !== 'content' || may('getExecution'))
          .map(([name, label, example]) => (
            <FilterField
              key={name}
              label={label}
              example={example}
              value={address[name]}
              onChange={(value) => onChange({ [name]: value })}
            />
          ))}
      </div>
    </section>
  )
}

type ChoiceProps = {
  readonly label: string
  readonly names: Readonly<Record<string, string>>
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

const Choice = ({ label, names, value, onChange }: ChoiceProps): ReactNode => (
  <Select
    size="xs"
    label={label}
    placeholder={texts.any}
    clearable
    data={choicesOf(names)}
    value={value ?? null}
    onChange={(chosen) => onChange(chosen ?? undefined)}
  />
)

const MOST_ENDPOINTS = 500

type EndpointFilterProps = Pick<ChoiceProps, 'value' | 'onChange'> & {
  /** Whether its label stands above it, as those of the other filters. */
  readonly isLabelled?: boolean
}

export function EndpointFilter({ value, onChange, isLabelled = true }: EndpointFilterProps): ReactNode {
  const { api } = useSession()
  const endpoints = useQuery({
    queryKey: ['endpoints', 'choices'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/admin/v1/endpoints', { params: { query: { limit: MOST_ENDPOINTS } }, signal })),
  })
  const choices = (endpoints.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))
  // An endpoint that was deleted still has its history.
  if (value !== undefined && !choices.some((choice) => choice.value === value))
    choices.push({ value, label: value })
  return (
    <Select
      size="xs"
      {...(isLabelled ? { label: texts.endpoint } : { 'aria-label': texts.endpoint })}
      placeholder={isLabelled ? texts.any : texts.anyEndpoint}
      clearable
      searchable
      data={choices}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
    />
  )
}
