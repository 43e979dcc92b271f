/** The buttons above a list, and the panel of the one that is open. */
import { Button, Drawer } from '@mantine/core'
import { IconColumns3 } from '@tabler/icons-react'
import { useRouterState } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { CopyButton } from '../../parts/copy-button.tsx'
import { LoadingState } from '../../parts/states.tsx'
import { recordTexts as texts } from '../../texts/records.ts'
import { toolbar } from '../query/toolbar.ts'
import type { ListAddress } from '../query/use-list-query.ts'
import classes from './list-page.module.css'

const ColumnChooser = lazy(() => import('../columns/column-chooser.tsx'))

type ToolsProps = ListAddress & {
  readonly openTool: string | undefined
  readonly onOpenTool: (id: string | undefined) => void
}

export function ListTools({ openTool, onOpenTool, ...address }: ToolsProps): ReactNode {
  const [isChoosing, setChoosing] = useState(false)
  // The address of the browser itself is written a moment later.
  const href = useRouterState({ select: (state) => state.location.href })
  return (
    <>
      {toolbar.map(({ id, label, icon: Icon }) => (
        <Button
          key={id}
          className={classes.tool}
          variant={id === openTool ? 'light' : 'default'}
          size="xs"
          title={label}
          aria-expanded={id === openTool}
          leftSection={<Icon size={16} aria-hidden />}
          onClick={() => onOpenTool(id === openTool ? undefined : id)}
        >
          {label}
        </Button>
      ))}
      <Button
        className={classes.tool}
        variant="default"
        size="xs"
        title={texts.columns.button}
        leftSection={<IconColumns3 size={16} aria-hidden />}
        onClick={() => setChoosing(true)}
      >
        {texts.columns.button}
      </Button>
      <CopyButton
        className={classes.tool}
        text={`${location.origin}${location.pathname}#${href}`}
        label={texts.copyLink}
      />
      <Drawer
        opened={isChoosing}
        onClose={() => setChoosing(false)}
        position="right"
        size="26rem"
        title={texts.columns.title}
        closeButtonProps={{ 'aria-label': texts.close }}
      >
        <Suspense fallback={<LoadingState />}>
          <ColumnChooser {...address} />
        </Suspense>
      </Drawer>
    </>
  )
}

type OpenToolProps = ListAddress & { readonly openTool: string | undefined; readonly onClose: () => void }

export function OpenTool({ openTool, onClose, ...address }: OpenToolProps): ReactNode {
  const tool = toolbar.find(({ id }) => id === openTool)
  if (tool === undefined) return null
  const panel = (
    <Suspense fallback={<LoadingState />}>
      <tool.Panel {...address} onClose={onClose} />
    </Suspense>
  )
  if (tool.place === 'above') {
    return (
      <section className={classes.above} aria-label={tool.label}>
        {panel}
      </section>
    )
  }
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="36rem"
      title={tool.label}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      {panel}
    </Drawer>
  )
}
