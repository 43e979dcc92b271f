/** A point in time, with the exact value for those who hover or listen. */
import type { ReactNode } from 'react'
import { formatAge, formatDay, formatLocalTime, formatMoment } from '../format/dates.ts'

type Props = { readonly value: string | null | undefined }

const orDash = (value: string | null | undefined, show: (text: string) => ReactNode): ReactNode =>
  value === null || value === undefined ? '–' : show(value)

/** RFC 3339, in the viewer's zone. */
export const Moment = ({ value }: Props): ReactNode =>
  orDash(value, (text) => {
    const parts = /^(.*,) ([^,]*)$/.exec(formatMoment(text))
    return (
      <time dateTime={text} title={text}>
        {parts === null ? (
          formatMoment(text)
        ) : (
          // A line ends between date and time, if anywhere.
          <>
            <span className="unbroken">{parts[1]}</span> <span className="unbroken">{parts[2]}</span>
          </>
        )}
      </time>
    )
  })

/** How long ago, or in how long. */
export const Age = ({ value }: Props): ReactNode =>
  orDash(value, (text) => (
    <time className="unbroken" dateTime={text} title={`${formatMoment(text)} (${text})`}>
      {formatAge(text)}
    </time>
  ))

export const Day = ({ value }: Props): ReactNode =>
  orDash(value, (text) => (
    <time dateTime={text} title={text}>
      {formatDay(text)}
    </time>
  ))

/** The local time of a place, which has no zone. */
export const LocalTime = ({ value }: Props): ReactNode =>
  orDash(value, (text) => (
    <time dateTime={text} title={text}>
      {formatLocalTime(text)}
    </time>
  ))
