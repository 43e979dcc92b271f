/** What an operator should look at, each with a link to where it is mended. */
import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { formatCount } from '../../format/numbers.ts'
import { Section } from '../../parts/section.tsx'
import { Moment } from '../../parts/time.tsx'
import { Tone } from '../../parts/tone.tsx'
import { overviewTexts as texts } from '../../texts/overview.ts'
import { useSession } from '../session/session.tsx'
import { type Attention, attentionLink } from './attention-link.ts'
import classes from './attention-list.module.css'

/** A fault of the service itself; the others are worth a look. */
const urgent: ReadonlySet<Attention['kind']> = new Set([
  'refresh-refused',
  'refresh-failed',
  'endpoint-failing',
  'schedule-failing',
  'account-altered',
  'secrets-sealed',
])

const MOST_SHOWN = 5

type Props = { readonly found: readonly Attention[]; readonly hasSnapshot: boolean }

export const AttentionList = ({ found, hasSnapshot }: Props): ReactNode => (
  <Section title={texts.attention}>
    {!hasSnapshot && <Tone tone="bad">{texts.noSnapshotHint}</Tone>}
    {found.length === 0 ? (
      hasSnapshot && <Tone tone="good">{texts.nothing}</Tone>
    ) : (
      <ul className={classes.kinds}>
        {found.map((attention) => (
          <li key={attention.kind}>
            <Tone tone={urgent.has(attention.kind) ? 'bad' : 'warning'}>{texts.kinds[attention.kind]}</Tone>
            <Subjects attention={attention} />
          </li>
        ))}
      </ul>
    )}
  </Section>
)

function Subjects({ attention: { kind, subjects, total } }: { readonly attention: Attention }): ReactNode {
  const { may } = useSession()
  const shown = subjects.slice(0, MOST_SHOWN)
  return (
    <ul className={classes.subjects}>
      {shown.map(({ id, name, message }) => {
        const to = attentionLink(kind, id, may)
        return (
          <li key={`${id} ${name} ${message}`}>
            {to === undefined ? (
              name
            ) : (
              <Anchor inherit underline="always" renderRoot={(props) => <Link {...props} to={to} />}>
                {name}
              </Anchor>
            )}{' '}
            <span className={classes.message}>
              <Message text={message} />
            </span>
          </li>
        )
      })}
      {total > shown.length && (
        <li>
          <Text inherit c="var(--text-dim)">
            {texts.more(formatCount(total - shown.length))}
          </Text>
        </li>
      )}
    </ul>
  )
}

/** The API writes points in time as programs read them. */
const Message = ({ text }: { readonly text: string }): ReactNode => {
  const [before = '', moment, after] = text.split(/(\d{4}-\d\d-\d\dT[\d:.]+Z)/)
  return (
    <>
      {before}
      {moment !== undefined && <Moment value={moment} />}
      {after}
    </>
  )
}
