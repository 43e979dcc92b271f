/** A part of a page with a heading of its own. */
import { Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './section.module.css'

type Props = { readonly title: string; readonly actions?: ReactNode; readonly children: ReactNode }

export const Section = ({ title, actions, children }: Props): ReactNode => (
  <section className={classes.section} aria-label={title}>
    <div className={classes.head}>
      <Title order={2} size="h5">
        {title}
      </Title>
      {actions !== undefined && <div className={classes.actions}>{actions}</div>}
    </div>
    {children}
  </section>
)

/** Parts beside each other where there is room. */
export const Columns = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <div className={classes.columns}>{children}</div>
)
