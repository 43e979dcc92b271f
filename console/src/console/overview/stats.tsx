/** A figure with its name and a word about it. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import classes from './stats.module.css'

type Props = {
  readonly name: string
  readonly value: ReactNode
  readonly note?: ReactNode
  readonly tone?: 'bad' | 'warning' | undefined
  /** The page that shows more. */
  readonly to?: string | undefined
  /** Parameters of its address. */
  readonly search?: Readonly<Record<string, string>>
}

export function Stat({ name, value, note, tone, to, search = {} }: Props): ReactNode {
  const content = (
    <>
      <dt className={classes.name}>
        {to === undefined ? (
          name
        ) : (
          <Link to={to} search={search}>
            {name}
          </Link>
        )}
      </dt>
      <dd className={classes.value} data-tone={tone}>
        {value}
      </dd>
      <dd className={classes.note}>{note}</dd>
    </>
  )
  return <div className={classes.stat}>{content}</div>
}

export const Stats = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <dl className={classes.stats}>{children}</dl>
)
