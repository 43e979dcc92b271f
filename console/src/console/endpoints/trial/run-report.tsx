/** What a trial gave: the answer, what it would have changed, log, counters and times. */
import { Code, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatCount, formatDuration } from '../../../format/numbers.ts'
import { Fields } from '../../../parts/fields.tsx'
import type { ScriptPlace } from '../../../parts/script/script-editor.tsx'
import { Moment } from '../../../parts/time.tsx'
import { Tone } from '../../../parts/tone.tsx'
import { trialTexts as texts } from '../../../texts/scripts/trial.ts'
import { readable } from '../../executions/readable-body.ts'
import type { RunReport } from '../../scripting/definition-types.ts'
import { PlaceList } from './place-list.tsx'
import classes from './trial.module.css'

type Props = { readonly report: RunReport; readonly onPlace: (place: ScriptPlace) => void }

export function Report({ report, onPlace }: Props): ReactNode {
  const { response, execution, heldWrites } = report
  return (
    <Stack gap="md">
      {execution?.error != null && (
        <Part title={texts.problem}>
          <Text size="sm" c="var(--tone-bad)">
            {execution.error.code}
          </Text>
          <PlaceList problems={[execution.error]} onPlace={onPlace} />
        </Part>
      )}
      <Part title={texts.answer}>
        <Tone tone={response.status < 400 ? 'good' : 'bad'}>{texts.status(response.status)}</Tone>
        <Code block className={classes.block}>
          {response.body === null ? texts.noBody : readable(response.body)}
        </Code>
        <details>
          <summary>{texts.answerHeaders}</summary>
          <Fields fields={Object.entries(response.headers)} />
        </details>
      </Part>
      <HeldWrites writes={heldWrites} />
      {execution === null ? <Text size="sm">{texts.nothingRan}</Text> : <Run execution={execution} />}
    </Stack>
  )
}

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode => (
  <section className={classes.part}>
    <Title order={2} size="h5">
      {title}
    </Title>
    {children}
  </section>
)

function HeldWrites({ writes }: { readonly writes: RunReport['heldWrites'] }): ReactNode {
  return (
    <Part title={texts.held(writes.length)}>
      {writes.length > 0 && (
        <>
          <Text size="sm" c="var(--text-dim)">
            {texts.heldAbout}
          </Text>
          <ul className={classes.held}>
            {writes
              .map((write, index) => ({ ...write, place: `${index} ${write.action}` }))
              .map(({ place, action, subjectId, before, after }) => (
                <li key={place}>
                  <b>{action}</b> <span className={classes.subject}>{subjectId}</span>
                  {before != null && <Value label={texts.before} value={before} />}
                  {after != null && <Value label={texts.after} value={after} />}
                </li>
              ))}
          </ul>
        </>
      )}
    </Part>
  )
}

const Value = ({ label, value }: { readonly label: string; readonly value: unknown }): ReactNode => (
  <Code block className={classes.block}>
    {`${label}: ${JSON.stringify(value, null, 1)}`}
  </Code>
)

function Run({ execution }: { readonly execution: NonNullable<RunReport['execution']> }): ReactNode {
  const { log, sent } = execution
  return (
    <>
      <Part title={texts.log(log.length)}>
        {log.length > 0 && (
          <ol className={classes.log}>
            {log
              .map((entry, index) => ({ ...entry, place: `${index} ${entry.time}` }))
              .map(({ place, time, level, message }) => (
                <li key={place} data-level={level}>
                  <span className={classes.subject}>
                    <Moment value={time} />
                  </span>{' '}
                  <b>{level}</b> {message}
                </li>
              ))}
          </ol>
        )}
      </Part>
      <Part title={texts.counters}>
        <Fields
          fields={[
            [texts.duration, formatDuration(execution.executionTimeMs)],
            [texts.queued, formatDuration(execution.queuedMs)],
            [texts.statements, formatCount(execution.statementCount)],
            [texts.loops, formatCount(execution.loopCount)],
            [texts.httpRequests, formatCount(sent.httpRequests)],
            [texts.mails, formatCount(sent.mails)],
          ]}
        />
      </Part>
    </>
  )
}
