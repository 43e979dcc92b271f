/** A link within a text or a table to another page of the application. */
import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

type Props = {
  /** Such as `/endpoints/ID`. */
  readonly to: string
  /** Parameters of the page's address. */
  readonly search?: Readonly<Record<string, string>>
  readonly children: ReactNode
}

export const TextLink = ({ to, search = {}, children }: Props): ReactNode => (
  <Anchor inherit renderRoot={(props) => <Link {...props} to={to} search={search} />}>
    {children}
  </Anchor>
)
