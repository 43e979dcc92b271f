/** Names and values of one thing, such as the members of an account: in two columns where there is room. */
import type { ReactNode } from 'react'
import classes from './fields.module.css'

export type Field = readonly [name: string, value: ReactNode]

export const Fields = ({ fields }: { readonly fields: readonly Field[] }): ReactNode => (
  <dl className={classes.fields}>
    {fields.map(([name, value]) => (
      <div key={name} className={classes.field}>
        <dt>{name}</dt>
        <dd>{value === null || value === undefined || value === '' ? '–' : value}</dd>
      </div>
    ))}
  </dl>
)
