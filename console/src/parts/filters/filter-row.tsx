/** The filters of a list, between the heading of its page and its table. Its search is in the heading. */
import type { ReactNode } from 'react'
import classes from './filter-row.module.css'

export const FilterRow = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <div className={classes.row}>{children}</div>
)
