/** What a change was about, as a link to its page where it has one. */
import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** The first word of an action -> the address of the page of what it changed. */
const pages: Readonly<Record<string, string>> = {
  account: '/accounts/',
  endpoint: '/endpoints/',
  module: '/modules/',
  organization: '/organizations/',
  person: '/persons/',
  webhook: '/webhooks/',
}

export function SubjectLink({
  action,
  subjectId,
}: {
  readonly action: string
  readonly subjectId: string
}): ReactNode {
  const page = pages[action.split('.')[0] ?? '']
  // What was deleted has no page any more.
  if (page === undefined || /\.(delete|remove)/.test(action)) return subjectId
  return (
    <Anchor
      inherit
      onClick={(event) => event.stopPropagation()}
      renderRoot={(props) => <Link {...props} to={`${page}${encodeURIComponent(subjectId)}`} />}
    >
      {subjectId}
    </Anchor>
  )
}
