/** A page within the frame: its heading, what one can do there, and its content. */
import { Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { createContext, type ReactNode, useContext } from 'react'
import classes from './page.module.css'

/** What waits for the reader, in front of the title of the tab. */
export const TitleCount = createContext(0)

type Props = {
  readonly title: string
  /** Beside the title, such as a count or a state. */
  readonly note?: ReactNode
  readonly actions?: ReactNode
  /** `fill` gives the content the rest of the height, for tables that scroll by themselves. */
  readonly layout?: 'flow' | 'fill'
  readonly children: ReactNode
}

export function Page({ title, note, actions, layout = 'flow', children }: Props): ReactNode {
  const count = useContext(TitleCount)
  useDocumentTitle(`${count === 0 ? '' : `(${count}) `}${title} · Tripfolio`)
  return (
    <div className={layout === 'fill' ? `${classes.page} ${classes.fill}` : classes.page}>
      <div className={classes.head}>
        <Title order={1} size="h3" tabIndex={-1}>
          {title}
        </Title>
        {note !== undefined && <div className={classes.note}>{note}</div>}
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </div>
      {children}
    </div>
  )
}

type PartProps = { readonly children: ReactNode }

/** A framed surface without a heading of its own, for what fills a page. */
export const Panel = ({ children }: PartProps): ReactNode => <div className={classes.panel}>{children}</div>
