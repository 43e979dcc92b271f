/** What stands in the place of content that is loading, empty or failed; each says what to do. */
import { Alert, Button, Center, Loader, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { ApiProblem } from '../api/problem.ts'
import { appTexts } from '../texts/app.ts'
import classes from './states.module.css'

/** The loader comes after 150 ms by style sheet, so that a fast answer does not blink. */
export function LoadingState({ label = appTexts.loading }: { readonly label?: string }): ReactNode {
  return (
    <Center p="xl" role="status" aria-label={label} className="appear-late">
      <Loader size="sm" />
    </Center>
  )
}

type EmptyStateProps = { readonly title: string; readonly hint?: ReactNode; readonly action?: ReactNode }

export function EmptyState({ title, hint, action }: EmptyStateProps): ReactNode {
  return (
    <div className={classes.empty}>
      <h2 className={classes.title}>{title}</h2>
      {hint !== undefined && (
        <Text c="var(--text-dim)" maw="36rem">
          {hint}
        </Text>
      )}
      {action}
    </div>
  )
}

type ErrorStateProps = {
  readonly title: string
  readonly error: unknown
  readonly onRetry?: () => void
  readonly retryLabel?: string
}

export function ErrorState({
  title,
  error,
  onRetry,
  retryLabel = appTexts.retry,
}: ErrorStateProps): ReactNode {
  return (
    <Alert
      role="alert"
      variant="outline"
      color="red"
      icon={<IconAlertTriangle aria-hidden />}
      title={title}
      className={classes.error ?? ''}
      styles={{ title: { color: 'var(--tone-bad)' } }}
    >
      <Stack gap="xs" align="flex-start">
        <Text>{error instanceof Error ? error.message : String(error)}</Text>
        {error instanceof ApiProblem && error.retryAfterSeconds !== undefined && (
          <Text size="sm">{appTexts.retryAfter(error.retryAfterSeconds)}</Text>
        )}
        {error instanceof ApiProblem && error.requestId !== undefined && (
          <Text size="sm" c="var(--text-dim)">
            {appTexts.requestId(error.requestId)}
          </Text>
        )}
        {onRetry !== undefined && (
          <Button variant="default" size="xs" onClick={onRetry}>
            {retryLabel}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
