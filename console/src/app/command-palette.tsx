/** Goes to a page or runs a command by its name; Ctrl-K opens it. */
import { Modal } from '@mantine/core'
import { Spotlight } from '@mantine/spotlight'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { appTexts } from '../texts/app.ts'
import type { Destination } from './destination.ts'

export type Command = {
  readonly id: string
  readonly label: string
  readonly icon?: Destination['icon']
  readonly run: () => void
}

type Props = { readonly destinations: readonly Destination[]; readonly commands: readonly Command[] }

export function Palette({ destinations, commands }: Props): ReactNode {
  const navigate = useNavigate()
  const [query, setQuery] = useState('')
  const matches = ({ label }: { readonly label: string }) =>
    label.toLowerCase().includes(query.trim().toLowerCase())
  const pages = destinations.filter(matches)
  const others = commands.filter(matches)
  return (
    <Spotlight.Root
      query={query}
      onQueryChange={setQuery}
      shortcut={['mod + K']}
      scrollable
      maxHeight="60vh"
      clearQueryOnClose
    >
      <Modal.Title className="visually-hidden">{appTexts.palette}</Modal.Title>
      <Spotlight.Search placeholder={appTexts.palettePlaceholder} aria-label={appTexts.palettePlaceholder} />
      <Spotlight.ActionsList>
        {pages.map(({ path, label, icon: Icon }) => (
          <Spotlight.Action
            key={path}
            label={label}
            leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
            onClick={() => void navigate({ to: path })}
          />
        ))}
        {others.map(({ id, label, icon: Icon, run }) => (
          <Spotlight.Action
            key={id}
            label={label}
            leftSection={Icon && <Icon size={18} stroke={1.6} aria-hidden />}
            onClick={run}
          />
        ))}
        {pages.length + others.length === 0 && <Spotlight.Empty>{appTexts.paletteNothing}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}
