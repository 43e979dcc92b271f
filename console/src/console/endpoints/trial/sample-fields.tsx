/** The fields of a sample request. */
import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { faultsAt, type PlacedFault } from '../../../parts/shape-form/shape.ts'
import { trialTexts as texts } from '../../../texts/scripts/trial.ts'
import { parametersIn, type SampleFaults, type SampleForm } from './sample-form.ts'
import classes from './trial.module.css'

type Props = {
  readonly sample: SampleForm
  readonly onChange: (sample: SampleForm) => void
  readonly path: string | null
  readonly method: string | null
  readonly faults: SampleFaults
  /** What the server found. */
  readonly refused: readonly PlacedFault[]
}

export function SampleFields({ sample, onChange, path, method, faults, refused }: Props): ReactNode {
  const change = (changes: Partial<SampleForm>) => onChange({ ...sample, ...changes })
  return (
    <>
      <p className={classes.address}>
        {method === null ? texts.bySchedule : `${method} /api/dynamic/v1/${path}`}
      </p>
      {parametersIn(path).map((name) => (
        <TextInput
          key={name}
          label={texts.parameter(name)}
          value={sample.params[name] ?? ''}
          error={faultsAt(refused, `/request/params/${name}`)}
          onChange={(event) => change({ params: { ...sample.params, [name]: event.currentTarget.value } })}
        />
      ))}
      {method !== null && (
        <>
          <Lines
            label={texts.query}
            hint={texts.queryHint}
            value={sample.query}
            error={faults.query}
            onChange={(query) => change({ query })}
          />
          <Lines
            label={texts.headers}
            hint={texts.headersHint}
            value={sample.headers}
            error={faults.headers}
            onChange={(headers) => change({ headers })}
          />
        </>
      )}
      {method !== 'GET' && (
        <>
          <NativeSelect
            label={texts.bodyKind}
            data={bodyKindsOf(method).map((value) => ({ value, label: texts.bodyKinds[value] }))}
            value={sample.bodyKind}
            onChange={(event) => change({ bodyKind: event.currentTarget.value as SampleForm['bodyKind'] })}
          />
          {sample.bodyKind !== 'none' && (
            <Lines
              label={texts.body}
              value={sample.body}
              error={faults.body ?? faultsAt(refused, '/request/body')}
              onChange={(body) => change({ body })}
            />
          )}
        </>
      )}
      <NativeSelect
        label={texts.caller}
        data={Object.entries(texts.callers).map(([value, label]) => ({ value, label }))}
        value={sample.caller}
        onChange={(event) => change({ caller: event.currentTarget.value as SampleForm['caller'] })}
      />
      {sample.caller === 'other' && <Caller sample={sample} change={change} />}
      <Lines
        label={texts.answers}
        hint={texts.answersHint}
        value={sample.answers}
        error={faults.answers}
        onChange={(answers) => change({ answers })}
      />
    </>
  )
}

/** The input of a schedule is JSON. */
const bodyKindsOf = (method: string | null): readonly SampleForm['bodyKind'][] =>
  method === null ? ['none', 'json'] : ['none', 'json', 'text']

type CallerProps = {
  readonly sample: SampleForm
  readonly change: (changes: Partial<SampleForm>) => void
}

function Caller({ sample, change }: CallerProps): ReactNode {
  return (
    <>
      {(['principalId', 'callerName', 'email'] as const).map((name) => (
        <TextInput
          key={name}
          label={texts.callerFields[name]}
          value={sample[name]}
          onChange={(event) => change({ [name]: event.currentTarget.value })}
        />
      ))}
      <Lines
        label={texts.roles}
        hint={texts.rolesHint}
        value={sample.roles}
        onChange={(roles) => change({ roles })}
      />
    </>
  )
}

type LinesProps = {
  readonly label: string
  readonly hint?: string
  readonly value: string
  readonly error?: string | undefined
  readonly onChange: (text: string) => void
}

const Lines = ({ label, hint, value, error, onChange }: LinesProps): ReactNode => (
  <Textarea
    label={label}
    description={hint}
    value={value}
    error={error}
    autosize
    minRows={2}
    maxRows={14}
    spellCheck={false}
    classNames={{ input: classes.code ?? '' }}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
)
