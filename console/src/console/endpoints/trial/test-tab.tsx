/** Runs the draft as it stands in the page, with a sample request. A trial is a dry run. */
import { Alert, Button, Stack, Text } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { dataOf } from '../../../api/client.ts'
import { ApiProblem } from '../../../api/problem.ts'
import type { ScriptPlace } from '../../../parts/script/script-editor.tsx'
import { trialTexts as texts } from '../../../texts/scripts/trial.ts'
import type { EndpointDefinition, RunReport } from '../../scripting/definition-types.ts'
import { placedFaults } from '../../scripting/placed-faults.ts'
import { useSession } from '../../session/session.tsx'
import { PlaceList } from './place-list.tsx'
import { Report } from './run-report.tsx'
import { SampleFields } from './sample-fields.tsx'
import { emptySample, isAtField, readSample, type SampleForm } from './sample-form.ts'
import classes from './trial.module.css'

type Props = {
  readonly id: string
  readonly draft: EndpointDefinition
  /** Shows a place of the script. */
  readonly onPlace: (place: ScriptPlace) => void
}

export function TestTab({ id, draft, onPlace }: Props): ReactNode {
  const { api } = useSession()
  const [sample, setSample] = useSample(id)
  const [report, setReport] = useState<RunReport>()
  const [problem, setProblem] = useState<ApiProblem>()
  const [isRunning, setRunning] = useState(false)
  const { request, faults } = readSample(sample, draft.path)
  const isReady = Object.keys(faults).length === 0
  const run = async (event: FormEvent) => {
    event.preventDefault()
    if (!isReady) return
    setRunning(true)
    setProblem(undefined)
    try {
      const body = { request, definition: draft }
      setReport(
        await dataOf(api.POST('/api/admin/v1/endpoints/{id}/test', { params: { path: { id } }, body })),
      )
    } catch (cause) {
      if (!(cause instanceof ApiProblem)) throw cause
      setReport(undefined)
      setProblem(cause)
    } finally {
      setRunning(false)
    }
  }
  return (
    <div className={classes.columns}>
      <form onSubmit={(event) => void run(event)} aria-label={texts.sample}>
        <Stack gap="sm">
          <Text size="sm" c="var(--text-dim)">
            {texts.about}
          </Text>
          <SampleFields
            sample={sample}
            onChange={setSample}
            path={draft.path}
            method={draft.method}
            faults={faults}
            refused={placedFaults(problem)}
          />
          <div>
            <Button
              type="submit"
              loading={isRunning}
              disabled={!isReady}
              leftSection={<IconPlayerPlay size={16} aria-hidden />}
            >
              {texts.run}
            </Button>
          </div>
        </Stack>
      </form>
      <section aria-label={texts.result} aria-live="polite">
        {problem !== undefined && <Refused problem={problem} path={draft.path} onPlace={onPlace} />}
        {report !== undefined && <Report report={report} onPlace={onPlace} />}
        {report === undefined && problem === undefined && (
          <Text c="var(--text-dim)" size="sm">
            {texts.noResult}
          </Text>
        )}
      </section>
    </div>
  )
}

type RefusedProps = {
  readonly problem: ApiProblem
  /** Of the endpoint. */
  readonly path: string | null
  readonly onPlace: Props['onPlace']
}

/** What stands at a field or in the message is not said again. */
function Refused({ problem: { message, details }, path, onPlace }: RefusedProps): ReactNode {
  const others = details.filter((detail) => !isAtField(detail.path, path))
  const areAllAtFields = details.length > 0 && others.length === 0
  return (
    <Alert role="alert" variant="outline" color="red" title={texts.refused} styles={alertStyles}>
      <Text size="sm">{areAllAtFields ? texts.refusedFields : message}</Text>
      <PlaceList
        problems={others.filter((other) => other.line !== undefined || !message.includes(other.message))}
        onPlace={onPlace}
      />
    </Alert>
  )
}

const alertStyles = { title: { color: 'var(--tone-bad)' } }

/** Kept with the answers of the API, in memory, until the page is left or the caller signs out. */
function useSample(id: string): readonly [SampleForm, (sample: SampleForm) => void] {
  const queries = useQueryClient()
  const key = ['endpoint-sample', id]
  const { data = emptySample } = useQuery<SampleForm>({
    queryKey: key,
    queryFn: () => emptySample,
    initialData: emptySample,
    // There is nothing to read again.
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  return [data, (sample) => queries.setQueryData(key, sample)]
}
